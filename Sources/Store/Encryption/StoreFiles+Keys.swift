import Foundation
import Models

extension StoreFiles {
    var keyFile: KeyFile { KeyFile(in: directory.path) }

    /// Returns the keys of the files, without changing the files.
    ///
    /// - Parameters:
    ///   - key: The app's key; `nil` for unencrypted files.
    ///   - isCreating: A Boolean value that indicates whether to create keys if no store exists
    ///     yet.
    /// - Returns: The keys; `nil` if the files are not encrypted.
    /// - Throws: `wrongKey`; `corruption` if the key file is damaged or missing.
    func unlock(_ key: EncryptionKey?, isCreating: Bool) throws(StoreError) -> DataKeys? {
        if try keyFile.exists() {
            guard let key else {
                throw StoreError(
                    .wrongKey, "the store is encrypted: pass its key",
                    path: directory.path)
            }
            return try keyFile.keys(key)
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

    /// Creates the keys of a new store, or returns those that another process has just created.
    private func makeKeys(for key: EncryptionKey) throws(StoreError) -> DataKeys {
        try makeDirectory()
        let keys = DataKeys()
        var isOurs = false
        // Hold the outbox's lock, so that the keys are not replaced while another process has the
        // store open.
        try LevelDB.Environment.disk().withLock(of: outbox) { () throws(StoreError) in
            if try keyFile.exists() { return }
            try keyFile.write(keys, for: [key])
            isOurs = true
        }
        return isOurs ? keys : try keyFile.keys(key)
    }

    /// Returns a Boolean value that indicates whether the directory contains files of a store.
    private func hasFiles() throws(StoreError) -> Bool {
        if access(version, F_OK) == 0 || access(salvaged, F_OK) == 0 { return true }
        for database in [cache, outbox] {
            let names = try DiskFile.names(in: database)
            if names.contains(where: { $0 != DatabaseFiles.lock }) { return true }
        }
        return false
    }

    /// Returns a Boolean value that indicates whether the first file of a database is encrypted.
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
