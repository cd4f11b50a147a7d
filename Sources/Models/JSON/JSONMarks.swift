/// The strings of a JSON text, and the bytes outside of them, without white space.
package struct JSONMarks {
    package enum Mark {
        /// A string, without its quotation marks.
        case text(Range<Int>)
        case byte(UInt8)
    }

    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private var position: Int
    /// The index of the last mark; for a string, of its closing quotation mark.
    package private(set) var index: Int

    package init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        self.bytes = bytes
        (position, index, end) = (range.lowerBound, range.lowerBound, range.upperBound)
    }

    /// Returns `nil` at the end, and for an unclosed string.
    package mutating func next() -> Mark? {
        while position < end {
            index = position
            position += 1
            switch bytes[index] {
            case 0...0x20: continue
            case UInt8(ascii: "\""): return text()
            case let byte: return .byte(byte)
            }
        }
        return nil
    }

    private mutating func text() -> Mark? {
        let start = position
        var isEscaped = false
        while position < end {
            index = position
            position += 1
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): return .text(start..<index)
            default: break
            }
        }
        return nil
    }
}
