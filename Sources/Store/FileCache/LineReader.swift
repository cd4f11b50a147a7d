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

    private let file: OpenFile
    private let cipher: (LineCipher, name: String)?
    private var key: SymmetricKey?
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
        if sealedLines == 0 {
            sealedLines = 1
            guard let head = try nextInFile() else { return nil }
            guard case .whole(let line) = head else { return head }
            key = cipher.key(line, name: name)
        }
        guard let line = try nextInFile() else { return nil }
        defer { sealedLines += 1 }
        guard case .whole(let sealed) = line else { return line }
        return .whole(
            key.flatMap { LineCipher.open(sealed, at: sealedLines - 1, with: $0) } ?? [])
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
