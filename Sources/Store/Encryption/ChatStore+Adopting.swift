package import Foundation
package import Models

extension ChatStore {
    /// Encrypts an unencrypted store that no process has open, renames its directory, and returns
    /// its outbox items.
    ///
    /// Another program may have written the store. Therefore, pending items fail with
    /// ``/Models/ErrorCode/needsConfirmation``, and only the outbox's copies of files can be
    /// uploaded, not their paths. Links and special files are `corruption`. Repeating an
    /// interrupted call resumes the work.
    package static func adopt(
        at directory: URL, with key: EncryptionKey, movingTo new: URL
    ) throws(StoreError) -> [OutboxItem] {
        let files = StoreFiles(directory: directory)
        try files.checkContainsOnlyFiles()
        let keyFile = KeyFile(in: directory.withoutSlash, of: new.withoutSlash)
        // An earlier call may have been interrupted before it renamed the directory.
        let isReady =
            if try keyFile.exists() { try keyFile.isOpened(byOneOf: [key]) } else { false }
        if isReady {
            try DiskFile.move(directory.withoutSlash, to: new.withoutSlash)
            return try outboxItems(at: new, key)
        }
        try reencrypt(at: directory, from: nil, to: key, on: .disk(), holdsItems: true)
        let items = try outboxItems(at: directory, key)
        try keyFile.write(try files.keyFile.keys(key), for: [key])
        try DiskFile.move(directory.withoutSlash, to: new.withoutSlash)
        return items
    }

    /// Whether a store is encrypted, even if its key file is missing.
    package static func isEncrypted(at directory: URL) throws(StoreError) -> Bool {
        let files = StoreFiles(directory: directory)
        if try files.keyFile.exists() { return true }
        return try files.hasSealedFiles()
    }

    private static func outboxItems(
        at directory: URL, _ key: EncryptionKey
    ) throws(StoreError) -> [OutboxItem] {
        let store = try ChatStore(at: directory, encryptionKey: key)
        defer { store.close() }
        return try store.outboxItems()
    }
}

extension StoreFiles {
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
