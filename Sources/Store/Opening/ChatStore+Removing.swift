package import Foundation

extension ChatStore {
    /// Removes a closed store with all files in its directory.
    ///
    /// The call renames the directory first, so other processes find either the whole store or no
    /// store. If the call is interrupted, ``finishRemovals(in:)`` removes the remaining files.
    package static func removeFiles(at directory: URL) throws(StoreError) {
        try DiskFile.removeAll(at: removedPath(of: directory))
        guard access(directory.path, F_OK) == 0 else { return }
        let removed = removedPath(of: directory)
        try DiskFile.move(directory.path, to: removed)
        if StoreFiles.isLink(removed) { return try DiskFile.remove(removed) }
        // Remove the keys first, because the remaining files cannot be decrypted without them.
        try DiskFile.remove(KeyFile(in: removed).path)
        try DiskFile.removeAll(at: removed)
    }

    /// Removes those data of a closed store that can be fetched again: the cache and the push
    /// inbox.
    ///
    /// The call keeps outbox items and needs no encryption key.
    ///
    /// - Throws: ``StoreError``, as ``removeCache(at:)`` does.
    package static func removeCachedData(at directory: URL) throws(StoreError) {
        try removeCache(at: directory)
        try PushInboxFiles(in: directory).removeBox()
    }

    /// Throws ``StoreError`` with code `io` if a link is in place of a directory.
    package static func checkIsNoLink(at directory: URL) throws(StoreError) {
        try StoreFiles.checkIsNoLink(directory.withoutSlash)
    }

    /// Completes the interrupted calls of ``removeFiles(at:)`` for stores in a directory.
    package static func finishRemovals(in directory: URL) throws(StoreError) {
        // Without the directory, there is nothing to remove.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasSuffix(removedSuffix) {
            try DiskFile.removeAll(at: directory.appending(path: name).path)
        }
    }

    /// A suffix that names of users' directories never have.
    private static let removedSuffix = ".removed"

    private static func removedPath(of directory: URL) -> String {
        directory.withoutSlash + removedSuffix
    }
}

extension URL {
    /// The path of a directory without a slash at its end.
    var withoutSlash: String {
        let path = path
        return path.last == "/" && path.count > 1 ? String(path.dropLast()) : path
    }
}
