import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests that the bytes of keys have the order of the keys, and are read back.
@Suite struct StoreKeyTests {
    static let texts = [
        "", "\0", "\0\0", "\0\u{1}", "a", "a\0", "a\0b", "a\u{1}", "aa", "b", "é", "e\u{301}", "ÿ",
        "\u{FFFF}", "👋", "👋🏽", String(repeating: "z", count: 300),
    ]

    /// Compares all pairs of some keys with a rule.
    private func expect<Key: StoreKey>(
        _ keys: [Key], _ precedes: (Key, Key) -> Bool, _ location: SourceLocation = #_sourceLocation
    ) {
        for left in keys {
            let bytes = left.keyBytes
            #expect(bytes.withBytes { Key(keyBytes: $0) } == left, sourceLocation: location)
            #expect(Key.keyParts.count == Key.parts(of: bytes), sourceLocation: location)
            for right in keys {
                let other = right.keyBytes
                #expect(bytes.precedes(other) == precedes(left, right), sourceLocation: location)
            }
        }
    }

    private func byBytes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    @Test(arguments: Seeds.few) func randomKeysHaveTheOrderOfTheirBytes(seed: Int) {
        var random = SeededRandom(seed: seed)
        let texts = (0..<20).map { _ in
            random.pick(Self.texts) + random.pick(["", random.pick(Self.texts)])
        }
        expect(texts, byBytes)
        expect(texts.map { ChannelURL($0) }, <)
        expect(texts.map { MessageID($0) }) { byBytes($0.rawValue, $1.rawValue) }
        expect(texts.map { Data($0.utf8) }) { $0.lexicographicallyPrecedes($1) }
        let numbers =
            [.min, .min + 1, -256, -1, 0, 1, 255, 256, .max]
            + (0..<20).map { _ in Int64.random(in: .min ... .max, using: &random) }
        expect(numbers, <)
        expect(numbers.map { Int($0) }, <)
        expect(numbers.map { Int8(truncatingIfNeeded: $0) }, <)
        expect(numbers.map { UInt64(bitPattern: $0) }, <)
        expect(numbers.map { UInt16(truncatingIfNeeded: $0) }, <)
        expect(numbers.map { Timestamp(milliseconds: $0) }, <)
        expect([false, true]) { !$0 && $1 }

        let few = Array(numbers.prefix(9))
        let pairs = (0..<40).map { _ in Pair(random.pick(texts), random.pick(few)) }
        expect(pairs) { left, right in
            left.first.utf8.elementsEqual(right.first.utf8)
                ? left.second < right.second : byBytes(left.first, right.first)
        }
        let triples = (0..<40).map { _ in
            Pair(random.pick(few), Pair(random.oneIn(2), ChannelURL(random.pick(texts))))
        }
        expect(triples) { left, right in
            if left.first != right.first { return left.first < right.first }
            if left.second.first != right.second.first { return !left.second.first }
            return left.second.second < right.second.second
        }
    }

    private enum Section: Int, StoreKey {
        case later = 5
        case earlier = -5
    }

    private struct Sticker: RawRepresentable, Hashable, StoreKey { let rawValue: String }

    @Test func rawValuesAndNestedPairsAreKeys() throws {
        expect([Section.later, .earlier]) { $0.rawValue < $1.rawValue }
        expect(["b", "a", ""].map { Sticker(rawValue: $0) }) { $0.rawValue < $1.rawValue }
        let nested = Pair(Pair("a", 1), Sticker(rawValue: "b"))
        #expect(nested.keyBytes == Pair("a", Pair(1, "b")).keyBytes)
        expect([nested]) { _, _ in false }
        // The raw value 7 is no section.
        #expect(7.keyBytes.withBytes { Section(keyBytes: $0) } == nil)
        #expect(300.keyBytes.withBytes { Int8(keyBytes: $0) } == nil)
    }

    /// On-disk format, do not change the bytes.
    @Test func eachPartHasItsGoldenBytes() {
        #expect("a\0é".keyBytes.digits == "01 61 00 ff c3 a9 00 00")
        #expect(ChannelURL("general").keyBytes.digits == "02 67 65 6e 65 72 61 6c 00 00")
        #expect((-2).keyBytes.digits == "03 7f ff ff ff ff ff ff fe")
        #expect(UInt8(2).keyBytes.digits == "04 00 00 00 00 00 00 00 02")
        #expect(Timestamp(milliseconds: 1).keyBytes.digits == "05 80 00 00 00 00 00 00 01")
        #expect(Data([0, 7]).keyBytes.digits == "06 00 ff 07 00 00")
        #expect(true.keyBytes.digits == "07 01")
        #expect(Pair(true, "").keyBytes.digits == "07 01 01 00 00")
    }

    @Test(arguments: Seeds.few) func damagedKeyIsNoKeyOrAnotherOne(seed: Int) {
        var random = SeededRandom(seed: seed)
        let key = Pair(
            random.pick(Self.texts), Pair(Timestamp(milliseconds: 5), Data([0, 1])))
        let bytes = key.keyBytes
        for count in bytes.indices {
            #expect(Array(bytes[..<count]).withBytes { type(of: key).init(keyBytes: $0) } == nil)
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8.random(in: 1...255, using: &random)
            let read = damaged.withBytes { type(of: key).init(keyBytes: $0) }
            #expect(read == nil || read?.keyBytes == damaged)
        }
    }
}

extension StoreKey {
    /// The number of parts that a reader without the type finds.
    fileprivate static func parts(of bytes: KeyBytes) -> Int? {
        bytes.withBytes { bytes in
            var reader = ByteReader(bytes)
            return try? reader.keyParts().count
        }
    }
}
