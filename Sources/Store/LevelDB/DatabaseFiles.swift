import Foundation

struct DatabaseFiles {
    static let lock = "LOCK"

    private let directory: String

    init(_ directory: String) { self.directory = directory }

    /// Checks that no file is missing, because LevelDB would overwrite the database as a new one.
    ///
    /// A number that LevelDB never reaches is also an error: LevelDB would stop the process when it
    /// overflows.
    func checkNames() throws(StoreError) {
        if let name = try names().first(where: { DatabaseFiles.number(of: $0) >> 63 != 0 }) {
            throw StoreError(
                .corruption, "the number of the file is too great", path: "\(directory)/\(name)")
        }
        let current = directory + "/CURRENT"
        if access(current, F_OK) == 0 { return }
        guard errno == ENOENT else {
            throw StoreError(errno: errno, doing: "open the file", path: current)
        }
        // After a crash during the creation, only a manifest may exist.
        if try hasRows() {
            throw StoreError(
                .corruption, "the file CURRENT of the database is missing", path: directory)
        }
    }

    /// Returns 0 for a file without a number, or one that does not fit in 64 bits: LevelDB ignores
    /// it.
    private static func number(of name: String) -> UInt64 {
        let manifest = "MANIFEST-"
        let rest = name.hasPrefix(manifest) ? name.dropFirst(manifest.count) : name[...]
        return UInt64(rest.prefix { $0.isASCII && $0.isNumber }) ?? 0
    }

    /// Checks a removed database, because LevelDB reports no error if it cannot read the directory.
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

    /// Copies the files durably, except those with forged numbers, and the lock file: closing it
    /// would release the lock of this process.
    ///
    /// LevelDB's repair counts on from the greatest number, which must stay below the limit.
    func copy(to path: String) throws(StoreError) {
        try DiskFile.createDirectory(path)
        for name in try names()
        where name != DatabaseFiles.lock && DatabaseFiles.number(of: name) >> 62 == 0 {
            let (file, copy) = ("\(directory)/\(name)", "\(path)/\(name)")
            var status = stat()
            guard lstat(file, &status) == 0 else {
                throw StoreError(errno: errno, doing: "read the attributes of the file", path: file)
            }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            try DatabaseFiles.copy(file, to: copy)
        }
        try DiskFile(directory: path).sync()
    }

    static func copy(_ file: String, to copy: String) throws(StoreError) {
        do {
            try FileManager.default.copyItem(atPath: file, toPath: copy)
        } catch {
            throw StoreError(system: error, doing: "copy the file", path: file)
        }
        try DiskFile(reading: copy)?.sync()
    }

    /// Replaces damaged parts of the logs by fragments that LevelDB skips, because after a wrong
    /// checksum, it would skip the rest of the block.
    func bridgeDamage(in environment: LevelDB.Environment) throws(StoreError) {
        for path in try logs() {
            var bytes = try environment.contents(of: path)
            let damaged = LogParts(bytes).damaged
            guard !damaged.isEmpty else { continue }
            for range in damaged { LogParts.bridge(range, in: &bytes) }
            try environment.replaceContents(of: path, by: bytes)
        }
    }

    func logs() throws(StoreError) -> [String] {
        try names().filter { $0.hasSuffix(".log") }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
            .map { "\(directory)/\($0)" }
            .filter { path in
                var status = stat()
                return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            }
    }

    /// Writes and removes a file of the size that opening the database may need.
    func checkTheyCanBeWritten() throws(StoreError) {
        let largestLog = 512 << 20
        // Opening may write the logs to tables, which are not larger. A manifest and a new log
        // should fit into 64 KiB.
        var left = 64 << 10
        for name in try names() where name.hasSuffix(".log") {
            var status = stat()
            // A larger file is not LevelDB's.
            if lstat("\(directory)/\(name)", &status) == 0 {
                left += min(Int(status.st_size), largestLog)
            }
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

    func size() throws(StoreError) -> Int {
        var size = 0
        for _ in 0..<10 {
            size = 0
            var isComplete = true
            for name in try names() {
                var status = stat()
                guard lstat("\(directory)/\(name)", &status) == 0 else {
                    isComplete = false
                    continue
                }
                if status.st_mode & S_IFMT == S_IFREG {
                    size = size.saturating(adding: Int(status.st_size))
                }
            }
            // LevelDB may have replaced a removed file by one that was not listed.
            if isComplete { break }
        }
        return size
    }

    private func names() throws(StoreError) -> [String] { try DiskFile.names(in: directory) }
}
