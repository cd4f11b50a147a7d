import Crypto

/// The lines of a file, one after the other, in memory that does not grow with the file.
struct LineReader: ~Copyable {
    /// The most bytes that a line may have, the one that ends it not counted.
    static let maximumSize = 16 << 20

    enum Line {
        /// A line without the byte that ended it.
        case whole([UInt8])
        /// The end of the file, inside of a line.
        case cut
        /// A line of more than ``maximumSize``, which was not kept.
        case tooLong
    }

    /// What the first line says of those after it.
    private enum Form {
        case unread, plain
        /// Without a key, none of them can be read.
        case sealed(SymmetricKey?)
    }

    private let file: OpenFile
    private let cipher: (LineCipher, name: String)?
    private var form = Form.unread
    private var sealedLines = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var unread = 0..<0

    /// Reads a file; `cipher` has what the lines are encrypted with, if they are, and the file's name.
    init(_ file: consuming OpenFile, _ cipher: (LineCipher, name: String)? = nil) {
        self.file = file
        self.cipher = cipher
    }

    /// Returns the next line; `nil` behind the last one.
    ///
    /// An encrypted one that is not what was written there is an empty one, which none is.
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

    /// Returns all that is left, to be written anew: what was damaged is damage then, too.
    mutating func text() throws(StoreError) -> [UInt8] {
        var text: [UInt8] = []
        while let line = try next() {
            // No record has an empty line, and the header tells how many lines there were.
            if case .cut = line { continue }
            if case .whole(let bytes) = line { text += bytes }
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// The most bytes of a line as it is in the file.
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
