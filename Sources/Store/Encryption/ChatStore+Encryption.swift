import CScrollbackLevelDB
public import Foundation
import Models

extension ChatStore {
    /// Whether the files of the store are encrypted; `false` in memory.
    public var isEncrypted: Bool { keys != nil }

    /// Changes the encryption key of the store.
    ///
    /// Only the small key file is written again, which contains the files' random keys, encrypted
    /// with the app's key. An attacker who has the old key and a copy of the key file can therefore
    /// still read the files; ``reencrypt(at:from:to:progress:)`` prevents this. After a crash, the
    /// store has the old or the new key.
    ///
    /// - Throws: `wrongKey` if the store is not encrypted, `closed`, `permission`, `noSpace` or
    ///   `io`.
    /// - Complexity: O(1); waits for the disk.
    public func changeEncryptionKey(to key: EncryptionKey) throws(StoreError) {
        guard let keys, let directory else {
            throw StoreError(
                .wrongKey,
                "the store is not encrypted: encrypt it with "
                    + "ChatStore.reencrypt(at:from:to:)", path: path)
        }
        // A re-encryption, which needs a closed store, cannot run meanwhile.
        try writer.withLock { (_) throws(StoreError) in
            _ = try committed()
            try StoreFiles(directory: directory).keyFile.write(keys, for: [key])
        }
    }

    /// Re-encrypts all files of a closed store with new keys, or adds or removes the encryption.
    ///
    /// Each file is replaced atomically. After an interrupted call, the store can be opened with
    /// the new key, ``OpeningReport/isReencryptionUnfinished`` is true, and repeating the call with
    /// the same keys resumes the work: store the new key before the call. Damaged parts of files
    /// stay damaged. An outbox item fails if the copy of its outgoing file cannot be read. The
    /// downloaded files are removed.
    ///
    /// Copies of the old files that the file system or the disk keeps can still be decrypted with
    /// the old keys.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store; a missing one has no effect.
    ///   - old: The current key; `nil` if the store is not encrypted.
    ///   - new: The new key; `nil` to remove the encryption. If it equals the old one, it also
    ///     opens earlier copies of the key file, which another program may put back.
    ///   - progress: A closure that is called on this thread with the progress from 0 to 1.
    /// - Throws: `wrongKey`, `locked` or `newerSchema`, in which case nothing was changed;
    ///   `corruption` if the key file is damaged; `permission`, `noSpace` or `io`.
    /// - Complexity: Reads and writes all files. Needs disk space for a copy of the largest file.
    public static func reencrypt(
        at directory: URL, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) {
        try reencrypt(at: directory, from: old, to: new, on: .disk(), progress: progress)
    }

    /// Throws `wrongKey` for a store that accepts unencrypted files, unless `allowsPlainFiles`.
    package static func reencrypt(
        at directory: URL, from old: EncryptionKey?, to new: EncryptionKey?,
        allowsPlainFiles: Bool = true, on disk: LevelDB.Environment,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        try files.checkVersion(for: .current)
        guard files.exist else { return }
        guard try files.checkReencryption(from: old, to: new) else { return progress(1) }
        try files.prepareLocks()
        try files.withLocks(in: disk) { () throws(StoreError) in
            try files.removeUnfinished()
            try files.caches.removeReplaced()
            try DiskFile.removeAll(at: files.downloads)
            let keys = try files.keyFile.beginExchange(
                from: old, to: new, allowsPlainFiles: allowsPlainFiles)
            try files.reencrypt(with: keys, for: new, on: disk, progress)
        }
    }
}

extension StoreFiles {
    fileprivate func checkReencryption(
        from old: EncryptionKey?, to new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        // This throws if the store is encrypted although its key file is missing.
        if try !keyFile.exists() { _ = try unlock(nil, isCreating: false) }
        return try keyFile.checkExchange(from: old, to: new)
    }

    fileprivate func reencrypt(
        with keys: DataKeys, for new: EncryptionKey?, on disk: LevelDB.Environment,
        _ progress: (Double) -> Void
    ) throws(StoreError) {
        let files = try sealedFiles()
        let total = max(1, files.reduce(0.0) { $0 + Double($1.size) })
        var done = 0.0
        progress(0)
        for file in files {
            do throws(StoreError) {
                try disk.sealed(by: keys, as: file.database).reseal(file.path)
            } catch {
                // An unreadable copy makes only its outbox item fail.
                guard file.database == OutboxFiles.name, !StoreFiles.isReadable(file.path) else {
                    throw error
                }
            }
            done += Double(file.size)
            progress(min(done / total, 1))
        }
        // Meanwhile, other processes may write to the push inbox with the old or the new key.
        try PushInboxFiles(in: directory).reseal(keys) { () throws(StoreError) in
            try keyFile.finishExchange(keys, for: new)
        }
        progress(1)
    }

    static func isReadable(_ path: String) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        do throws(StoreError) {
            guard let file = try DiskFile(reading: path) else { return false }
            while try file.read(into: &buffer) > 0 {}
            return true
        } catch {
            return error.code == .permission
        }
    }

    fileprivate func removeUnfinished() throws(StoreError) {
        for path in [repaired, salvaged + DiskFile.unfinished] {
            try DiskFile.removeAll(at: path)
        }
        for name in try DiskFile.names(in: directory.path)
        where name.hasPrefix(StoreFiles.copyPrefix) && name.hasSuffix(DiskFile.unfinished) {
            try DiskFile.removeAll(at: directory.appending(path: name).path)
        }
        for directory in try sealedDirectories() {
            for name in try DiskFile.names(in: directory.path)
            where name.hasSuffix(SCROLLBACK_RESEALED_SUFFIX) {
                try DiskFile.remove(directory.path + "/" + name)
            }
        }
    }

    private func sealedDirectories() throws(StoreError) -> [(path: String, name: String)] {
        [(cache, cacheDatabase), (outbox, StoreFiles.outboxName), (files, OutboxFiles.name)]
            + (try outboxCopies().map { ($0, StoreFiles.outboxName) })
    }

    private func sealedFiles() throws(StoreError) -> [(path: String, database: String, size: Int)] {
        var files: [(path: String, database: String, size: Int)] = []
        for (path, database) in try sealedDirectories() {
            for name in try DiskFile.names(in: path).sorted() where name != DatabaseFiles.lock {
                var status = stat()
                guard lstat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG
                else { continue }
                files.append((path + "/" + name, database, Int(status.st_size)))
            }
        }
        return files
    }
}
