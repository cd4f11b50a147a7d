package import Foundation

// Operations on stores that need not be open in this process.
extension ChatStore {
    /// Returns a Boolean value that indicates whether a directory contains a store.
    package static func isStore(at directory: URL) -> Bool {
        StoreFiles(directory: directory).exist
    }

    /// Returns the size of all files of a store in bytes; a process may have the store open.
    ///
    /// - Throws: ``StoreError`` with code `permission` or `io`.
    package static func byteCount(at directory: URL) throws(StoreError) -> Int {
        var count = 0
        do {
            for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
                let path = directory.appending(path: name).path
                var status = stat()
                // LevelDB may have removed the file since the directory was read.
                guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    continue
                }
                count += Int(status.st_size)
            }
        } catch {
            throw StoreError(system: error, doing: "list the files", path: directory.path)
        }
        return count
    }

    /// Throws `locked` if any process, including this one, has the store open.
    package static func checkIsNotOpen(at directory: URL) throws(StoreError) {
        let files = StoreFiles(directory: directory)
        guard access(files.outbox, F_OK) == 0 else { return }
        try LevelDB.Environment.disk().withLock(of: files.outbox) {}
    }
}
