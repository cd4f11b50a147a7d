import Foundation

extension Data {
    private static let longestRunOfMarks = 1000

    /// Throws an error for more than 1,000 combining marks or halves of flags in a row, perhaps
    /// escaped in JSON, and for JSON that a decoder does not read as UTF-8.
    ///
    /// Comparing such a text, also as a key or with a regular expression, takes quadratic time.
    /// Direction marks do not count as characters between them, because imports remove these.
    func checkMarks(isJSON: Bool) throws(CommandError) {
        guard count > 2 * Data.longestRunOfMarks else { return }
        guard !isJSON || isReadAsUTF8 else { throw .failed("the JSON is not in UTF-8") }
        let scalars = String(decoding: self, as: UTF8.self).unicodeScalars
        var (index, row) = (scalars.startIndex, 0)
        while index < scalars.endIndex {
            let scalar = isJSON ? scalars.unescaped(at: &index) : scalars[index]
            scalars.formIndex(after: &index)
            if scalar?.isMark ?? false {
                row += 1
            } else if scalar != "\u{200E}" {
                row = 0
            }
            if row > Data.longestRunOfMarks {
                throw .failed(
                    "more than \(grouped(Data.longestRunOfMarks)) marks or flags in a row")
            }
        }
    }
}

extension String {
    /// Checks a text that was joined or decoded, which can make longer runs of marks.
    func checkMarks() throws(CommandError) { try Data(utf8).checkMarks(isJSON: false) }
}

extension String.UnicodeScalarView {
    /// Returns the scalar at an index or in an escape such as `\u0301`, which the index then ends;
    /// `nil` for an escape of none.
    fileprivate func unescaped(at index: inout Index) -> Unicode.Scalar? {
        guard self[index] == "\\" else { return self[index] }
        guard let letter = self.index(index, offsetBy: 1, limitedBy: self.index(before: endIndex))
        else { return self[index] }
        index = letter
        guard let number = escaped(at: &index) else { return self[letter] }
        guard 0xD800..<0xDC00 ~= number else { return Unicode.Scalar(number) }
        // The first half of a surrogate pair.
        guard var next = self.index(index, offsetBy: 2, limitedBy: self.index(before: endIndex)),
            self[self.index(before: next)] == "\\", let low = escaped(at: &next)
        else { return nil }
        index = next
        return Unicode.Scalar(0x10000 &+ (number - 0xD800) << 10 &+ (low &- 0xDC00))
    }

    private func escaped(at index: inout Index) -> UInt32? {
        guard self[index] == "u",
            let end = self.index(index, offsetBy: 4, limitedBy: self.index(before: endIndex)),
            let number = UInt32(String(self[self.index(after: index)...end]), radix: 16)
        else { return nil }
        index = end
        return number
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        value >= 0x300
            && (0x1F1E6...0x1F1FF ~= value || properties.canonicalCombiningClass != .notReordered
                || ["\u{F73}", "\u{F75}", "\u{F81}"].contains(self))
    }
}
