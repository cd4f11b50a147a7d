package import Foundation

extension Data {
    /// The JSON text, with each key longer than 1,536 bytes replaced by another one of the same
    /// length.
    ///
    /// A decoder compares keys as Unicode texts, which takes quadratic time for many combining
    /// marks, and any member of a channel may choose the keys in a message. The limit is the length
    /// of an ID of 256 bytes of which each is escaped.
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
