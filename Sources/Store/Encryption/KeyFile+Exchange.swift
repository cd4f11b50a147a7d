import Foundation

// How files are sealed anew: the keys of before and after lie in one file until all are, so that
// they can be read with either key of the app wherever it ends.
extension KeyFile {
    /// Makes sure that it can be begun, or gone on with.
    ///
    /// - Returns: Whether anything is left to do.
    func checkExchange(
        from old: EncryptionKey?, to new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        if try exists() {
            let keys = try keys(old, new)
            // An earlier call came to its end, and nobody was told.
            return keys.isNew == false || keys.found.isUnfinished
        }
        // With an old key and no new one, that was the last step of an earlier call.
        guard old != nil else { return new != nil }
        guard new == nil else {
            throw StoreError(.wrongKey, "the files are not encrypted", path: path)
        }
        return false
    }

    /// Notes what the files will be sealed by beside what they are, so that both can be read.
    func beginExchange(
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

    /// Forgets what the files were sealed by before, now that none of them is.
    func finishExchange(_ keys: DataKeys, for new: EncryptionKey?) throws(StoreError) {
        if let new, let finished = keys.finished {
            try write(finished, for: [new])
        } else {
            try OpenFile.remove(path)
            try OpenFile.syncParent(of: path)
        }
    }

    /// What one of the keys opens, and whether it is not the old one.
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
            .wrongKey, "the files are encrypted, and no key was given", path: path)
    }

    /// Whether both keys open the file: an earlier call had the same ones.
    private func areBothKnown(
        _ old: EncryptionKey?, _ new: EncryptionKey?
    ) throws(StoreError) -> Bool {
        for key in [old, new].compactMap(\.self) {
            do throws(StoreError) {
                _ = try keys(key)
            } catch {
                if error.code == .wrongKey { return false }
                throw error
            }
        }
        return true
    }
}

// MARK: Several directories

extension KeyFile {
    /// The names of the directories in a directory that have a file of keys, in order.
    package static func directories(in path: String) throws(StoreError) -> [String] {
        try OpenFile.names(in: path).sorted().filter {
            access("\(path)/\($0)/\(name)", F_OK) == 0
        }
    }

    /// Whether one of some keys of the app opens the file.
    package func isOpened(byOneOf appKeys: [EncryptionKey]) throws(StoreError) -> Bool {
        try dataKeys(appKeys) != nil
    }

    /// Has the file open with other keys of the app, if one of some opens it now.
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
