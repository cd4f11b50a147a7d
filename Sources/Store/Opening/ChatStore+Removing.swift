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
        let path = directory.path
        return (path.last == "/" ? String(path.dropLast()) : path) + removedSuffix
    }
}
