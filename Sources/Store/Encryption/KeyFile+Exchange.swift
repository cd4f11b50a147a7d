import Foundation

// Re-encryption. Until all files are re-encrypted, the key file contains the old and the new data
// key, and can be decrypted with each of the app's two keys.
extension KeyFile {
    /// Checks that the re-encryption can be started or continued, and returns whether anything is
    /// left to do.
    func checkExchange(
        from old: EncryptionKey?, to new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        if try exists() {
            let keys = try keys(old, new)
            // Work remains if only the old key decrypts the file, or if a re-encryption is
            // unfinished. Otherwise, an earlier call has already done the work.
            return keys.isNew == false || keys.found.isUnfinished
        }
        // There is no key file. If an old key is given, an earlier call has already removed the
        // encryption: its last step removes the file.
        guard old != nil else { return new != nil }
        guard new == nil else {
            throw StoreError(
                .wrongKey, "the files are not encrypted: open them without a key", path: path)
        }
        return false
    }

    /// Adds the new data key to the key file, so that files with the old and with the new data key
    /// can be read.
    package func beginExchange(
        from old: EncryptionKey?, to new: EncryptionKey?
    ) throws(StoreError) -> DataKeys {
        let found = try exists() ? keys(old, new).found : nil
        if let found, found.isUnfinished, try areBothKnown(old, new),
            (new == nil) == (found.generation == DataKeys.plain)
        {
            return found
        }
        let keys = (found ?? .none).next(isPlain: new == nil)
        try write(keys, for: [old, new].compactMap(\.self))
        return keys
    }

    /// Removes the old data key from the file, after all files have been re-encrypted.
    func finishExchange(_ keys: DataKeys, for new: EncryptionKey?) throws(StoreError) {
        if let new, let finished = keys.finished {
            try write(finished, for: [new])
        } else {
            try DiskFile.remove(path)
            try DiskFile.syncParent(of: path)
        }
    }

    /// Returns the data keys, and whether the app's new key has decrypted them; otherwise, the old
    /// key has.
    private func keys(
        _ old: EncryptionKey?, _ new: EncryptionKey?
    ) throws(StoreError) -> (found: DataKeys, isNew: Bool) {
        let given = [old, new].compactMap(\.self)
        for (index, key) in given.enumerated() {
            do throws(StoreError) {
                return (try keys(key), index > 0 || old == nil)
            } catch {
                guard error.code == .wrongKey, index < given.count - 1 else { throw error }
            }
        }
        throw StoreError(
            .wrongKey, "the files are encrypted: pass their key", path: path)
    }

    /// Returns a Boolean value that indicates whether both keys decrypt the file.
    ///
    /// If so, an earlier call was started with the same keys.
    private func areBothKnown(
        _ old: EncryptionKey?, _ new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        for key in [old, new].compactMap(\.self) {
            if try dataKeys([key]) == nil { return false }
        }
        return true
    }
}

// MARK: Several directories

extension KeyFile {
    /// Returns the names of the subdirectories that contain a key file, sorted.
    package static func directories(in path: String) throws(StoreError) -> [String] {
        try DiskFile.names(in: path).sorted().filter {
            access("\(path)/\($0)/\(name)", F_OK) == 0 && !StoreFiles.isLink("\(path)/\($0)")
        }
    }

    /// Returns a Boolean value that indicates whether one of the app's keys decrypts the file.
    package func isOpened(byOneOf appKeys: [EncryptionKey]) throws(StoreError) -> Bool {
        try dataKeys(appKeys) != nil
    }

    /// Returns a Boolean value that indicates whether the key decrypts the file, and files that are
    /// not encrypted are accepted, too, because they are being encrypted or decrypted.
    package func acceptsPlainFiles(_ appKey: EncryptionKey) throws(StoreError) -> Bool {
        guard let keys = try dataKeys([appKey]) else { return false }
        return keys.readsPlain || keys.generation == DataKeys.plain
    }

    /// Writes the file again, so that the keys `others` decrypt it, if one of `appKeys` decrypts it
    /// now.
    package func exchange(
        _ appKeys: [EncryptionKey], for others: [EncryptionKey]
    ) throws(StoreError) {
        if let keys = try dataKeys(appKeys) { try write(keys, for: others) }
    }

    private func dataKeys(_ appKeys: [EncryptionKey]) throws(StoreError) -> DataKeys? {
        for key in appKeys {
            do throws(StoreError) {
                return try keys(key)
            } catch {
                guard error.code == .wrongKey else { throw error }
            }
        }
        return nil
    }
}
