package import Foundation

extension ChatStore {
    /// Removes a store that nobody has open, with all that lies in its directory.
    ///
    /// In one step for whoever opens it: from then on there is none. Where it ends before all files are gone,
    /// ``finishRemoval(at:)`` removes the rest.
    package static func removeFiles(at directory: URL) throws(StoreError) {
        try finishRemoval(at: directory)
        guard access(directory.path, F_OK) == 0 else { return }
        let removed = removedPath(of: directory)
        try OpenFile.move(directory.path, to: removed)
        // First the keys, without which all else says nothing.
        try OpenFile.remove(KeyFile(in: removed).path)
        try OpenFile.removeAll(at: removed)
    }

    /// Removes what ``removeFiles(at:)`` has left.
    package static func finishRemoval(at directory: URL) throws(StoreError) {
        let removed = removedPath(of: directory)
        if access(removed, F_OK) == 0 { try OpenFile.removeAll(at: removed) }
    }

    /// No directory of a user has such a name.
    private static func removedPath(of directory: URL) -> String {
        let path = directory.path
        return (path.last == "/" ? String(path.dropLast()) : path) + ".removed"
    }
}
