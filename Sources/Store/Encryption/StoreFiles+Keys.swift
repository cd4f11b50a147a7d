import Foundation
import Models

extension StoreFiles {
    var keyFile: KeyFile { KeyFile(in: directory.path) }

    /// Finds out what the files are sealed by; nothing of what is there is touched.
    ///
    /// - Parameters:
    ///   - key: The app's key; `nil` for files that are plain.
    ///   - isCreating: Whether keys are made where there is no store yet.
    /// - Returns: The keys; `nil` if the files are plain.
    /// - Throws: `wrongKey`; `corruption` if the file of the keys is damaged or missing.
    func unlock(_ key: EncryptionKey?, isCreating: Bool) throws(StoreError) -> DataKeys? {
        if try keyFile.exists() {
            guard let key else {
                throw StoreError(
                    .wrongKey, "the store is encrypted, and no key was given",
                    path: directory.path)
            }
            return try keyFile.keys(key)
        }
        if try hasSealedFiles() {
            throw StoreError(
                .corruption, "the store is encrypted, and the file of its keys is missing",
                path: keyFile.path)
        }
        guard let key else { return nil }
        if try hasFiles() {
            throw StoreError(
                .wrongKey,
                "the store is not encrypted: ChatStore.reencrypt(at:from:to:) does it",
                path: directory.path)
        }
        return isCreating ? try makeKeys(for: key) : nil
    }

    /// Makes the keys of a new store, unless somebody else has done so meanwhile.
    private func makeKeys(for key: EncryptionKey) throws(StoreError) -> DataKeys {
        try makeDirectory()
        let keys = DataKeys()
        var isOurs = false
        // Whoever has the store open has it under keys that must not be replaced.
        try LevelDB.Environment.disk().withLock(of: outbox) { () throws(StoreError) in
            if try keyFile.exists() { return }
            try keyFile.write(keys, for: [key])
            isOurs = true
        }
        return isOurs ? keys : try keyFile.keys(key)
    }

    /// Whether there is a store, or what is left of one.
    private func hasFiles() throws(StoreError) -> Bool {
        if access(version, F_OK) == 0 || access(salvaged, F_OK) == 0 { return true }
        for database in [cache, outbox] {
            let names = try OpenFile.names(in: database)
            if names.contains(where: { $0 != DatabaseFiles.lock }) { return true }
        }
        return false
    }

    /// Whether a database begins with a file that is sealed.
    private func hasSealedFiles() throws(StoreError) -> Bool {
        let mark = Array("SBSEAL".utf8)
        for database in [cache, outbox] {
            guard let file = try OpenFile(reading: database + "/CURRENT") else { continue }
            var bytes = [UInt8](repeating: 0, count: mark.count)
            if try file.read(into: &bytes) == mark.count && bytes == mark { return true }
        }
        return false
    }
}
