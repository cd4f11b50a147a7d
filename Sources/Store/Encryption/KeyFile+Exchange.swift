import Foundation

// Until all files are re-encrypted, the key file contains the old and the new data key, and each of
// the app's two keys decrypts it.
extension KeyFile {
    /// Returns whether anything is left to do, and throws if the keys do not match.
    func checkExchange(
        from old: EncryptionKey?, to new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        if try exists() {
            let keys = try keys(old, new)
            // Otherwise, the work is done.
            return keys.isNew == false || keys.found.isUnfinished
        }
        // Removing the encryption removes the file last.
        guard old != nil else { return new != nil }
        guard new == nil else {
            throw StoreError(
                .wrongKey, "the files are not encrypted: open them without a key", path: path)
        }
        return false
    }

    /// Adds the new data key, so that files with either data key can be read.
    ///
    /// The old key of the app does not decrypt it: a copy of this file must not be enough to read
    /// later data.
    package func beginExchange(
        from old: EncryptionKey?, to new: EncryptionKey?, allowsPlainFiles: Bool = true
    ) throws(StoreError) -> DataKeys {
        let found = try exists() ? keys(old, new).found : nil
        // Another program may have removed the file since the check, to have plain files accepted.
        guard old == nil || found != nil else {
            throw StoreError(.wrongKey, "the key file is missing", path: path)
        }
        if !allowsPlainFiles, found?.readsPlain ?? true { throw .acceptsPlainFiles(at: path) }
        if let found, found.isUnfinished, try areBothKnown(old, new),
            (new == nil) == (found.generation == DataKeys.plain)
        {
            return found
        }
        let keys = (found ?? .none).next(isPlain: new == nil)
        if let found, let old, let new {
            let current = Slot(keys: keys, isOutdated: false)
            try write([(current, new), (Slot(keys: found, isOutdated: true), old)])
        } else {
            try write(keys, for: [old, new].compactMap(\.self))
        }
        return keys
    }

    func finishExchange(_ keys: DataKeys, for new: EncryptionKey?) throws(StoreError) {
        if let new, let finished = keys.finished {
            try write(finished, for: [new])
        } else {
            try DiskFile.remove(path)
            try DiskFile.syncParent(of: path)
        }
    }

    /// Returns the data keys, and whether the new key of the app has decrypted them.
    private func keys(
        _ old: EncryptionKey?, _ new: EncryptionKey?
    ) throws(StoreError) -> (found: DataKeys, isNew: Bool) {
        if let old, let found = try dataKeys([old]) { return (found, false) }
        guard let key = new ?? old else {
            throw StoreError(.wrongKey, "the files are encrypted: pass their key", path: path)
        }
        return (try keys(key), true)
    }

    /// If both keys decrypt the file, an earlier call was started with them.
    private func areBothKnown(
        _ old: EncryptionKey?, _ new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        for key in [old, new].compactMap(\.self) {
            if try first(of: [key], slot(of:)) == nil { return false }
        }
        return true
    }
}

// MARK: Several directories

extension KeyFile {
    package static func directories(in path: String) throws(StoreError) -> [String] {
        try DiskFile.names(in: path).sorted().filter {
            access("\(path)/\($0)/\(name)", F_OK) == 0 && !StoreFiles.isLink("\(path)/\($0)")
        }
    }

    package func isOpened(byOneOf appKeys: [EncryptionKey]) throws(StoreError) -> Bool {
        try dataKeys(appKeys) != nil
    }

    /// Whether one of the keys decrypts the file, and unencrypted files are accepted.
    package func acceptsPlainFiles(_ appKeys: [EncryptionKey]) throws(StoreError) -> Bool {
        guard let keys = try dataKeys(appKeys) else { return false }
        return keys.readsPlain
    }

    /// Writes the file for the keys `others`, if one of `appKeys` decrypts it now, and unencrypted
    /// files are not accepted.
    package func exchange(
        _ appKeys: [EncryptionKey], for others: [EncryptionKey]
    ) throws(StoreError) {
        if let keys = try dataKeys(appKeys), !keys.readsPlain { try write(keys, for: others) }
    }

    private func dataKeys(_ appKeys: [EncryptionKey]) throws(StoreError) -> DataKeys? {
        try first(of: appKeys, keys(_:))
    }

    /// Returns what is read with the first key that is not a wrong one; `nil` if all are.
    private func first<Value>(
        of appKeys: [EncryptionKey], _ read: (EncryptionKey) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        for key in appKeys {
            do throws(StoreError) {
                return try read(key)
            } catch {
                guard error.code == .wrongKey else { throw error }
            }
        }
        return nil
    }
}

extension StoreError {
    /// The error for a key file that lets the app read unencrypted files, which another program may
    /// have written.
    package static func acceptsPlainFiles(at path: String) -> StoreError {
        StoreError(
            .wrongKey,
            "the key file accepts unencrypted files: finish ChatStore.reencrypt(at:from:to:)",
            path: path)
    }
}
