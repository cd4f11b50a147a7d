package import Foundation

extension Data {
    /// The JSON text, with each key longer than 1,536 bytes replaced by one of the same length.
    ///
    /// A decoder compares keys as Unicode texts, which takes quadratic time for many combining
    /// marks, and other users may choose keys. The limit is the length of an ID of 256 escaped
    /// bytes.
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
            var marks = JSONMarks(bytes, in: 0..<bytes.count)
            // The last text, while no other byte has followed it.
            var last: Range<Int>?
            while let mark = marks.next() {
                switch mark {
                case .text(let text): last = text
                case .byte(UInt8(ascii: ":")):
                    if let last, last.count > limit { keys.append(last) }
                    last = nil
                case .byte: last = nil
                }
            }
            return keys
        }
    }
}
