package import Foundation

extension ChatStore {
    /// Removes a closed store with all files in its directory.
    ///
    /// The directory is renamed first, so other processes find the whole store or none. After an
    /// interrupted call, ``finishRemovals(in:)`` removes the rest.
    package static func removeFiles(at directory: URL) throws(StoreError) {
        let (path, parent) = (directory.withoutSlash, directory.deletingLastPathComponent())
        try checkIsNoLink(at: parent)
        if access(path, F_OK) == 0 {
            // No other program can have created a directory of this name, which is never too long.
            let removed = "\(parent.withoutSlash)/\(UUID().uuidString)\(removedSuffix)"
            try DiskFile.move(path, to: removed)
            if StoreFiles.isLink(removed) {
                try DiskFile.remove(removed)
            } else {
                // Without the keys, the remaining files cannot be decrypted.
                try DiskFile.removeAll(at: KeyFile(in: removed).path)
                try DiskFile.removeAll(at: removed)
            }
        }
        try finishRemovals(in: parent)
    }

    /// Removes the cache, the downloaded files and the push inbox of a closed store, without its
    /// encryption key.
    package static func removeCachedData(at directory: URL) throws(StoreError) {
        try checkLeadsToNoLink(directory)
        try removeCache(at: directory)
        try DiskFile.removeAll(at: StoreFiles(directory: directory).downloads)
        try PushInboxFiles(in: directory).removeBox()
    }

    /// Throws `io` if a link, through which files elsewhere would be changed, is in place of a
    /// user's directory or of the directory of all users.
    static func checkLeadsToNoLink(_ directory: URL) throws(StoreError) {
        for path in [directory.deletingLastPathComponent(), directory] {
            try checkIsNoLink(at: path)
        }
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
}

extension URL {
    var withoutSlash: String {
        let path = path
        return path.last == "/" && path.count > 1 ? String(path.dropLast()) : path
    }
}
