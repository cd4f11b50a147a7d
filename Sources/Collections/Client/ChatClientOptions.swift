public import Foundation
public import Models
public import Store
public import Sync

/// How a chat client keeps what it has, and goes about its work.
public struct ChatClientOptions: Sendable {
    /// The application, which tells its files from those of others in the same directory.
    public var applicationID = "default"

    /// Whether what comes is kept on this device.
    ///
    /// The default is no: then all works the same, in memory, and nothing is left behind.
    public var isLocalCachingEnabled = false

    /// Where the files are: a directory for each application and user is made in it.
    ///
    /// The default is `Scrollback` in the directory for application support; on Linux, that is the one for
    /// data of the XDG specification.
    public var directory = ChatClientOptions.defaultDirectory

    /// How the cache's files are kept.
    public var store = StoreOptions()

    /// How much is kept on this device, and for how long.
    ///
    /// What is too old goes when the engine next looks, and not by a timer: ``/Sync/CacheRetention`` says when.
    public var cacheLimits = CacheLimits()

    /// What the files are encrypted with; `nil`, the default, if they are not.
    ///
    /// With a key, the names of the users' directories are hashes. Stores that were kept without a key before
    /// are encrypted when the client is opened, and moved there. Taking the key away again does not decrypt: a
    /// client without it does not find what was kept with it, and begins a plain store beside. The next
    /// client with the key moves the outbox items of that store to the encrypted one, and removes it.
    public var encryptionKey: EncryptionKey?

    /// How the engine goes about its work.
    public var sync = SyncOptions()

    /// Gives the same user's new credentials when the session has expired; `nil` if there are none.
    public var renewSession: @Sendable () async -> Credentials? = { nil }

    /// The least time between two notices to the server that the user is typing.
    ///
    /// The default is a second; zero or less sends one with each call.
    public var typingThrottle = Duration.seconds(1)

    /// The clock of this device.
    public var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

    /// Waits for some time, and throws if its task is canceled meanwhile.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A random number from 0 to 1, by which attempts to reconnect are spread.
    public var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// Names what is written; no two may have one name, on whatever device.
    public var makeRequestID: @Sendable () -> RequestID = { RequestID(UUID().uuidString) }

    /// Creates the usual options: nothing is kept.
    public init() {}

    private static var defaultDirectory: URL {
        let directories = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        return (directories.first ?? FileManager.default.temporaryDirectory)
            .appending(path: "Scrollback", directoryHint: .isDirectory)
    }

    /// Where the files of a user are.
    func directory(of userID: UserID) -> URL {
        directory(of: userID, isEncrypted: encryptionKey != nil)
    }

    /// Where the directories of the application's users are.
    var usersDirectory: URL { directory(of: "x").deletingLastPathComponent() }

    /// Where the files of a user are if the client has a key, or has none.
    func directory(of userID: UserID, isEncrypted: Bool) -> URL {
        ChatStore.directory(
            in: directory, applicationID: applicationID, userID: userID, hidesUser: isEncrypted)
    }
}
