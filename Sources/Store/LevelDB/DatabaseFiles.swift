import Foundation

/// The files of a database on disk, for operations without LevelDB.
struct DatabaseFiles {
    /// LevelDB's name of the file that is locked while the database is open.
    static let lock = "LOCK"

    private let directory: String

    init(_ directory: String) { self.directory = directory }

    /// Checks that no file is missing, and that no file has a number that LevelDB never reaches.
    ///
    /// Otherwise, LevelDB would treat a database with missing files as a new one and overwrite it.
    /// It would count on from the great number, and stop the process when the number overflows.
    func checkNames() throws(StoreError) {
        if let name = try names().first(where: DatabaseFiles.hasForgedNumber) {
            throw StoreError(
                .corruption, "the number of the file is too great", path: "\(directory)/\(name)")
        }
        let current = directory + "/CURRENT"
        if access(current, F_OK) == 0 { return }
        guard errno == ENOENT else {
            throw StoreError(errno: errno, doing: "open the file", path: current)
        }
        // If a crash interrupted the creation of the database, only a manifest may exist. Missing
        // files are an error only if there are rows.
        if try hasRows() {
            throw StoreError(
                .corruption, "the file CURRENT of the database is missing", path: directory)
        }
    }

    private static func hasForgedNumber(_ name: String) -> Bool {
        let manifest = "MANIFEST-"
        let rest = name.hasPrefix(manifest) ? name.dropFirst(manifest.count) : name[...]
        // LevelDB ignores a file whose number does not fit in 64 bits.
        return UInt64(rest.prefix { $0.isASCII && $0.isNumber }).map { $0 >> 63 != 0 } ?? false
    }

    /// Checks that no file of the database is left after its removal.
    ///
    /// LevelDB itself reports no error if it cannot read the directory.
    func checkAllAreGone() throws(StoreError) {
        if try hasRows() {
            throw StoreError(.io, "the files of the database cannot be removed", path: directory)
        }
    }

    private func hasRows() throws(StoreError) -> Bool {
        try names().contains { name in
            [".ldb", ".sst", ".log"].contains(where: name.hasSuffix)
        }
    }

    /// Copies the files into a new directory, durably, except files with forged numbers.
    ///
    /// The lock file is not copied, because opening and closing it would release the lock of this
    /// process.
    func copy(to path: String) throws(StoreError) {
        try DiskFile.createDirectory(path)
        for name in try names()
        where name != DatabaseFiles.lock && !DatabaseFiles.hasForgedNumber(name) {
            let (file, copy) = ("\(directory)/\(name)", "\(path)/\(name)")
            var status = stat()
            guard lstat(file, &status) == 0 else {
                throw StoreError(errno: errno, doing: "read the attributes of the file", path: file)
            }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            do {
                try FileManager.default.copyItem(atPath: file, toPath: copy)
            } catch {
                throw StoreError(system: error, doing: "copy the file", path: file)
            }
            try DiskFile(reading: copy)?.sync()
        }
        try DiskFile(directory: path).sync()
    }

    /// Overwrites the damaged parts of the logs with fragments of a kind that LevelDB skips.
    ///
    /// Without these fragments, LevelDB would skip the rest of a block of 32 KiB after a record
    /// with a wrong checksum.
    func bridgeDamage(in environment: LevelDB.Environment) throws(StoreError) {
        for path in try logs() {
            var bytes = try environment.contents(of: path)
            let damaged = LogParts(bytes).damaged
            guard !damaged.isEmpty else { continue }
            for range in damaged { LogParts.bridge(range, in: &bytes) }
            try environment.replaceContents(of: path, by: bytes)
        }
    }

    /// Returns the paths of the logs, oldest first, without links and special files.
    func logs() throws(StoreError) -> [String] {
        try names().filter { $0.hasSuffix(".log") }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
            .map { "\(directory)/\($0)" }
            .filter { path in
                var status = stat()
                return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            }
    }

    /// Checks that the disk has space for the files that opening the database may write, by writing
    /// and removing a file of that size.
    func checkTheyCanBeWritten() throws(StoreError) {
        // Opening may write the content of the logs to tables, which are at most as large as the
        // logs. It also writes a manifest and a new log, which are assumed to fit into 64 KiB.
        var left = 64 << 10
        for name in try names() where name.hasSuffix(".log") {
            var status = stat()
            // If LevelDB has removed the file since, it needs no space.
            if stat("\(directory)/\(name)", &status) == 0 { left += Int(status.st_size) }
        }
        let path = directory + "/probe"
        try DiskFile.remove(path)
        let probe = try DiskFile(creating: path)
        // If the file cannot be removed, the next call removes it.
        defer { unlink(path) }
        let bytes = [UInt8](repeating: 0, count: 64 << 10)
        while left > 0 {
            try probe.write(left < bytes.count ? Array(bytes.prefix(left)) : bytes)
            left -= bytes.count
        }
        try probe.sync()
    }

    /// Returns the total size of the files in bytes.
    func size() throws(StoreError) -> Int {
        var size = 0
        for name in try names() {
            var status = stat()
            // If LevelDB has removed the file since, it takes no space.
            if stat("\(directory)/\(name)", &status) == 0 { size += Int(status.st_size) }
        }
        return size
    }

    /// Returns the names of the files; empty if the directory does not exist.
    private func names() throws(StoreError) -> [String] { try DiskFile.names(in: directory) }
}
