package import Foundation

extension Data {
    /// The JSON text, with each key longer than 1,536 bytes replaced by one of the same length.
    ///
    /// A decoder compares keys as Unicode texts, which takes quadratic time for many combining
    /// marks, and other users may choose keys. The limit is the length of an ID of 256 escaped
    /// bytes.
    package var withoutLongKeys: Data { overwritingKeys { $0.count > Self.longestKey } }

    package static var longestKey: Int { 1536 }

    /// Whether a JSON decoder reads these bytes as UTF-8, and not, because of a byte order mark or
    /// a zero byte, in another encoding, whose keys are not found here.
    package var isReadAsUTF8: Bool { !prefix(4).contains { $0 == 0 || $0 >= 0xFE } }

    /// Returns a JSON text in which the letter `x` replaces all bytes of some keys.
    package func overwritingKeys(
        where isOverwritten: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) -> Data {
        let keys = keys(where: isOverwritten)
        guard !keys.isEmpty else { return self }
        var text = self
        text.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            for key in keys {
                for index in key { bytes[index] = UInt8(ascii: "x") }
            }
        }
        return text
    }

    private func keys(
        where isIncluded: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) -> [Range<Int>] {
        withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var keys: [Range<Int>] = []
            var marks = JSONMarks(bytes, in: 0..<bytes.count)
            // The last text, while no other byte has followed it.
            var last: Range<Int>?
            while let mark = marks.next() {
                switch mark {
                case .text(let text): last = text
                case .byte(UInt8(ascii: ":")):
                    if let last, isIncluded(bytes[last]) { keys.append(last) }
                    last = nil
                case .byte: last = nil
                }
            }
            return keys
        }
    }
}
