package import Foundation

extension ChatStore {
    package static func isStore(at directory: URL) -> Bool {
        StoreFiles(directory: directory).exist
    }

    /// Returns the size of all files of a store, which may be open, in bytes.
    package static func byteCount(at directory: URL) throws(StoreError) -> Int {
        try byteCount(in: directory.path, depth: 4)
    }

    private static func byteCount(in path: String, depth: Int) throws(StoreError) -> Int {
        var count = 0
        for name in try DiskFile.names(in: path) {
            let path = path + "/" + name
            var status = stat()
            // LevelDB may have removed the file.
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: count = count.saturating(adding: Int(status.st_size))
            case S_IFDIR where depth > 0:
                count = count.saturating(adding: try byteCount(in: path, depth: depth - 1))
            default: break
            }
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
