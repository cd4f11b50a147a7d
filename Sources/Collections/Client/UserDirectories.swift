import Foundation
import Models
import Store
import Sync

/// The directories of the stores of an app's users on this device.
///
/// A user's directory has another name if the client has a key. Such a client trusts only files
/// that the key decrypts: it neither opens a plain store nor moves anything out of it, until the
/// app calls ``ChatClient/encryptStoredData(of:options:)``.
struct UserDirectories {
    private let directory: URL
    private let options: ChatClientOptions

    var root: URL { plain("x").deletingLastPathComponent() }

    /// Returns `nil` if the client stores its data in memory.
    init?(_ options: ChatClientOptions) {
        guard let directory = options.storage.directory else { return nil }
        (self.directory, self.options) = (directory, options)
    }

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

    /// Returns the user's store that the client does not open, if it exists: the encrypted one if
    /// the client has no key, and otherwise the plain one.
    func other(of userID: UserID) -> URL? {
        let other = options.encryptionKey == nil ? encrypted(userID) : plain(userID)
        return isDirectory(other) ? other : nil
    }

    func all(of userID: UserID) -> [URL] {
        [plain(userID), encrypted(userID)].filter(isDirectory)
    }

    /// Returns `false` for a symbolic link, which may lead elsewhere.
    func isDirectory(_ url: URL) -> Bool {
        var status = stat()
        let path = url.path(percentEncoded: false)
        guard lstat(path.hasSuffix("/") ? String(path.dropLast()) : path, &status) == 0 else {
            return false
        }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: Keys

    /// Throws `io` if a link, through which files elsewhere would be changed, is in place of the
    /// directory of all users.
    func checkRoot() throws(StoreError) { try ChatStore.checkIsNoLink(at: root) }

    func finishLogouts() throws(StoreError) {
        try checkRoot()
        try ChatStore.finishRemovals(in: root)
    }

    /// Throws `io` if a link is in place of the user's directory; `wrongKey` if the client has no
    /// key and a store on this device is encrypted, or if the client has a key and the user has
    /// only a plain store, or a store that accepts plain files.
    func checkKey(of userID: UserID) throws(StoreError) {
        try ChatStore.checkIsNoLink(at: directory(of: userID))
        guard let key = options.encryptionKey else {
            guard let directory = try encryptedStores().first else { return }
            throw StoreError(
                .wrongKey, "the app's data is encrypted: open the client with the key",
                path: directory.path)
        }
        let (plain, encrypted) = (plain(userID), encrypted(userID))
        guard isDirectory(encrypted) else {
            guard isDirectory(plain) else { return }
            throw StoreError(
                .wrongKey,
                "the user's store is not encrypted: call ChatClient.encryptStoredData(of:options:) "
                    + "once, or remove it", path: plain.path)
        }
        // A directory gets its name only after all of its files are encrypted. An earlier key file
        // could make the store accept plain files again.
        let keys = KeyFile(in: encrypted.path)
        if try keys.exists(), try keys.acceptsPlainFiles([key]) {
            throw .acceptsPlainFiles(at: encrypted.path)
        }
    }

    private func encryptedStores() throws(StoreError) -> [URL] {
        var stores: [URL] = []
        for name in try ChatStore.directoryNames(in: root).sorted() {
            let directory = root.appending(path: name, directoryHint: .isDirectory)
            if isDirectory(directory), try ChatStore.isEncrypted(at: directory) {
                stores.append(directory)
            }
        }
        return stores
    }

    func isKeyOfEachStore() throws(StoreError) -> Bool {
        guard let key = options.encryptionKey else { return true }
        for name in try KeyFile.directories(in: root.path) {
            let keys = KeyFile(in: root.appending(path: name).path)
            guard try keys.isOpened(byOneOf: [key]) else { return false }
        }
        return true
    }

    // MARK: Encrypting

    /// Encrypts the plain store of a user, and returns its outbox items, none of which is pending.
    func encryptPlainStore(of userID: UserID) throws(StoreError) -> [OutboxItem] {
        guard let key = options.encryptionKey else {
            throw StoreError(.wrongKey, "the options have no encryption key", path: root.path)
        }
        try checkRoot()
        let (plain, encrypted) = (plain(userID), encrypted(userID))
        for directory in [plain, encrypted] { try ChatStore.checkIsNoLink(at: directory) }
        let isUnfinished = try ChatStore.isAdoptionUnfinished(at: encrypted)
        guard isUnfinished || isDirectory(plain) else {
            // An earlier call may have been interrupted before its last step.
            if isDirectory(encrypted) { LastUser(options)?.encryptPlainFile(of: userID) }
            return []
        }
        guard isUnfinished || !isDirectory(encrypted) else {
            throw StoreError(
                .invalid,
                "the user has an encrypted store already, and the plain one is not merged into it",
                path: plain.path)
        }
        guard try isKeyPlausible(key) else {
            throw StoreError(
                .wrongKey, "the stores of this app are encrypted with another key",
                path: plain.path)
        }
        if isUnfinished { try checkKey(of: userID) }
        let items = try ChatStore.adopt(
            at: plain, with: key, as: encrypted, now: options.now())
        LastUser(options)?.encryptPlainFile(of: userID)
        return items
    }

    /// Returns `true` if the client's key opens an encrypted store on this device, or nothing is
    /// encrypted.
    ///
    /// A key that opens none of the encrypted stores is probably wrong, and must not encrypt
    /// another one. A store without its key file counts as encrypted.
    private func isKeyPlausible(_ key: EncryptionKey) throws(StoreError) -> Bool {
        let stores = try encryptedStores()
        for directory in stores {
            // Ignore an error: a store without a usable key file does not show whether the key is
            // right.
            if (try? KeyFile(in: directory.path).isOpened(byOneOf: [key])) ?? false { return true }
        }
        return stores.isEmpty && LastUser(options)?.isUnreadable != true
    }
}

// MARK: The last user

/// The user who connected last on this device.
///
/// A client with a key stores the user's ID in an encrypted file, and ignores the unencrypted file.
struct LastUser {
    private let plain: NoteFile
    private let sealed: NoteFile?

    /// Returns `nil` if the client stores its data in memory, or if the directory is a link.
    init?(_ options: ChatClientOptions) {
        guard let root = UserDirectories(options)?.root,
            (try? ChatStore.checkIsNoLink(at: root)) != nil
        else { return nil }
        // Names of users' directories start with "_", "-" or "%", so none equals the names of these
        // files.
        func record(_ name: String, _ key: EncryptionKey?) -> NoteFile {
            NoteFile(
                at: root.appending(path: name).path, encryptedWith: key,
                for: "last user of \(options.applicationID)")
        }
        plain = record("last-user", nil)
        sealed = options.encryptionKey.map { record("last-user-sealed", $0) }
    }

    /// The user's ID; `nil` if there is none, or if the file cannot be read.
    var userID: UserID? {
        // With a key, do not trust a file that any program could write.
        id(in: sealed ?? plain)
    }

    var isUnreadable: Bool { sealed.map { $0.exists && $0.read() == nil } ?? false }

    private func id(in note: NoteFile) -> UserID? {
        note.read().map { UserID(String(decoding: $0, as: UTF8.self)) }
    }

    /// Records a user, or `nil` for no user.
    ///
    /// If the file cannot be written, the next client opens without a user. Pass `false` for
    /// `replacesUnreadable` to keep a file that the key does not decrypt, if the key may be wrong.
    func set(_ userID: UserID?, replacesUnreadable: @autoclosure () -> Bool) {
        if let sealed, sealed.exists, sealed.read() == nil, !replacesUnreadable() { return }
        if userID == nil || userID != id(in: sealed ?? plain) { write(userID, to: sealed ?? plain) }
        if sealed != nil { try? plain.remove() }
    }

    private func write(_ userID: UserID?, to note: NoteFile) {
        if let userID {
            try? note.write(Data(userID.rawValue.utf8))
        } else {
            try? note.remove()
        }
    }

    /// Encrypts the unencrypted file if it names `userID`, and no encrypted file exists.
    func encryptPlainFile(of userID: UserID) {
        guard let sealed, id(in: plain) == userID else { return }
        if !sealed.exists { write(userID, to: sealed) }
        guard sealed.exists else { return }
        try? plain.remove()
    }
}
