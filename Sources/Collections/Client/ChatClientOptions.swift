public import Foundation
public import Models
public import Store
public import Sync

/// The options of a chat client.
public struct ChatClientOptions: Sendable {
    /// The ID of the app, which separates its files from those of other apps in the same directory.
    public var applicationID = "default"

    /// The location of the users' data on this device.
    public var storage: Storage

    /// The behavior of the client if the user's files cannot be opened; by default, it throws the
    /// error.
    public var storageFailurePolicy = StorageFailurePolicy.fail

    /// The options of the user's files.
    public var store = StoreOptions()

    /// The limits of the cached data and of downloaded files, which have no timer: see
    /// ``/Sync/CacheRetention``.
    public var cacheLimits = CacheLimits()

    /// The key that encrypts the files; `nil`, the default, if they are not encrypted.
    ///
    /// With a key, the users' directories are named by hashes of their IDs, and the client opens
    /// only encrypted stores: call ``ChatClient/encryptStoredData(of:options:)`` once to encrypt an
    /// existing store. If any store of the app is encrypted, a client without a key opens and
    /// creates none: connecting fails with the code `wrongKey`.
    public var encryptionKey: EncryptionKey?

    /// The options of the sync engine.
    public var sync = SyncOptions()

    /// A closure that returns new credentials when the user's session has expired; `nil` if there
    /// are none.
    public var renewSession: @Sendable () async -> Credentials? = { nil }

    /// The minimum time between two notices that the user is typing, by default a second.
    ///
    /// With zero or less, each call sends a notice.
    public var typingThrottle = Duration.seconds(1)

    /// A closure that receives what the client does, such as requests, retries and damage; `nil`,
    /// the default, for none.
    ///
    /// It is called on any thread. The lines contain ids and errors, but no texts of messages.
    public var log: (@Sendable (ChatClient.LogLine) -> Void)?

    /// The clock of this device.
    public var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

    /// A closure that waits for a duration, and throws if the task is canceled.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A closure that returns a random number from 0 to 1, for the delays before reconnecting.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// A closure that returns a new request ID, which must be unique across devices.
    package var makeRequestID: @Sendable () -> RequestID = { RequestID(UUID().uuidString) }

    /// Creates the default options, with a location of the users' data.
    public init(storage: Storage = .applicationSupport) { self.storage = storage }
}

/// A location of the users' data on a device.
public enum Storage: Hashable, Sendable {
    /// The directory `Scrollback` in the application support directory or, on Linux, in
    /// `XDG_DATA_HOME`, which is `~/.local/share` if it is not set.
    case applicationSupport

    /// A directory, in which the client creates a directory for each app and user.
    case directory(URL)

    /// The memory of the process, which loses unsent messages when it ends.
    case inMemory

    var directory: URL? {
        switch self {
        case .inMemory: return nil
        case .directory(let directory): return directory
        case .applicationSupport:
            let directories = FileManager.default.urls(
                for: .applicationSupportDirectory, in: .userDomainMask)
            return (directories.first ?? FileManager.default.temporaryDirectory)
                .appending(path: "Scrollback", directoryHint: .isDirectory)
        }
    }
}

/// The behavior of a client if a user's files cannot be opened.
///
/// A damaged cache or outbox is replaced or rebuilt regardless of the policy: see
/// ``ChatClient/storageDamage``.
public enum StorageFailurePolicy: Hashable, CaseIterable, Sendable {
    /// The call throws the error, and can be repeated.
    case fail

    /// The client works in memory, and loses unsent messages when the process ends: see
    /// ``ChatClient/cachingError``.
    case continueInMemory
}
