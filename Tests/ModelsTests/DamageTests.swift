import Foundation
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Models

/// Tests that any bytes from outside decode to a value or throw an error with an offset.
///
/// They must never cause a trap.
@Suite struct DamageTests {
    @Test(arguments: RecordTests.types)
    func everyPrefixOfASampleIsAValueOrAnError(_ type: TypeOfRecord) throws {
        let bytes = Sample.bytes(type.schema, depth: 1)
        for count in bytes.indices { expectValueOrError(type, Array(bytes[..<count])) }
    }

    @Test(arguments: RecordTests.types)
    func everyFlippedBitOfASampleIsAValueOrAnError(_ type: TypeOfRecord) throws {
        // For large types, nested values are left out: their own types are tested with damage.
        var bytes = Sample.bytes(type.schema, depth: 1)
        if bytes.count > 1500 { bytes = Sample.bytes(type.schema, depth: 0) }
        for bit in Seeds.sample(of: 0..<bytes.count * 8, every: 3) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            expectValueOrError(type, damaged)
        }
    }

    @Test(arguments: RecordTests.types)
    func anyBytesAreAValueOrAnError(_ type: TypeOfRecord) throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<300 {
            let count = Int.random(in: 0...60, using: &random)
            expectValueOrError(
                type, (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }

    /// Decodes a record, reads its properties, and decodes its bytes again, unless the first
    /// decoding fails.
    private func expectValueOrError(_ type: TypeOfRecord, _ bytes: [UInt8]) {
        do {
            let record = try type.root.init(serialized: bytes)
            for child in record.customMirror.children { consume(child.value) }
            #expect(try type.decodeAndEncode(record.serializedBytes) == record.serializedBytes)
        } catch let error as SerializationError {
            #expect((0...bytes.count).contains(error.offset))
        } catch {
            Issue.record("\(error) is not a SerializationError")
        }
    }

    private func consume(_ value: Any) {
        guard let record = value as? any Record else { return }
        for child in record.customMirror.children { consume(child.value) }
    }

    // MARK: Which error, and where

    @Test(
        arguments: [
            ("a field that is cut off", [0x0a, 0x05, 0x61], SerializationError.Code.truncated, 3),
            ("a tag that is cut off", [0x80], .truncated, 1),
            ("a length beyond all memory", [0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f], .truncated, 6),
            (
                "a length of 64 bits", [0x0a] + [UInt8](repeating: 0xff, count: 9) + [1],
                .truncated, 11
            ),
            ("the field number 0", [0x00, 0x00], .invalidTag, 0),
            ("a group", [0x0a, 0x01, 0x61, 0xdb, 0x05], .invalidTag, 3),
            (
                "an eleven-byte integer", [0x18] + [UInt8](repeating: 0x80, count: 10) + [0],
                .invalidVarint, 1
            ),
            (
                "a 65-bit integer", [0x18] + [UInt8](repeating: 0xff, count: 9) + [2],
                .invalidVarint, 1
            ),
            ("a text where a time belongs", [0x1a, 0x01, 0x61], .wrongWireType, 0),
            ("a number where a text belongs", [0x08, 0x01], .wrongWireType, 0),
            ("half a character", [0x0a, 0x01, 0xc3], .invalidText, 2),
            ("an overlong character", [0x0a, 0x02, 0xc0, 0x80], .invalidText, 2),
            ("a surrogate", [0x0a, 0x03, 0xed, 0xa0, 0x80], .invalidText, 2),
            ("a character beyond the last", [0x0a, 0x04, 0xf4, 0x90, 0x80, 0x80], .invalidText, 2),
            ("a list element that is no text", [0x12, 0x01, 0xff], .invalidText, 2),
        ] as [(String, [UInt8], SerializationError.Code, Int)])
    func theErrorSaysWhatIsWrongAndWhere(
        _ damage: String, _ bytes: [UInt8], _ code: SerializationError.Code, _ offset: Int
    ) {
        #expect(throws: SerializationError(code, at: offset)) {
            try Reaction(serialized: bytes)
        }
    }

    @Test func theOffsetOfNestedDamageCountsFromTheStart() {
        // The nickname (2) of the sender (6) is not UTF-8.
        #expect(throws: SerializationError(.invalidText, at: 4)) {
            try Message(serialized: [0x32, 0x03, 0x12, 0x01, 0xff])
        }
        let error: any Error = SerializationError(.invalidText, at: 4)
        #expect("\(error)" == "invalidText at byte 4")
        #expect(error.localizedDescription == "invalidText at byte 4")
    }

    @Test func fieldPastTheEndOfItsRecordIsAnErrorEvenInALongerInput() {
        #expect(throws: SerializationError(.truncated, at: 4)) {
            try Message(serialized: [0x32, 0x02, 0x12, 0x05, 0x61, 0x62, 0x63, 0x64, 0x65])
        }
    }

    @Test func noBytesAreARecordWithoutAnyField() throws {
        #expect(try Message(serialized: Data()) == Message())
        #expect(try Message(serialized: UnsafeRawBufferPointer(start: nil, count: 0)) == Message())
        #expect(Message().serialize() == Data())
    }

    // MARK: Depth

    /// Returns the bytes of a plugin whose detail has `depth` nested levels.
    private func nested(_ depth: Int) -> [UInt8] {
        var value: [UInt8] = [0x18, 0x07]
        for _ in 1..<depth {
            let array = [0x0a] + varint(value.count) + value
            value = [0x32] + varint(array.count) + array
        }
        let entry = [0x12] + varint(value.count) + value
        return [0xa2, 0x06] + varint(entry.count) + entry
    }

    private func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80, UInt8(value >> 7)]
    }

    @Test func jsonMayBeNestedAsDeepAsTheLimitAndNoDeeper() throws {
        let deepest = try User(serialized: nested(JSONValue.maximumDepth))
        #expect(deepest.extra[""]?.depth == JSONValue.maximumDepth)
        var copy = User()
        copy.extra = deepest.extra
        #expect(copy == deepest)
        #expect { try User(serialized: nested(JSONValue.maximumDepth + 1)) } throws: { error in
            (error as? SerializationError)?.code == .tooDeep
        }
    }

    @Test func aHundredThousandLevelsDoNotOverflowTheStack() {
        // Nested arrays. The length of each claims to include all following bytes.
        let level: [UInt8] = [0x32, 0xff, 0xff, 0x7f, 0x0a, 0xff, 0xff, 0x7f]
        let bytes =
            [0xa2, 0x06, 0xff, 0xff, 0x7f, 0x12, 0xff, 0xff, 0x7f]
            + [UInt8](repeatElement(level, count: 100_000).joined())
        #expect(throws: SerializationError.self) { try User(serialized: bytes) }
    }

    @Test func tooDeepJSONIsAnErrorWithItsKey() throws {
        let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        #expect {
            try JSONDecoder().decode(Message.self, from: Data("{\"x\":\(deep)}".utf8))
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.codingPath.first?.stringValue == "x"
        }
    }

    @Test func puttingADeeperValueIntoARecordTraps() async {
        await #expect(processExitsWith: .failure) {
            var value: JSONValue = 1
            for _ in 0..<JSONValue.maximumDepth { value = [value] }
            var poll = Poll()
            poll.data = value
        }
    }

    // MARK: Memory

    @Test func decodedRecordIsNotLargerThanItsInput() throws {
        for type in RecordTests.types {
            for seed in 0..<20 {
                var sloppy = GeneratedRecord(seed: seed, isSloppy: true)
                let bytes = sloppy.bytes(type.schema)
                // The encoder writes packed integers. A single packed integer takes one byte more
                // than an unpacked one.
                #expect(try type.decodeAndEncode(bytes).count <= bytes.count + bytes.count / 2)
            }
        }
    }
}
