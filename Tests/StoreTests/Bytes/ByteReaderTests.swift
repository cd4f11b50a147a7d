import Testing

@testable import Store

@Suite struct ByteReaderTests {
    /// Reads the bytes as a text: as they are, and with all bits inverted, as in some keys.
    private func texts(_ bytes: [UInt8]) -> [String?] {
        let plain = bytes.withBytes { bytes in
            var reader = ByteReader(bytes)
            return try? reader.text()
        }
        let descending = bytes.map { ~$0 }.withBytes { bytes in
            var reader = ByteReader(bytes)
            return try? reader.descending { (reader) throws(ByteReader.Damage) in
                try reader.text()
            }
        }
        return [plain, descending]
    }

    @Test(arguments: [
        "", "a", "general", "é", "日本語の長いテキスト", "a\u{301}", "\u{10ffff}", "\0", "😀 and more",
    ])
    func textIsReadAsItWasWritten(text: String) {
        for found in texts(Array(text.utf8)) {
            #expect(found.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test(arguments: [
        "80", "c0 80", "c1 bf", "e0 80 80", "e2 82", "ed a0 80", "f0 80 80 80", "f4 90 80 80",
        "f5 80 80 80", "ff", "61 62 63 64 65 66 67 68 80", "61 c3",
    ])
    func invalidUTF8IsDamage(bytes: String) {
        #expect(texts(bytes.hex) == [nil, nil])
    }

    @Test func twoByteSequencesAreValidatedLikeTheStandardLibrary() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let expected = Unicode.UTF8.isValid([first, second])
                #expect(texts([first, second]).map { $0 != nil } == [expected, expected])
            }
        }
    }
}

extension Unicode.UTF8 {
    /// Returns true if the bytes are valid UTF-8.
    fileprivate static func isValid(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }
}
