import Foundation

/// The files of a database on disk, as far as we look at them ourselves.
struct DatabaseFiles {
    /// The file that an opening locks: LevelDB's name for it.
    static let lock = "LOCK"

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

    /// Copies the files into a new directory; when it returns, the copies are on the disk.
    ///
    /// All but the lock, which closing another opening of it would let go of.
    func copy(to path: String) throws(StoreError) {
        try OpenFile.createDirectory(path)
        for name in try names() where name != DatabaseFiles.lock {
            let (file, copy) = ("\(directory)/\(name)", "\(path)/\(name)")
            var status = stat()
            guard lstat(file, &status) == 0 else {
                throw StoreError(errno: errno, doing: "look at the file", path: file)
            }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            do {
                try FileManager.default.copyItem(atPath: file, toPath: copy)
            } catch {
                throw StoreError(system: error, doing: "copy", path: file)
            }
            try OpenFile(reading: copy)?.sync()
        }
        try OpenFile(directory: path).sync()
    }

    /// Replaces what is damaged in the logs by fragments of a kind that LevelDB skips.
    ///
    /// Without it, LevelDB drops the rest of a block of 32 KiB after a record whose checksum is wrong.
    func bridgeDamage(in environment: LevelDB.Environment) throws(StoreError) {
        for path in try logs() {
            var bytes = try environment.contents(of: path)
            let damaged = LogParts(bytes).damaged
            guard !damaged.isEmpty else { continue }
            for range in damaged { LogParts.bridge(range, in: &bytes) }
            try environment.replaceContents(of: path, by: bytes)
        }
    }

    /// The paths of the logs, oldest first.
    func logs() throws(StoreError) -> [String] {
        try names().filter { $0.hasSuffix(".log") }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
            .map { "\(directory)/\($0)" }
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
