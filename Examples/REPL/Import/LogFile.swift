import Foundation

/// A file of lines, plain or gzipped, read a piece at a time.
///
/// It is for one thread.
package final class LogFile {
    /// How many bytes there are when it is not gzipped; nearly right for larger files than four gigabytes.
    let size: Int

    /// The most bytes that a line may have.
    static let longestLine = 16 << 20

    /// How many bytes were read.
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
        // Its last four bytes are how many there were; what is shorter, gzip refuses.
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

    /// Ends reading, also in the middle.
    package func close() {
        // What cannot be closed is closed already.
        try? handle.close()
        process?.terminate()
        process?.waitUntilExit()
    }

    /// Calls a closure with some whole lines, without their ends; returns whether there are more.
    ///
    /// A line of more than ``longestLine`` is an error, since it would have to be in memory as a whole.
    package func readLines(_ body: (UnsafeBufferPointer<UInt8>) -> Void) throws -> Bool {
        guard !hasEnded else { return false }
        let piece = try handle.read(upToCount: 1 << 20) ?? Data()
        offset += piece.count
        rest.append(contentsOf: piece)
        hasEnded = piece.isEmpty
        if hasEnded, let process {
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw CommandError.failed(
                    "the file is no whole gzip file: what came before is there")
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
                "a line has more than \(LogFile.longestLine >> 20) MiB: what came before is there")
        }
        return !hasEnded
    }
}
