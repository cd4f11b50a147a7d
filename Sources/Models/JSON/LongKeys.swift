package import Foundation

extension Data {
    /// The JSON text, in which each key that is longer than 1,536 bytes is replaced by another one of
    /// the same length.
    ///
    /// A decoder compares the keys of an object as Unicode texts. If a key has many combining marks,
    /// this takes quadratic time, and any member of a channel may choose the keys in a message. The
    /// length is that of an ID of 256 bytes of which each is escaped.
    package var withoutLongKeys: Data {
        let keys = keys(longerThan: 1536)
        guard !keys.isEmpty else { return self }
        var text = self
        text.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            for key in keys {
                for index in key { bytes[index] = UInt8(ascii: "x") }
            }
        }
        return text
    }

    /// Returns the ranges of the keys that are longer than a number of bytes, without their quotes.
    private func keys(longerThan limit: Int) -> [Range<Int>] {
        withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var keys: [Range<Int>] = []
            var (start, isInText, isEscaped) = (0, false, false)
            // The last text, while only white space has followed it.
            var last: Range<Int>?
            for (index, byte) in bytes.enumerated() {
                switch byte {
                case _ where isEscaped: isEscaped = false
                case UInt8(ascii: "\\") where isInText: isEscaped = true
                case UInt8(ascii: "\"") where isInText: (isInText, last) = (false, start..<index)
                case _ where isInText: break
                case UInt8(ascii: "\""): (isInText, start) = (true, index + 1)
                case UInt8(ascii: ":"):
                    if let last, last.count > limit { keys.append(last) }
                    last = nil
                case 0...0x20: break
                default: last = nil
                }
            }
            return keys
        }
    }
}
