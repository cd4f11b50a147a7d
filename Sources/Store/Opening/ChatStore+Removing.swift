package import Foundation

extension ChatStore {
    /// Removes a store that nobody has open, with all that lies in its directory.
    ///
    /// In one step for whoever opens it: from then on there is none. Where it ends before all files are gone,
    /// ``finishRemovals(in:)`` removes the rest.
    package static func removeFiles(at directory: URL) throws(StoreError) {
        try OpenFile.removeAll(at: removedPath(of: directory))
        guard access(directory.path, F_OK) == 0 else { return }
        let removed = removedPath(of: directory)
        try OpenFile.move(directory.path, to: removed)
        // First the keys, without which all else says nothing.
        try OpenFile.remove(KeyFile(in: removed).path)
        try OpenFile.removeAll(at: removed)
    }

    /// Removes what the server can give again from a store that nobody has open: its cache, and its push inbox.
    ///
    /// Needs no key. What the user wrote stays.
    ///
    /// - Throws: ``StoreError``, as ``rebuildCache(at:)`` does.
    package static func removeCachedData(at directory: URL) throws(StoreError) {
        try rebuildCache(at: directory)
        try DropFiles(in: directory).removeBox()
    }

    /// Removes what ``removeFiles(at:)`` has left of any of the stores that are side by side in a directory.
    package static func finishRemovals(in directory: URL) throws(StoreError) {
        // Where there is no directory, there is nothing to remove.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasSuffix(removedSuffix) {
            try OpenFile.removeAll(at: directory.appending(path: name).path)
        }
    }

    /// No directory of a user has a name with such an end.
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
