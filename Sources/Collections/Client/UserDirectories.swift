import Foundation
import Models
import Store
import Sync

/// The directories of the stores of an app's users on this device.
///
/// A client with a key names a user's directory by a hash of the user's ID; a client without a key
/// uses a readable name. If an app that uses a key opens a client without it, the user therefore
/// gets a second, plain store. The next client with the key encrypts that store, or moves its
/// outbox items to the encrypted store and removes it. Each step can be repeated, so that a crash
/// between steps loses no data.
struct UserDirectories {
    private let directory: URL
    private let options: ChatClientOptions

    /// The directory that contains the directories of the app's users.
    var root: URL { plain("x").deletingLastPathComponent() }

    /// Returns `nil` if the client stores its data in memory.
    init?(_ options: ChatClientOptions) {
        guard let directory = options.storage.directory else { return nil }
        (self.directory, self.options) = (directory, options)
    }

    /// The directory that the client opens for a user.
    func directory(of userID: UserID) -> URL {
        options.encryptionKey == nil ? plain(userID) : encrypted(userID)
    }

    private func plain(_ userID: UserID) -> URL {
        ChatStore.directory(
            in: directory, applicationID: options.applicationID, userID: userID, hidesUser: false)
    }

    private func encrypted(_ userID: UserID) -> URL {
        ChatStore.directory(
            in: directory, applicationID: options.applicationID, userID: userID, hidesUser: true)
    }

    /// Returns all directories of a user except the directory that the client opens.
    ///
    /// These are: the encrypted store if the client has no key; the plain store if the client has a
    /// key; and former plain stores whose outbox items could not be moved.
    func others(of userID: UserID) throws(StoreError) -> [URL] {
        let present = directory(of: userID)
        let stores = [plain(userID), encrypted(userID)].filter {
            $0 != present && access($0.path, F_OK) == 0
        }
        return stores + (try leftovers(of: userID))
    }

    func all(of userID: UserID) throws(StoreError) -> [URL] {
        let present = directory(of: userID)
        return try others(of: userID) + (access(present.path, F_OK) == 0 ? [present] : [])
    }

    // MARK: Encrypting

    /// Finishes interrupted log-outs and, if the client has a key, encrypts the plain stores of all
    /// users.
    ///
    /// A store that cannot be encrypted stays unchanged. The error is thrown when the client opens
    /// the store for its user.
    func prepare() throws(StoreError) {
        try ChatStore.finishRemovals(in: root)
        guard options.encryptionKey != nil, try isKeyPlausible() else { return }
        LastUser(options)?.encryptPlainFile()
        for (userID, directory) in try ChatStore.readableDirectories(in: root) {
            guard directory == plain(userID) else { continue }
            // Ignore an error: opening the user's store repeats this step, and throws the error.
            try? encryptPlainStore(of: userID)
        }
    }

    /// Returns a Boolean value that indicates whether the client's key opens an encrypted store on
    /// this device, or no encrypted store exists.
    ///
    /// If the key opens none of the encrypted stores, it is probably wrong, and must not be used to
    /// encrypt another store.
    private func isKeyPlausible() throws(StoreError) -> Bool {
        guard let key = options.encryptionKey else { return false }
        let names = try KeyFile.directories(in: root.path)
        for name in names {
            // Ignore an error: a store with a damaged key file does not show whether the key is
            // right.
            let keys = KeyFile(in: root.appending(path: name).path)
            if (try? keys.isOpened(byOneOf: [key])) ?? false { return true }
        }
        return names.isEmpty
    }

    func isKeyOfEachStore() throws(StoreError) -> Bool {
        guard let key = options.encryptionKey else { return true }
        for name in try KeyFile.directories(in: root.path) {
            let keys = KeyFile(in: root.appending(path: name).path)
            guard try keys.isOpened(byOneOf: [key]) else { return false }
        }
        return true
    }

    /// Encrypts the plain store of a user, if the client has a key and the user has a plain store.
    ///
    /// The encrypted store becomes the user's store. If the user already has one, only the outbox
    /// of the plain store is kept, in a directory that ``moveOutboxes(of:to:)`` processes.
    ///
    /// - Throws: ``StoreError`` with code `wrongKey` if the key does not open the user's encrypted
    ///   store, or opens none of the encrypted stores on this device; `locked` if another process
    ///   has the plain store open; errors of the disk.
    func encryptPlainStore(of userID: UserID) throws(StoreError) {
        let (plain, encrypted) = (plain(userID), encrypted(userID))
        guard let key = options.encryptionKey, access(plain.path, F_OK) == 0 else { return }
        // For a long user ID, both directories are named by the same hash, so that the store is
        // encrypted in place.
        guard plain != encrypted else {
            try ChatStore.reencrypt(at: plain, from: nil, to: key)
            return
        }
        guard access(encrypted.path, F_OK) == 0 else {
            guard try isKeyPlausible() else { throw wrongKey(plain) }
            return try ChatStore.encrypt(at: plain, with: key, movingTo: encrypted)
        }
        let keys = KeyFile(in: encrypted.path)
        if try keys.exists(), try !keys.isOpened(byOneOf: [key]) { throw wrongKey(encrypted) }
        try ChatStore.removeCachedData(at: plain)
        try ChatStore.encrypt(at: plain, with: key, movingTo: nextLeftover(of: userID))
    }

    private func wrongKey(_ directory: URL) -> StoreError {
        StoreError(
            .wrongKey, "the stores of this app are encrypted with another key", path: directory.path
        )
    }

    // MARK: Leftovers

    /// Moves the outbox items of former plain stores to the user's store, and removes the former
    /// stores.
    ///
    /// The former stores are encrypted by now.
    ///
    /// - Throws: ``SyncError`` with code `store` if some items cannot be read or written. These
    ///   items stay in their encrypted store, and the next opening of the user's store tries again
    ///   to move them.
    func moveOutboxes(of userID: UserID, to store: ChatStore) throws(SyncError) {
        guard let key = options.encryptionKey else { return }
        var failure: SyncError?
        for directory in try translatingStoreErrors({ () throws(StoreError) in
            try leftovers(of: userID)
        }) {
            do throws(SyncError) {
                try moveOutbox(in: directory, key, to: store)
                try translatingStoreErrors { () throws(StoreError) in
                    try ChatStore.removeFiles(at: directory)
                }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func moveOutbox(
        in directory: URL, _ key: EncryptionKey, to store: ChatStore
    ) throws(SyncError) {
        let source = try translatingStoreErrors { () throws(StoreError) in
            try ChatStore(at: directory, encryptionKey: key)
        }
        defer { source.close() }
        try source.moveOutbox(to: store)
        let report = source.openingReport
        guard report.outboxDamage == nil, report.outboxCopy == nil else {
            throw SyncError(
                StoreError(
                    .corruption,
                    "the outbox of the former unencrypted store is damaged, so it is kept",
                    path: directory.path))
        }
    }

    private static let leftoverSuffix = ".plain-"

    private func leftovers(of userID: UserID) throws(StoreError) -> [URL] {
        try leftoverNumbers(of: userID).sorted().map { leftover(of: userID, $0) }
    }

    private func nextLeftover(of userID: UserID) throws(StoreError) -> URL {
        leftover(of: userID, (try leftoverNumbers(of: userID).max() ?? 0) + 1)
    }

    private func leftover(of userID: UserID, _ number: Int) -> URL {
        let name = encrypted(userID).lastPathComponent + UserDirectories.leftoverSuffix
        return root.appending(path: "\(name)\(number)", directoryHint: .isDirectory)
    }

    private func leftoverNumbers(of userID: UserID) throws(StoreError) -> [Int] {
        let prefix = encrypted(userID).lastPathComponent + UserDirectories.leftoverSuffix
        return try ChatStore.directoryNames(in: root).compactMap { name in
            guard name.hasPrefix(prefix) else { return nil }
            // The name of a directory that is being removed does not end in a number.
            return Int(name.dropFirst(prefix.count))
        }
    }
}
