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
        // A manifest alone is what an opening leaves that could not finish the first files.
        if try names().contains(where: { name in
            [".ldb", ".sst", ".log"].contains(where: name.hasSuffix)
        }) {
            throw StoreError(
                .corruption, "the file CURRENT is missing among the others", path: directory)
        }
    }

    /// Writes a file beside the others, as large as what opening them may write, and removes it.
    func checkTheyCanBeWritten() throws(StoreError) {
        // The logs may become tables, which are no larger; the rest is for a manifest and a new log.
        var left = 64 << 10
        for name in try names() where name.hasSuffix(".log") {
            var status = stat()
            // One that is gone by now needs no space.
            if stat("\(directory)/\(name)", &status) == 0 { left += Int(status.st_size) }
        }
        let path = directory + "/probe"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw StoreError(errno: errno, doing: "write", path: path) }
        defer {
            close(file)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 0, count: 64 << 10)
        while left > 0 {
            // A disk that has less takes a part first, and says no to the rest.
            let count = write(file, bytes, min(left, bytes.count))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw StoreError(errno: errno, doing: "write", path: path) }
            left -= count
        }
        guard fsync(file) == 0 else {
            throw StoreError(errno: errno, doing: "write", path: path)
        }
    }

    /// The names of the files; none if there is no directory.
    private func names() throws(StoreError) -> [String] {
        guard let listing = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw StoreError(errno: errno, doing: "open", path: directory)
        }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
