import CLevelDBEnvironment
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

    /// Makes each record of a log that does not have its checksum one that LevelDB cannot take for
    /// one.
    ///
    /// CLevelDBEnvironment.h says how they lie there.
    func spoilDamagedRecords(in environment: LevelDB.Environment) throws(StoreError) {
        for name in try names() where name.hasSuffix(".log") {
            let path = "\(directory)/\(name)"
            if environment.isSealed {
                try environment.edit(path) { bytes, count in
                    let bytes = UnsafeMutableRawBufferPointer(start: bytes, count: count)
                    var copy = Array(bytes)
                    if DatabaseFiles.spoilDamagedRecords(in: &copy) { bytes.copyBytes(from: copy) }
                }
                continue
            }
            do {
                let file = URL(filePath: path)
                var bytes = [UInt8](try Data(contentsOf: file))
                guard DatabaseFiles.spoilDamagedRecords(in: &bytes) else { continue }
                try Data(bytes).write(to: file)
            } catch {
                throw StoreError(system: error, doing: "look through the log", path: path)
            }
        }
    }

    /// - Returns: Whether there was one.
    private static func spoilDamagedRecords(in bytes: inout [UInt8]) -> Bool {
        var hasChanged = false
        let blockSize = Int(scrollback_log_block_size)
        let headerSize = Int(scrollback_log_header_size)
        for block in stride(from: 0, to: bytes.count, by: blockSize) {
            let end = min(block + blockSize, bytes.count)
            var header = block
            while header + headerSize <= end {
                let size = Int(bytes[header + 4]) + Int(bytes[header + 5]) << 8
                let next = header + headerSize + size
                // LevelDB itself drops what does not fit.
                guard next <= end else { break }
                let checksum = bytes[header + 6..<next].withUnsafeBytes {
                    scrollback_log_checksum($0.baseAddress!, $0.count)
                }
                let stored = (0..<4).reduce(0) { $0 | UInt32(bytes[header + $1]) << (8 * $1) }
                if checksum != stored {
                    // No kind that there is.
                    bytes[header + 6] = 0xFF
                    hasChanged = true
                }
                header = next
            }
        }
        return hasChanged
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
