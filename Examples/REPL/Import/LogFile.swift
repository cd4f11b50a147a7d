import Foundation

/// The bytes of a log, plain or gzipped, read piece by piece.
final class LogFile {
    let path: String

    /// The size of a plain file.
    let byteCount: Int?

    private(set) var readCount = 0
    private let stream: UnsafeMutablePointer<FILE>
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var isClosed = false

    init(_ path: String) throws {
        self.path = path
        guard let file = fopen(path, "r") else {
            throw CommandError.failed("there is no file '\(path)' that can be read")
        }
        var head: [UInt8] = [0, 0, 0]
        let count = fread(&head, 1, head.count, file)
        guard head[0] == 0x1F, head[1] == 0x8B, count >= 2 else {
            // Skip U+FEFF at the start.
            fseek(file, head == [0xEF, 0xBB, 0xBF] ? 3 : 0, SEEK_SET)
            var status = stat()
            fstat(fileno(file), &status)
            (stream, byteCount) = (file, Int(status.st_size))
            return
        }
        fclose(file)
        // `Process` traps if the process cannot open more files.
        guard let pipe = popen("exec gzip -dc < \(path.shellQuoted) 2>/dev/null", "r") else {
            let reason = String(cString: strerror(errno))
            throw CommandError.failed("gzip cannot be started for '\(path)': \(reason)")
        }
        (stream, byteCount) = (pipe, nil)
    }

    /// Returns the next bytes; empty at the end of the file.
    func next() throws -> ArraySlice<UInt8> {
        guard !isClosed else { return [] }
        let count = fread(&buffer, 1, buffer.count, stream)
        readCount += count
        guard count == 0 else { return buffer[..<count] }
        let hasFailed = ferror(stream) != 0
        guard close() == 0, !hasFailed else {
            throw CommandError.failed(
                byteCount == nil
                    ? "the gzip file '\(path)' is truncated or corrupted"
                    : "the file '\(path)' cannot be read")
        }
        return []
    }

    @discardableResult
    private func close() -> Int32 {
        isClosed = true
        return byteCount == nil ? pclose(stream) : fclose(stream)
    }

    deinit { if !isClosed { close() } }

    /// Returns the files of a path: itself or, for a directory, all regular files in and below it,
    /// by name.
    ///
    /// Links, which may lead elsewhere, and pipes and devices, which may never end, are skipped.
    static func paths(_ path: String) throws -> [String] {
        let files = FileManager.default
        var isDirectory: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue
        else { return [path] }
        let names = (files.enumerator(atPath: path)?.allObjects as? [String] ?? []).filter {
            var status = stat()
            return lstat("\(path)/\($0)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                && !$0.split(separator: "/").contains { $0.hasPrefix(".") }
        }
        guard !names.isEmpty else { throw CommandError.failed("'\(path)' has no files") }
        return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
            .map { "\(path)/\($0)" }
    }
}

extension String {
    /// The text in single quotes, as a shell's word.
    ///
    /// A shell reads bytes: a quote is escaped even if it forms one `Character` with a following
    /// accent.
    fileprivate var shellQuoted: String {
        let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map { String($0) }.joined(separator: #"'\''"#) + "'"
    }
}
