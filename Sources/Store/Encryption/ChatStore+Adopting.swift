package import Foundation
package import Models

extension ChatStore {
    /// Writes an encrypted copy of the outbox of an unencrypted store and of the rows that are kept
    /// there, removes the unencrypted store, and returns the outbox items.
    ///
    /// Another program may have written the unencrypted store. Therefore, the cache and the push
    /// inbox are not copied: the server has their messages. Requests in the outbox are removed, all
    /// other items fail with ``/Models/ErrorCode/needsConfirmation``, and only the outbox's copies
    /// of files can be uploaded, not their paths. Links and special files are `corruption`. The
    /// call can be repeated after an interruption.
    package static func adopt(
        at plain: URL, with key: EncryptionKey, as new: URL, now: Timestamp
    ) throws(StoreError) -> [OutboxItem] {
        if try !isAdoptionUnfinished(at: new) {
            let files = StoreFiles(directory: plain)
            try files.checkContainsOnlyFiles()
            guard try !isEncrypted(at: plain) else {
                throw StoreError(
                    .wrongKey, "the unencrypted store has a key file or encrypted files",
                    path: plain.path)
            }
            try files.checkVersion(for: .current)
            try files.prepareLocks()
            try files.withLocks { () throws(StoreError) in
                let copy = StoreFiles(directory: plain.appending(path: "encrypted"))
                do throws(StoreError) {
                    try files.writeEncryptedCopy(to: copy, key, as: new, now)
                } catch {
                    // The next call removes a leftover copy.
                    try? DiskFile.removeAll(at: copy.directory.withoutSlash)
                    throw error
                }
                try adoptionMark(of: copy.directory).set()
                try DiskFile.move(copy.directory.withoutSlash, to: new.withoutSlash)
            }
        }
        let store = try ChatStore(at: new, encryptionKey: key, allowsPlainFiles: false)
        defer { store.close() }
        let items = try store.outboxItems()
        if access(plain.path, F_OK) == 0 {
            try StoreFiles(directory: plain).withLocks { () throws(StoreError) in
                try removeFiles(at: plain)
            }
        }
        try adoptionMark(of: new).remove()
        return items
    }

    /// Whether the unencrypted store of an encrypted one may still exist.
    package static func isAdoptionUnfinished(at new: URL) throws(StoreError) -> Bool {
        guard try adoptionMark(of: new).exists() else { return false }
        // Another program may have created the file alone.
        return try KeyFile(in: new.withoutSlash).exists()
    }

    private static func adoptionMark(of directory: URL) -> Mark {
        Mark(path: directory.appending(path: "ADOPTED").path)
    }

    /// Whether a store is encrypted, even if its key file is missing.
    package static func isEncrypted(at directory: URL) throws(StoreError) -> Bool {
        let files = StoreFiles(directory: directory)
        if try files.keyFile.exists() { return true }
        return try files.hasSealedFiles()
    }
}

extension StoreFiles {
    fileprivate func writeEncryptedCopy(
        to copy: StoreFiles, _ key: EncryptionKey, as new: URL, _ now: Timestamp
    ) throws(StoreError) {
        let path = copy.directory.withoutSlash
        try DiskFile.removeAll(at: path)
        try copy.makeDirectory()
        let keys = DataKeys()
        try KeyFile(in: path, of: new.withoutSlash).write(keys, for: [key])
        try writeHeldOutbox(to: copy.outbox, sealedBy: keys)
        let cache = try LevelDB(
            at: copy.cache, environment: .disk(keys, as: StoreFiles.cacheName))
        defer { cache.close() }
        try cache.setUpEmptyCache(replacedAt: now)
        // Only in memory, these keys also read files that are not encrypted yet.
        let reading = DataKeys(generation: keys.generation, readsPlain: true, keys: keys.keys)
        let environment = LevelDB.Environment.disk(reading, as: OutboxFiles.name)
        try DiskFile.createDirectory(copy.files)
        for name in try DiskFile.names(in: files) {
            let (old, new) = ("\(files)/\(name)", "\(copy.files)/\(name)")
            // An unreadable copy makes only its outbox item fail.
            guard StoreFiles.isReadable(old) else { continue }
            try DatabaseFiles.copy(old, to: new)
            try environment.reseal(new)
        }
        if let version = try storedVersion() { try copy.setVersion(version) }
    }

    /// Throws `corruption` for anything but directories and files with one name: through a link, a
    /// program could make this process read another file.
    fileprivate func checkContainsOnlyFiles() throws(StoreError) {
        let path = directory.withoutSlash
        let names: [String]
        do {
            names = try FileManager.default.subpathsOfDirectory(atPath: path)
        } catch {
            throw StoreError(system: error, doing: "list the files", path: path)
        }
        for path in [path] + names.map({ "\(path)/\($0)" }) {
            var status = stat()
            guard lstat(path, &status) == 0 else {
                throw StoreError(errno: errno, doing: "read the attributes of the file", path: path)
            }
            let isFile = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
            guard isFile || status.st_mode & S_IFMT == S_IFDIR else {
                throw StoreError(
                    .corruption, "a store contains no links and no special files: remove it",
                    path: path)
            }
        }
    }
}
