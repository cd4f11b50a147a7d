import Crypto

/// Reads a file line by line, with constant memory.
struct LineReader: ~Copyable {
    /// The maximum number of bytes of a line, without its terminator.
    static let maximumSize = 16 << 20

    enum Line {
        case whole([UInt8])
        case cut
        /// A line longer than ``maximumSize``, whose bytes were skipped.
        case tooLong
    }

    private enum Form {
        case unread, plain
        /// An unknown key is `nil`: no line can be decrypted.
        case sealed(SymmetricKey?)
    }

    private let file: DiskFile
    private let cipher: (LineCipher, name: String)?
    private var form = Form.unread
    private var sealedLines = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var unread = 0..<0

    init(_ file: consuming DiskFile, _ cipher: (LineCipher, name: String)? = nil) {
        self.file = file
        self.cipher = cipher
    }

    /// A corrupted line of an encrypted file is empty, which is never valid.
    mutating func next() throws(StoreError) -> Line? {
        guard let (cipher, name) = cipher else { return try nextInFile() }
        if case .unread = form {
            guard let first = try nextInFile() else { return nil }
            guard case .whole(let line) = first else {
                form = .sealed(nil)
                return first
            }
            guard LineCipher.isHead(line) || !cipher.readsPlain else {
                form = .plain
                return first
            }
            form = .sealed(cipher.key(line, name: name))
        }
        guard case .sealed(let key) = form else { return try nextInFile() }
        guard let line = try nextInFile() else { return nil }
        defer { sealedLines += 1 }
        guard case .whole(let sealed) = line else { return line }
        return .whole(key.flatMap { LineCipher.open(sealed, at: sealedLines, with: $0) } ?? [])
    }

    /// Returns the remaining text, including damaged lines.
    mutating func text() throws(StoreError) -> [UInt8] {
        var text: [UInt8] = []
        while let line = try next() {
            // Readers detect the missing line by the number of lines in the header.
            if case .cut = line { continue }
            if case .whole(let bytes) = line { text += bytes }
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// An encrypted line is longer than its text.
    private var limit: Int {
        cipher == nil ? Self.maximumSize : (Self.maximumSize + 64) / 3 * 4
    }

    private mutating func nextInFile() throws(StoreError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if unread.isEmpty {
                unread = 0..<(try file.read(into: &buffer))
                if unread.isEmpty { return line.isEmpty && !isTooLong ? nil : .cut }
            }
            let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = unread.lowerBound..<(end ?? unread.upperBound)
            isTooLong = isTooLong || line.count + part.count > limit
            if isTooLong { line = [] } else { line += buffer[part] }
            unread = (end.map { $0 + 1 } ?? part.upperBound)..<unread.upperBound
            if end != nil { return isTooLong ? .tooLong : .whole(line) }
        }
    }
}
