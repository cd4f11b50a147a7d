import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Models

/// Tests that equal values have equal bytes after decoding, whichever encoding a protobuf writer
/// chose.
@Suite struct CanonicalFormTests {
    @Test(arguments: RecordTests.types)
    func allProtobufEncodingsDecodeToTheSameRecord(_ type: TypeOfRecord) throws {
        for seed in Seeds.few {
            var tidy = GeneratedRecord(seed: seed)
            let bytes = tidy.bytes(type.schema)
            var random = SeededRandom(seed: seed)
            let messy = Disorder(type.schema.layout).disturb(bytes, using: &random)
            #expect(try type.decodeAndEncode(messy) == bytes, "seed \(seed)")
        }
    }

    @Test(arguments: RecordTests.types)
    func canonicalizingIsIdempotent(_ type: TypeOfRecord) throws {
        for seed in Seeds.few {
            var sloppy = GeneratedRecord(seed: seed, isSloppy: true)
            let once = try type.decodeAndEncode(sloppy.bytes(type.schema))
            #expect(try isCanonical(once, type.schema), "seed \(seed)")
            #expect(try type.decodeAndEncode(once) == once, "seed \(seed)")
        }
    }

    @Test func zeroIsWrittenOnlyInOptionalFields() throws {
        // An explicit default of require_auth (6) is removed. The zero of size (4) stays, because
        // size is optional.
        let file = try FileInfo(serialized: [0x20, 0x00, 0x30, 0x00])
        #expect(file.serializedBytes == [0x20, 0x00])
        #expect(file.size == 0)
        #expect(FileInfo().size == nil)
    }

    @Test func defaultValuesAreNotEncoded() throws {
        // The default of is_active (6) is true.
        #expect(try User(serialized: [0x30, 0x01]) == User())
        #expect(try User(serialized: [0x30, 0x00]).isActive == false)
        var query = GroupChannelListQuery()
        query.limit = 20
        #expect(query.serializedBytes == [])
    }

    @Test func overlongIntegersAreShortened() throws {
        let thread = try ThreadInfo(serialized: [0x08, 0x85, 0x80, 0x00])
        #expect(thread.replyCount == 5)
        #expect(thread.serializedBytes == [0x08, 0x05])
    }

    @Test func theLastOfSeveralSingleValuesWins() throws {
        let reaction = try Reaction(serialized: [0x0a, 0x01, 0x61, 0x0a, 0x01, 0x62])
        #expect(reaction.key == "b")
        #expect(reaction.serializedBytes == [0x0a, 0x01, 0x62])
    }

    @Test func repeatedRecordsInASingleFieldAreMerged() throws {
        // The field `file` (14) occurs twice: first with a URL (1), then with a name (2).
        let message = try Message(serialized: [
            0x72, 0x03, 0x0a, 0x01, 0x75, 0x72, 0x03, 0x12, 0x01, 0x6e,
        ])
        #expect(message.file?.url == "u")
        #expect(message.file?.name == "n")
    }

    @Test func theLastOfTwoMapEntriesWithOneKeyWins() throws {
        var user = User()
        user.metadata = ["a": "1", "b": "2"]
        let twice = user.serializedBytes + [0x22, 0x06, 0x0a, 0x01, 0x61, 0x12, 0x01, 0x33]
        #expect(try User(serialized: twice).metadata == ["a": "3", "b": "2"])
    }

    @Test func aTruthValueMayBeAnyNumberButZero() throws {
        #expect(try Message(serialized: [0xd8, 0x01, 0x07]).isSilent)
        #expect(try Message(serialized: [0xd8, 0x01, 0x07]).serializedBytes == [0xd8, 0x01, 0x01])
    }

    @Test func equalRecordsHaveEqualBytesHoweverTheyWereMade() throws {
        var one = Message(id: "7", channelURL: "c", text: "hi", createdAt: 5)
        one.customType = "x"
        var other = Message()
        other.channelType = .group
        other.customType = "x"
        other.createdAt = 5
        other.text = "hi"
        other.sendingStatus = .succeeded
        other.channelURL = "c"
        other.messageID = "7"
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one.serialize() == other.serialize())
        other.text = "ho"
        #expect(one != other)
    }

    @Test func unknownEnumerationNumbersSurvive() throws {
        let message = try Message(serialized: [0x28, 0x63])
        #expect(message.sendingStatus == .none)
        #expect(message.serializedBytes == [0x28, 0x63])
    }

    private func isCanonical(_ bytes: [UInt8], _ schema: Schema) throws -> Bool {
        try Validator.check(
            ContiguousArray(bytes).span.bytes, from: 0, to: bytes.count, layout: schema.layout,
            depth: 0)
    }
}

/// Writes a record in one of the various encodings that protobuf allows.
struct Disorder {
    let layout: Layout

    init(_ layout: Layout) { self.layout = layout }

    func disturb(_ bytes: [UInt8], using random: inout SeededRandom) -> [UInt8] {
        let fields = split(bytes)
        var groups = Dictionary(grouping: fields, by: \.number)
            .sorted { $0.key < $1.key }.map(\.value)
        groups.shuffle(using: &random)
        var output: [UInt8] = []
        for group in groups {
            let slot = layout.slot(group[0].number)
            switch slot.check {
            case .packed where random.oneIn(2):
                output += unpack(group[0])
            case .mapEntry:
                output += group.shuffled(using: &random).flatMap(\.bytes)
            case .integer, .bool, .text, .bytes, .double:
                if !slot.mayRepeat && random.oneIn(3) { output += group[0].bytes }
                output += group.flatMap(\.bytes)
            default:
                output += group.flatMap(\.bytes)
            }
        }
        return output
    }

    private struct Part {
        let number: Int
        let bytes: [UInt8]
        let payload: ContiguousArray<UInt8>
    }

    private func split(_ bytes: [UInt8]) -> [Part] {
        var parts: [Part] = []
        let bytes = ContiguousArray(bytes)
        let span = bytes.span.bytes
        var offset = 0
        while offset < bytes.count {
            let start = offset
            let tag = span.varint(at: &offset)
            var payload = offset
            span.skipPayload(UInt8(tag & 7), at: &offset)
            if tag & 7 == 2 { _ = span.varint(at: &payload) }
            parts.append(
                Part(
                    number: Int(tag >> 3), bytes: Array(bytes[start..<offset]),
                    payload: ContiguousArray(bytes[payload..<offset])))
        }
        return parts
    }

    private func unpack(_ part: Part) -> [UInt8] {
        var output: [UInt8] = []
        var offset = 0
        let span = part.payload.span.bytes
        while offset < part.payload.count {
            let start = offset
            _ = span.varint(at: &offset)
            let tag = part.number << 3
            output += tag < 0x80 ? [UInt8(tag)] : [UInt8(tag & 0x7f) | 0x80, UInt8(tag >> 7)]
            output += part.payload[start..<offset]
        }
        return output
    }
}
