import Foundation

/// The files of a database on disk, as far as we look at them ourselves.
struct DatabaseFiles {
    private let directory: String

    init(_ directory: String) { self.directory = directory }

    /// Makes sure that LevelDB does not take damaged files for none, and begin anew over them.
    func checkNoneIsMissing() throws(StoreError) {
        let current = directory + "/CURRENT"
        if access(current, F_OK) == 0 { return }
        guard errno == ENOENT else {
            throw StoreError(errno: errno, doing: "open", path: current)
        }
        guard let listing = opendir(directory) else {
            if errno == ENOENT { return }
            throw StoreError(errno: errno, doing: "open", path: directory)
        }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // A manifest alone is what an opening leaves that could not finish the first files.
            if name.hasSuffix(".ldb") || name.hasSuffix(".sst") || name.hasSuffix(".log") {
                throw StoreError(
                    .corruption, "the file CURRENT is missing among the others", path: directory)
            }
        }
    }

    /// Writes a file beside the others, as large as what opening them writes, and removes it.
    func checkTheyCanBeWritten() throws(StoreError) {
        let path = directory + "/probe"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw StoreError(errno: errno, doing: "write", path: path) }
        defer {
            close(file)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 0, count: 64 << 10)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw StoreError(errno: errno, doing: "write", path: path)
        }
    }
}
