import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Models

/// Compares the UTF-8 check with the slower one of the standard library.
@Suite struct UTF8Tests {
    private func isUTF8(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { $0.bytes.isUTF8(from: 0, to: $0.count) }
    }

    private func isUTF8ByTheLibrary(_ bytes: [UInt8]) -> Bool {
        Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes
    }

    @Test func everyCharacterPasses() {
        // Test the scalar alone, and in a text that is long enough to be checked by whole words.
        for scalar in (0...0x10ffff).compactMap(Unicode.Scalar.init) {
            let bytes = Array(String(scalar).utf8)
            if !isUTF8(bytes) || !isUTF8([0x61] + bytes + [UInt8](repeating: 0x62, count: 9)) {
                Issue.record("\(scalar.value) is refused")
            }
        }
    }

    @Test func twoByteTextsAreValidatedLikeTheStandardLibrary() {
        for first in 0...UInt8.max {
            for second in 0...UInt8.max { expectAgreement([first, second]) }
        }
    }

    /// Tests the bytes at all bounds of the standard's table, and in nightly runs each first byte.
    @Test func boundsOfUTF8AreValidatedLikeTheStandardLibrary() {
        let bounds: [UInt8] = [
            0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xff,
        ]
        let firsts: [UInt8] =
            bounds.dropFirst() + [
                0xc1, 0xdf, 0xe1, 0xec, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5,
            ]
        for first in Seeds.isNight ? Array(0x7f...UInt8.max) : firsts {
            for second in bounds {
                for third in bounds {
                    expectAgreement([first, second, third])
                    for fourth in bounds { expectAgreement([first, second, third, fourth]) }
                }
            }
        }
    }

    @Test func textsWithOneWrongByteAreJudgedAsTheLibraryDoes() {
        var random = SeededRandom(seed: 2)
        let text = Array("Grüße, 日本語の文 and 👩‍👩‍👧, all in one text — ß".utf8)
        for index in text.indices {
            for _ in 0..<40 {
                var damaged = text
                damaged[index] = UInt8.random(in: 0...255, using: &random)
                #expect(isUTF8(damaged) == isUTF8ByTheLibrary(damaged))
                let cut = Array(damaged[..<index])
                #expect(isUTF8(cut) == isUTF8ByTheLibrary(cut))
            }
        }
    }

    private func expectAgreement(_ bytes: [UInt8]) {
        let padded = bytes + [UInt8](repeating: 0x61, count: 8)
        let agrees =
            isUTF8(bytes) == isUTF8ByTheLibrary(bytes)
            && isUTF8(padded) == isUTF8ByTheLibrary(padded)
        if !agrees { Issue.record("\(bytes) is judged wrongly") }
    }
}
