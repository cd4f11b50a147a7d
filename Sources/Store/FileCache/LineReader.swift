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
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var unread = 0..<0

    init(_ file: consuming OpenFile) {
        self.file = file
    }

    /// Returns the next line; `nil` behind the last one.
    mutating func next() throws(StoreError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if unread.isEmpty {
                unread = 0..<(try file.read(into: &buffer))
                if unread.isEmpty { return line.isEmpty && !isTooLong ? nil : .cut }
            }
            let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
            let part = unread.lowerBound..<(end ?? unread.upperBound)
            isTooLong = isTooLong || line.count + part.count > Self.maximumSize
            if isTooLong { line = [] } else { line += buffer[part] }
            unread = (end.map { $0 + 1 } ?? part.upperBound)..<unread.upperBound
            if end != nil { return isTooLong ? .tooLong : .whole(line) }
        }
    }
}
