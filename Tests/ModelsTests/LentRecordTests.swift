import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Models

/// Tests that a view of a record returns the record's values, whichever encoder wrote the bytes.
@Suite struct LentRecordTests {
    /// The values that lists use for sorting.
    private struct Looks: Equatable {
        var url: [UInt8]
        var name: [UInt8]
        var createdAt: Timestamp
        var lastMessageAt: Timestamp?

        init(_ channel: LentRecord<GroupChannel>) {
            url = Array(channel.url)
            name = Array(channel.name)
            createdAt = channel.createdAt
            lastMessageAt = channel.lastMessageAt
        }

        init(_ channel: GroupChannel) {
            url = Array(channel.url.rawValue.utf8)
            name = Array(channel.name.utf8)
            createdAt = channel.createdAt
            lastMessageAt = channel.lastMessage?.createdAt
        }
    }

    @Test func viewReturnsTheValuesOfTheRecord() throws {
        for seed in Seeds.few {
            var generated = GeneratedRecord(seed: seed)
            let bytes = generated.bytes(GroupChannel.schema)
            let channel = try GroupChannel(serialized: bytes)
            #expect(channel.withLentRecord { Looks($0) } == Looks(channel), "seed \(seed)")
            #expect(channel.withLentRecord(\.record) == channel)

            // Write the record in one of the various encodings that protobuf allows.
            var random = SeededRandom(seed: seed)
            let messy = Disorder(GroupChannel.schema.layout).disturb(bytes, using: &random)
            let looks = try messy.withUnsafeBytes { try LentRecord.read($0) { Looks($0) } }
            #expect(looks == Looks(channel), "seed \(seed)")
        }
    }

    @Test func viewOfAnEmptyRecordIsEmpty() throws {
        let nothing = try LentRecord<GroupChannel>.read(
            UnsafeRawBufferPointer(start: nil, count: 0)
        ) {
            Looks($0)
        }
        #expect(nothing == Looks(GroupChannel()))
        #expect(GroupChannel().withLentRecord { Looks($0) } == nothing)
    }

    @Test func viewReportsTheSameDamageAsDecoding() {
        let bytes = Sample.bytes(GroupChannel.schema, depth: 0)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x55
            let decoded = Result { () throws(SerializationError) in
                try GroupChannel(serialized: damaged)
            }
            let lent = damaged.withUnsafeBytes { bytes in
                Result { () throws(SerializationError) in
                    try LentRecord<GroupChannel>.read(bytes) { $0.record }
                }
            }
            #expect(lent == decoded, "byte \(index)")
        }
    }
}
