import Foundation

/// A file of lines, plain or gzipped, which is read piece by piece.
///
/// A byte order mark at the start is skipped. Do not use a file on several threads at the same
/// time.
package final class LogFile {
    /// The size in bytes without compression; wrong for a gzipped file of more than four gigabytes,
    /// because gzip stores only 32 bits of it.
    let size: Int

    /// The maximum number of bytes of a line.
    static let longestLine = 16 << 20

    /// U+FEFF in UTF-8, with which some programs start their files.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The number of uncompressed bytes that were read so far.
    private(set) var offset = 0

    private let handle: FileHandle
    private let process: Process?
    private var rest: [UInt8] = []
    private var hasEnded = false

    /// Opens a file.
    package init(_ path: String) throws {
        let path = path.fromHome
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            !isDirectory.boolValue, let file = FileHandle(forReadingAtPath: path)
        else {
            throw CommandError.failed(
                isDirectory.boolValue
                    ? "'\(path)' is a directory: name a file in it"
                    : "there is no file '\(path)' that can be read")
        }
        let magic = try file.read(upToCount: 2) ?? Data()
        guard magic == Data([0x1F, 0x8B]) else {
            size = Int(try file.seekToEnd())
            try file.seek(toOffset: 0)
            handle = file
            process = nil
            return
        }
        // The last four bytes are the size without compression. gzip refuses shorter files.
        let end = try file.seekToEnd()
        try file.seek(toOffset: max(end, 4) - 4)
        size = try file.read(upToCount: 4)?.reversed().reduce(0) { $0 << 8 | Int($1) } ?? 0
        try file.close()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", "--", path]
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process
        handle = pipe.fileHandleForReading
    }

    /// Closes the file, even if it was not read to its end.
    package func close() {
        // Ignore the error: the file is already closed.
        try? handle.close()
        process?.terminate()
        process?.waitUntilExit()
    }

    /// Calls a closure with each of the next complete lines, without their line ends, and returns
    /// whether the file has more.
    ///
    /// A line of more than ``longestLine`` bytes is an error, because each line is held in memory.
    package func readLines(_ body: (UnsafeBufferPointer<UInt8>) -> Void) throws -> Bool {
        guard !hasEnded else { return false }
        let piece = try handle.read(upToCount: 1 << 20) ?? Data()
        let isBeginning = offset == 0
        offset += piece.count
        rest.append(contentsOf: piece)
        // At first, a pipe may deliver fewer bytes than a byte order mark has. Read more bytes.
        if isBeginning, rest.count < LogFile.byteOrderMark.count, !piece.isEmpty {
            let more = try handle.read(upToCount: LogFile.byteOrderMark.count) ?? Data()
            offset += more.count
            rest.append(contentsOf: more)
        }
        if isBeginning, rest.starts(with: LogFile.byteOrderMark) {
            rest.removeFirst(LogFile.byteOrderMark.count)
        }
        hasEnded = piece.isEmpty
        if hasEnded, let process {
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw CommandError.failed(
                    "the gzip file is truncated or corrupted: the lines before it were read")
            }
        }
        let consumed = rest.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count,
                let end = memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start)
            {
                let count = bytes.baseAddress!.distance(
                    to: end.assumingMemoryBound(to: UInt8.self))
                body(UnsafeBufferPointer(rebasing: bytes[start..<count]))
                start = count + 1
            }
            if hasEnded, start < bytes.count {
                body(UnsafeBufferPointer(rebasing: bytes[start...]))
                start = bytes.count
            }
            return start
        }
        rest.removeFirst(consumed)
        guard rest.count <= LogFile.longestLine else {
            throw CommandError.failed(
                "a line has more than \(LogFile.longestLine >> 20) MiB: the lines before it were read"
            )
        }
        return !hasEnded
    }
}
