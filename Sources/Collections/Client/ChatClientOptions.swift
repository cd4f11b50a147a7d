public import Foundation
public import Models
public import Store
public import Sync

/// The options of a chat client.
public struct ChatClientOptions: Sendable {
    /// The ID of the app, which separates its files from those of others in the same directory.
    public var applicationID = "default"

    /// A Boolean value that indicates whether data is stored on this device.
    ///
    /// The default is `false`: the client then works in memory, and leaves no files.
    public var isLocalCachingEnabled = false

    /// The directory of the files, in which a directory for each app and user is created.
    ///
    /// The default is `Scrollback` in the application support directory; on Linux, this is the data
    /// directory of the XDG specification.
    public var directory = ChatClientOptions.defaultDirectory

    /// The options of the cache's files.
    public var store = StoreOptions()

    /// The limits of the data on this device.
    ///
    /// Expired data is removed when the engine checks the limits, and not by a timer; see
    /// ``/Sync/CacheRetention``.
    public var cacheLimits = CacheLimits()

    /// The key that encrypts the files; `nil`, the default, if they are not encrypted.
    ///
    /// With a key, the names of the users' directories are hashes. Stores that were created without
    /// a key are encrypted when the client is opened, and moved to such directories. Removing the
    /// key later does not decrypt: a client without it does not find the encrypted data, and
    /// creates a plain store beside it. The next client with the key moves the outbox items of that
    /// store to the encrypted one, and removes it.
    public var encryptionKey: EncryptionKey?

    /// The options of the sync engine.
    public var sync = SyncOptions()

    /// A closure that returns new credentials of the same user when the session has expired; `nil`
    /// if there are none.
    public var renewSession: @Sendable () async -> Credentials? = { nil }

    /// The least time between two notices to the server that the user is typing.
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

    /// Creates the default options, without caching.
    public init() {}

    private static var defaultDirectory: URL {
        let directories = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        return (directories.first ?? FileManager.default.temporaryDirectory)
            .appending(path: "Scrollback", directoryHint: .isDirectory)
    }

    /// Returns the directory of a user.
    func directory(of userID: UserID) -> URL {
        directory(of: userID, isEncrypted: encryptionKey != nil)
    }

    /// The directory that contains the app's users.
    var usersDirectory: URL { directory(of: "x").deletingLastPathComponent() }

    /// Returns the directory of a user, for a client with a key or without one.
    func directory(of userID: UserID, isEncrypted: Bool) -> URL {
        ChatStore.directory(
            in: directory, applicationID: applicationID, userID: userID, hidesUser: isEncrypted)
    }
}
