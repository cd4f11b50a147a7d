public import Foundation
public import Models
public import Store
public import Sync

/// The options of a chat client.
public struct ChatClientOptions: Sendable {
    /// The ID of the app, which separates its files from those of other apps in the same directory.
    public var applicationID = "default"

    /// The location of the users' data on this device.
    ///
    /// The default is a directory in the application support directory.
    public var storage: Storage

    /// The behavior of the client if the user's files cannot be opened.
    ///
    /// By default, the client throws the error.
    public var storageFailurePolicy = StorageFailurePolicy.fail

    /// The options of the user's files.
    public var store = StoreOptions()

    /// The limits of the cached data.
    ///
    /// The engine removes expired data when it checks the limits. It has no timer for that: see
    /// ``/Sync/CacheRetention``.
    public var cacheLimits = CacheLimits()

    /// The key that encrypts the files; `nil`, the default, if they are not encrypted.
    ///
    /// With a key, the names of the users' directories are hashes of their IDs. The client opens
    /// only encrypted stores. To encrypt a store that was created without a key, call
    /// ``ChatClient/encryptStoredData(of:options:)`` once.
    ///
    /// If any store of the app is encrypted, a client without a key opens none, and creates none:
    /// connecting fails with the code `wrongKey`.
    public var encryptionKey: EncryptionKey?

    /// The options of the sync engine.
    public var sync = SyncOptions()

    /// A closure that returns new credentials of the current user after the session has expired, or
    /// `nil` if there are none.
    public var renewSession: @Sendable () async -> Credentials? = { nil }

    /// The minimum time between two notices to the server that the user is typing.
    ///
    /// The default is a second. With zero or less, each call sends a notice.
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

    /// A closure that returns a random number from 0 to 1, to vary the delays between connection
    /// attempts.
    public var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// A closure that returns the request ID of a new outbox item, which must be unique across
    /// devices.
    public var makeRequestID: @Sendable () -> RequestID = { RequestID(UUID().uuidString) }

    /// Creates the default options.
    ///
    /// - Parameter storage: The location of the users' data on this device.
    public init(storage: Storage = .applicationSupport) { self.storage = storage }
}

/// A location of the users' data on a device.
public enum Storage: Hashable, Sendable {
    /// The directory `Scrollback` in the application support directory.
    ///
    /// On Linux, it is in the data directory of the XDG specification: `XDG_DATA_HOME` or, if that
    /// is not set, `~/.local/share`.
    case applicationSupport

    /// A directory, in which the client creates a directory for each app and user.
    case directory(URL)

    /// The memory of the process. Unsent messages are lost when the process ends.
    case inMemory

    /// The directory; `nil` for ``inMemory``.
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
/// The policy does not apply to a damaged cache or outbox: the client replaces or rebuilds it, and
/// reports ``ChatClient/storageDamage``.
public enum StorageFailurePolicy: String, Hashable, Codable, CaseIterable, Sendable {
    /// The call that opens the client or connects the user throws the error, and can be repeated.
    case fail

    /// The client works in memory, and ``ChatClient/cachingError`` is the reason.
    ///
    /// Unsent messages are lost when the process ends.
    case continueInMemory
}
