package import Foundation

extension ChatStore {
    /// Removes a closed store with all files in its directory.
    ///
    /// The directory is renamed first, so other processes find the whole store or none. After an
    /// interrupted call, ``finishRemovals(in:)`` removes the rest.
    package static func removeFiles(at directory: URL) throws(StoreError) {
        try DiskFile.removeAll(at: removedPath(of: directory))
        guard access(directory.path, F_OK) == 0 else { return }
        let removed = removedPath(of: directory)
        try DiskFile.move(directory.path, to: removed)
        if StoreFiles.isLink(removed) { return try DiskFile.remove(removed) }
        // Without the keys, the remaining files cannot be decrypted.
        try DiskFile.remove(KeyFile(in: removed).path)
        try DiskFile.removeAll(at: removed)
    }

    /// Removes the cache and the push inbox of a closed store, without its encryption key.
    package static func removeCachedData(at directory: URL) throws(StoreError) {
        try removeCache(at: directory)
        try PushInboxFiles(in: directory).removeBox()
    }

    package static func checkIsNoLink(at directory: URL) throws(StoreError) {
        try StoreFiles.checkIsNoLink(directory.withoutSlash)
    }

    /// Completes interrupted calls of ``removeFiles(at:)``.
    package static func finishRemovals(in directory: URL) throws(StoreError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasSuffix(removedSuffix) {
            try DiskFile.removeAll(at: directory.appending(path: name).path)
        }
    }

    /// Names of users' directories never have this suffix.
    private static let removedSuffix = ".removed"

    private static func removedPath(of directory: URL) -> String {
        directory.withoutSlash + removedSuffix
    }
}

extension URL {
    var withoutSlash: String {
        let path = path
        return path.last == "/" && path.count > 1 ? String(path.dropLast()) : path
    }
}
