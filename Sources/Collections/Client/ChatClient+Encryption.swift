import Foundation
public import Models
public import Store
public import Sync

// Changing the key that encrypts an app's data on this device.
extension ChatClient {
    /// Changes the key that encrypts the stores of all users, and the ID of the last user.
    ///
    /// The call writes only a few small files, while connections and stores stay open. A store that
    /// neither key opens, or whose file `KEY` is damaged, is not changed.
    ///
    /// An attacker who has the old key and a copy of those files can still decrypt the data, unless
    /// you call ``reencrypt(_:to:progress:)``.
    ///
    /// Keep both keys until the call returns: if the process ends during the call, one of them
    /// opens all stores. Open a client with that key, and repeat the call. Other processes that
    /// open a push inbox need the new key, too.
    ///
    /// - Throws: `store`; its cause has the code `wrongKey` if the client has no key, `corruption`,
    ///   `permission`, `noSpace` or `io`.
    /// - Complexity: O(*n*) in the number of users on this device, with two syncs of the disk for
    ///   each.
    public func changeEncryptionKey(to key: EncryptionKey) async throws(SyncError) {
        try await afterOtherSwitches { [self] () throws(SyncError) in
            try await onDisk { [options] () throws(StoreError) in
                try ChatClient.exchangeKey(of: options, for: key)
            }
            options.encryptionKey = key
        }
    }

    /// Encrypts the data that a user has on this device without a key, with the key of `options`.
    ///
    /// Call this method once for each of ``storedUsers(options:)``, in the version of the app that
    /// introduces the key, and before a client connects the user. Do not call it at each start: an
    /// attacker who can write to the app's directory could then add data at any time.
    ///
    /// Because any program could have written the files, cached channels and messages and the push
    /// inbox are removed: the next connection fetches them. Of the outbox, messages and changes are
    /// kept, but fail with ``/Models/ErrorCode/needsConfirmation``, and the user decides whether to
    /// resend them; requests, such as receipts, are removed, because no list shows them. An
    /// outgoing file without a copy in the outbox has to be chosen again. The messages lose their
    /// meta arrays and templates of mentions, which other clients may show in place of the text,
    /// and what no list shows, such as mentions and polls.
    ///
    /// The call writes an encrypted copy of the data to keep, for which the disk needs space, and
    /// then removes the user's unencrypted data. If the process ends during the call, repeat it.
    ///
    /// - Returns: The items of the user's outbox; empty if the user has no unencrypted data.
    /// - Throws: `store`. Its cause is a ``/Store/StoreError``: `wrongKey` if `options` has no key,
    ///   if the app has encrypted data that the key does not open, or if the data to encrypt has a
    ///   key file; `invalid` if the user already has an encrypted store, in which case nothing is
    ///   changed; `corruption` if the directory contains links or special files; `newerSchema`;
    ///   `locked` if the store is open; `permission`, `noSpace` or `io`.
    @discardableResult
    public static func encryptStoredData(
        of userID: UserID, options: ChatClientOptions
    ) async throws(SyncError) -> [OutboxItem] {
        guard let directories = UserDirectories(options) else { return [] }
        return try await onDisk { () throws(StoreError) in
            try directories.encryptPlainStore(of: userID)
        }
    }

    /// Re-encrypts the stores of all users of an app, as
    /// ``/Store/ChatStore/reencrypt(at:from:to:progress:)`` does for one store.
    ///
    /// No client of the app may be open. The call reads and writes all files. If the process ends
    /// during the call, repeat it with the same keys before you open a client. Data that was stored
    /// without a key is not encrypted: use ``encryptStoredData(of:options:)``.
    ///
    /// - Parameters:
    ///   - options: The options, with the current key.
    ///   - key: The new key. If it equals the current key, only the keys of the files are replaced,
    ///     and it also opens earlier copies of the key file, which another program may put back.
    ///   - progress: Receives the completed fraction, from 0 to 1, on another thread.
    /// - Throws: As ``/Store/ChatStore/reencrypt(at:from:to:progress:)``; `wrongKey` if `options`
    ///   has no key.
    @concurrent
    public static func reencrypt(
        _ options: ChatClientOptions, to key: EncryptionKey,
        progress: @Sendable (Double) -> Void = { _ in }
    ) async throws(StoreError) {
        let (directories, old) = try options.encryptedDirectories(for: key)
        for (index, directory) in directories.enumerated() {
            try ChatStore.reencrypt(
                at: directory, from: old, to: key, allowsPlainFiles: false, on: .disk()
            ) { done in
                progress((Double(index) + done) / Double(directories.count))
            }
        }
        LastUser.exchangeKey(of: options, for: key)
        progress(1)
    }

    private nonisolated static func exchangeKey(
        of options: ChatClientOptions, for key: EncryptionKey
    ) throws(StoreError) {
        let (directories, old) = try options.encryptedDirectories(for: key)
        // First make all stores accept both keys, so that after a crash one key opens all stores.
        for keys in [[old, key], [key]] {
            for directory in directories {
                try KeyFile(in: directory.path).exchange([old, key], for: keys)
            }
        }
        LastUser.exchangeKey(of: options, for: key)
    }
}

extension ChatClientOptions {
    /// Returns the current key, and the directories of those stores that it or `key` opens; throws
    /// `wrongKey` without a current key.
    fileprivate func encryptedDirectories(
        for key: EncryptionKey
    ) throws(StoreError) -> (directories: [URL], old: EncryptionKey) {
        guard let root = UserDirectories(self)?.root, let old = encryptionKey else {
            throw StoreError(
                .wrongKey,
                "the client was opened without a key: reopen it with encryptionKey to encrypt its data",
                path: storage.directory?.path ?? "memory")
        }
        try UserDirectories(self)?.checkRoot()
        var directories: [URL] = []
        for name in try KeyFile.directories(in: root.path) {
            let directory = root.appending(path: name, directoryHint: .isDirectory)
            do throws(StoreError) {
                let keys = KeyFile(in: directory.path)
                // Another program may have written plain files; no client opens them.
                if try keys.isOpened(byOneOf: [old, key]), try !keys.acceptsPlainFiles([old, key]) {
                    directories.append(directory)
                }
            } catch {
                // No key opens a store whose key file is damaged.
                guard error.code == .corruption else { throw error }
            }
        }
        return (directories, old)
    }
}

extension LastUser {
    fileprivate static func exchangeKey(of options: ChatClientOptions, for key: EncryptionKey) {
        var new = options
        new.encryptionKey = key
        // If the old key does not decrypt the ID, the ID is already encrypted with the new key.
        guard let userID = LastUser(options)?.userID else { return }
        LastUser(new)?.set(userID, replacesUnreadable: true)
    }
}
