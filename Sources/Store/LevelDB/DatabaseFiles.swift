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
        if try hasRows() {
            throw StoreError(
                .corruption, "the file CURRENT is missing among the others", path: directory)
        }
    }

    /// Makes sure that there is no database any more: LevelDB takes a directory that it cannot read
    /// for an empty one.
    func checkAllAreGone() throws(StoreError) {
        if try hasRows() {
            throw StoreError(.io, "files of the database cannot be removed", path: directory)
        }
    }

    private func hasRows() throws(StoreError) -> Bool {
        try names().contains { name in
            [".ldb", ".sst", ".log"].contains(where: name.hasSuffix)
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
        let probe = try OpenFile(replacing: path)
        // That it cannot be removed is no reason not to open: it is written over the next time.
        defer { unlink(path) }
        let bytes = [UInt8](repeating: 0, count: 64 << 10)
        while left > 0 {
            try probe.write(left < bytes.count ? Array(bytes.prefix(left)) : bytes)
            left -= bytes.count
        }
        try probe.sync()
    }

    /// How many bytes the files have.
    func size() throws(StoreError) -> Int {
        var size = 0
        for name in try names() {
            var status = stat()
            // One that is gone by now takes no space.
            if stat("\(directory)/\(name)", &status) == 0 { size += Int(status.st_size) }
        }
        return size
    }

    /// The names of the files; none if there is no directory.
    private func names() throws(StoreError) -> [String] { try OpenFile.names(in: directory) }
}
