public import Foundation
public import Models
import Store
public import Sync

/// The files of a user on this device.
public struct StoredUser: Hashable, Sendable {
    /// The user's ID; `nil` if the name of the directory is a hash of it, because the store is
    /// encrypted or the ID is very long.
    public let userID: UserID?

    /// The directory of the files.
    public let directory: URL

    /// A Boolean value that indicates whether the files are encrypted.
    public let isEncrypted: Bool

    /// The size of all files in bytes: the cache, the downloaded files, the outbox with its copies
    /// of files, and the push inbox.
    public let byteCount: Int
}

extension ChatClient {
    /// Returns the files of all users of the app on this device, sorted by directory name.
    ///
    /// The call works while the files are open. Of the options, only `storage` and `applicationID`
    /// are used. A user who has a plain and an encrypted store has two entries.
    ///
    /// - Throws: `store`.
    /// - Complexity: A system call for each file.
    public static func storedUsers(
        options: ChatClientOptions = ChatClientOptions()
    ) async throws(SyncError) -> [StoredUser] {
        guard let directories = UserDirectories(options) else { return [] }
        return try await onDisk { () throws(StoreError) in try directories.storedUsers() }
    }

    /// Removes the data of a user from this device, from plain and encrypted stores.
    ///
    /// Of the options, only `storage` and `applicationID` are used. With the wiping `everything`,
    /// unsent messages are lost. For a user whose files are open, call ``logOut(wiping:)``.
    ///
    /// - Throws: `store`. Its cause is a ``/Store/StoreError``: `locked` if a client or another
    ///   process has the files open, which are then unchanged; `permission`, `io`.
    public static func removeStoredData(
        of userID: UserID, wiping: Wiping, options: ChatClientOptions = ChatClientOptions()
    ) async throws(SyncError) {
        guard let directories = UserDirectories(options) else { return }
        try await onDisk { () throws(StoreError) in
            try directories.checkRoot()
            try directories.removeData(in: directories.all(of: userID), wiping: wiping)
        }
    }

    /// Removes the data of all users of the app from this device, as
    /// ``removeStoredData(of:wiping:options:)`` does for one user.
    ///
    /// If the files of any user are open, no data is removed. After a disk error, the data of some
    /// users may be removed already: repeat the call.
    ///
    /// - Throws: As ``removeStoredData(of:wiping:options:)``.
    public static func removeAllStoredData(
        wiping: Wiping, options: ChatClientOptions = ChatClientOptions()
    ) async throws(SyncError) {
        guard let directories = UserDirectories(options) else { return }
        try await onDisk { () throws(StoreError) in
            let users = try directories.storedUsers()
            try directories.removeData(in: users.map(\.directory), wiping: wiping)
        }
    }
}

extension UserDirectories {
    func storedUsers() throws(StoreError) -> [StoredUser] {
        try checkRoot()
        var stored: [StoredUser] = []
        for name in try ChatStore.directoryNames(in: root).sorted() {
            let directory = root.appending(path: name, directoryHint: .isDirectory)
            guard isDirectory(directory), ChatStore.isStore(at: directory) else { continue }
            stored.append(
                StoredUser(
                    userID: ChatStore.userID(ofDirectory: name), directory: directory,
                    isEncrypted: try KeyFile(in: directory.path).exists(),
                    byteCount: try ChatStore.byteCount(at: directory)))
        }
        return stored
    }

    /// Removes data from stores, after checking that no process has any of them open.
    func removeData(in stores: [URL], wiping: ChatClient.Wiping) throws(StoreError) {
        for directory in stores { try ChatStore.checkIsNotOpen(at: directory) }
        for directory in stores {
            switch wiping {
            case .cachedData: try ChatStore.removeCachedData(at: directory)
            case .everything: try ChatStore.removeFiles(at: directory)
            }
        }
    }
}
