import Foundation
import Models

extension StoreFiles {
    var keyFile: KeyFile { KeyFile(in: directory.path) }

    /// Returns the keys of the files; `nil` if these are not encrypted.
    ///
    /// If no store exists yet, `isCreating` creates keys. A missing key file of an encrypted store
    /// is `corruption`.
    func unlock(_ key: EncryptionKey?, isCreating: Bool) throws(StoreError) -> DataKeys? {
        if try keyFile.exists() {
            guard let key else {
                throw StoreError(
                    .wrongKey, "the store is encrypted: pass its key",
                    path: directory.path)
            }
            return try storedKeys(key)
        }
        if try hasSealedFiles() {
            throw StoreError(
                .corruption,
                "the store is encrypted, and the file with its data keys is missing or empty: restore "
                    + "the file from a backup, or remove the directory with its unsent messages",
                path: keyFile.path)
        }
        guard let key else { return nil }
        if try hasFiles() {
            throw StoreError(
                .wrongKey,
                "the store is not encrypted: encrypt it with ChatStore.reencrypt(at:from:to:)",
                path: directory.path)
        }
        return isCreating ? try makeKeys(for: key) : nil
    }

    /// Another process may just have created the keys of the new store.
    private func makeKeys(for key: EncryptionKey) throws(StoreError) -> DataKeys {
        try makeDirectory()
        let keys = DataKeys()
        var isOurs = false
        // The lock protects the keys of a store that another process has open.
        try LevelDB.Environment.disk().withLock(of: outbox) { () throws(StoreError) in
            if try keyFile.exists() { return }
            try keyFile.write(keys, for: [key])
            isOurs = true
        }
        return isOurs ? keys : try storedKeys(key)
    }

    private func storedKeys(_ key: EncryptionKey) throws(StoreError) -> DataKeys {
        let keys = try keyFile.keys(key)
        if !allowsPlainFiles, keys.readsPlain { throw .acceptsPlainFiles(at: keyFile.path) }
        return keys
    }

    private func hasFiles() throws(StoreError) -> Bool {
        if access(version, F_OK) == 0 || access(salvaged, F_OK) == 0 { return true }
        for database in [cache, outbox] {
            let names = try DiskFile.names(in: database)
            if names.contains(where: { $0 != DatabaseFiles.lock }) { return true }
        }
        return false
    }

    func hasSealedFiles() throws(StoreError) -> Bool {
        let mark = Array("SBSEAL".utf8)
        for database in [cache, outbox] {
            guard let file = try DiskFile(reading: database + "/CURRENT") else { continue }
            var bytes = [UInt8](repeating: 0, count: mark.count)
            if try file.read(into: &bytes) == mark.count && bytes == mark { return true }
        }
        return false
    }
}
