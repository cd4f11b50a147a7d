public import Foundation
public import Models
public import Store
public import Sync

/// The options of a chat client.
public struct ChatClientOptions: Sendable {
    /// The ID of the app, which separates its files from those of others in the same directory.
    public var applicationID = "default"

    /// Where the users' data is stored on this device.
    ///
    /// The default is a directory in the application support directory.
    public var storage = Storage.applicationSupport

    /// How the client handles files that cannot be opened.
    ///
    /// By default, it throws the error.
    public var storageFailurePolicy = StorageFailurePolicy.fail

    /// The options of the cache's files.
    public var store = StoreOptions()

    /// The limits of the data on this device.
    ///
    /// Expired data is removed when the engine checks the limits, and not by a timer; see
    /// ``/Sync/CacheRetention``.
    public var cacheLimits = CacheLimits()

    /// The key that encrypts the files; `nil`, the default, if they are not encrypted.
    ///
    /// With a key, the names of the users' directories are hashes of their IDs. When a client with
    /// a key is opened, stores that were created without a key are encrypted and moved to such
    /// directories.
    ///
    /// Removing the key later does not decrypt the data: a client without a key does not find the
    /// encrypted store, and creates a second, plain one. The next client with the key moves the
    /// outbox items of the plain store to the encrypted one, and removes the plain store.
    public var encryptionKey: EncryptionKey?

    /// The options of the sync engine.
    public var sync = SyncOptions()

    /// A closure that returns new credentials of the same user when the session has expired; `nil`
    /// if there are none.
    public var renewSession: @Sendable () async -> Credentials? = { nil }

    /// The minimum time between two notices to the server that the user is typing.
    ///
    /// The default is a second; zero or less sends one with each call.
    public var typingThrottle = Duration.seconds(1)

    /// The clock of this device.
    public var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

    /// A closure that waits for a duration, and throws if its task is canceled in the meantime.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A closure that returns a random number from 0 to 1, which varies the delays of reconnecting.
    public var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// A closure that returns the request ID of a new item, which must be unique across devices.
    public var makeRequestID: @Sendable () -> RequestID = { RequestID(UUID().uuidString) }

    /// Creates the default options.
    public init() {}
}

/// Where the users' data is stored on a device.
public enum Storage: Hashable, Sendable {
    /// `Scrollback` in the application support directory; on Linux, in the data directory of the
    /// XDG specification (`~/.local/share` unless `XDG_DATA_HOME` is set).
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
/// This does not apply to a damaged cache or outbox: the client replaces or rebuilds it, and
/// reports ``ChatClient/storageDamage``.
public enum StorageFailurePolicy: String, Hashable, Codable, CaseIterable, Sendable {
    /// Opening the client, or connecting the user, throws the error. Call it again to retry.
    case fail

    /// The client works in memory, and ``ChatClient/cachingError`` is the reason. Unsent messages
    /// are lost when the process ends.
    case continueInMemory
}
