import Models
import Testing

@testable import Store

@Suite struct KeyTests {
    // MARK: Golden bytes: DO NOT CHANGE, they are on people's disks

    /// Creates a store with at least one row in each table.
    ///
    /// Channel "c" has number 1, and channel "o" has number 2.
    static func golden() throws -> ChatStore {
        let store = try ChatStore.inMemory()
        let time: Timestamp = 1_700_000_000_000
        try store.write { batch in
            try batch.save(GroupChannel(url: "c", createdAt: 5))
            try batch.save(OpenChannel(url: "o", createdAt: 6))
            try batch.save(
                Message(
                    id: "10", channelURL: "c", requestID: "r", createdAt: time,
                    parentMessageID: "9"))
            try batch.save(Message(id: "é", channelURL: "c", createdAt: -1))
            var kinds = Message(id: "k", channelURL: "o", text: "www.o.de", createdAt: 1)
            kinds.mentionedUserIDs = ["ann"]
            try batch.save(kinds)
            let known = Position(createdAt: time, messageID: "10")
            try batch.cover("c", from: .position(known), through: .end, backfillCursor: "w")
            try batch.open(
                Gap(
                    in: "c",
                    from: .position(Position(createdAt: time, messageID: "11")),
                    to: .position(Position(createdAt: 1_700_000_000_001, messageID: "")),
                    changesSince: FeedPoint("f", number: -3)))
            try batch.markStale(StaleRange(in: "c", from: .position(known), lossNumber: -2))
            try batch.save(Tombstone("7", in: "c", deletedAt: time))
            try batch.save(
                Tombstone(
                    "8", in: "c", deletedAt: time, position: Position(createdAt: 3, messageID: "8"))
            )
            try batch.save(User(id: "ann"))
            batch.setToken([0xca, 0xfe], for: "feed")
            try batch.recordAccess(to: "c")
            try batch.setKeptInCache(true, for: "c")
            try batch.save(
                OutboxItem(.delete, requestID: "q1", channelURL: "c", createdAt: 9, messageID: "10")
            )
        }
        return store
    }

    @Test func everyCacheRowHasItsGoldenBytes() throws {
        let store = try KeyTests.golden()
        var rows = try GoldenRows(of: store.view.committed.cache)
        // message 'm', channel, then all inverted: time, length of the id, id.
        rows.expect(
            "6d 00000001 7ffffe74301a97ff fffd cecf",  // ~(8000018bcfe56800, 0002, "10")
            // A record: 2 id, 3 created at, 5 status, 8 channel, 9 request, 13 parent, 17 type.
            "12 02 3130  18 80d095ffbc31  28 03  42 01 63  4a 01 72  6a 01 39  8801 01")
        rows.expect(
            "6d 00000001 8000000000000000 fffd 3c56",  // ~(7fffffffffffffff, 0002, c3a9)
            "12 02 c3a9  18 ffffffffffffffffff01  28 03  42 01 63  8801 01")
        rows.expect(
            "6d 00000002 7ffffffffffffffe fffe 94",
            "12 01 6b  18 01  28 03  3a 08 7777772e6f2e6465  42 01 6f  8801 01  a201 03 616e6e")
        // created 'i', channel, id → time, its sign flipped.
        rows.expect("69 00000001 3130", "8000018bcfe56800")
        rows.expect("69 00000001 c3a9", "7fffffffffffffff")
        rows.expect("69 00000002 6b", "8000000000000001")
        // request 'r', channel, request id → id.
        rows.expect("72 00000001 72", "3130")
        // reply 'p', channel, length and id of the parent, inverted position → nothing.
        rows.expect("70 00000001 0001 39 7ffffe74301a97ff fffd cecf", "")
        // kind 'h', channel, kind, inverted position → nothing. A mention, with kind 6, has the
        // length and the id of the user after it.
        rows.expect("68 00000002 05 7ffffffffffffffe fffe 94", "")
        rows.expect("68 00000002 06 0003 616e6e 7ffffffffffffffe fffe 94", "")
        // group channel 'c', open channel 'o', channel → a record: 1 URL, 5 created at.
        rows.expect("63 00000001", "0a 01 63  28 05")
        rows.expect("6f 00000002", "0a 01 6f  28 06")
        // name 'n', URL → channel; URL 'l', channel → URL.
        rows.expect("6e 63", "00000001")
        rows.expect("6e 6f", "00000002")
        rows.expect("6c 00000001", "63")
        rows.expect("6c 00000002", "6f")
        // gap 'g', channel, upper bound → lower bound, backfill cursor, changes since. A bound is
        // 00, or 01 with a position, or 02; a text that may be missing has its length plus one
        // before it.
        rows.expect(
            "67 00000001 01 8000018bcfe56800 0002 3130",
            "00  00000002 77  00000000")
        rows.expect(
            "67 00000001 01 8000018bcfe56801 0000",
            "01 8000018bcfe56800 0002 3131  00000000  00000002 66 fffffffffffffffd")
        rows.expect("67 00000002 02", "00 00000000 00000000")
        // stale range 'v', channel, upper bound → lower bound, number of the loss.
        rows.expect("76 00000001 02", "01 8000018bcfe56800 0002 3130  fffffffffffffffe")
        // The newest history is known.
        rows.expect("67 00000001 02", "")
        // tombstone 'x', channel, id → deleted at, and created at if it was held.
        rows.expect("78 00000001 37", "8000018bcfe56800")
        rows.expect("78 00000001 38", "8000018bcfe56800 8000000000000003")
        // state 'k', channel → number of messages, last access, 0.
        rows.expect("6b 00000001", "0000000000000002 0000000000000001")
        rows.expect("6b 00000002", "0000000000000001 0000000000000000")
        // user 'u', id → a record. token 't', scope → bytes.
        rows.expect("75 616e6e", "0a 03 616e6e")
        rows.expect("74 66656564", "cafe")
        // schema 's': 'v' → version, 'n' → the next channel's number, 'k' → format of the index of
        // kinds, and 1 if it is complete.
        rows.expect("73 76", "00000002")
        rows.expect("73 6e", "00000003")
        rows.expect("73 6b", "01 01")
        rows.expectNoMore()
    }

    @Test func everyOutboxRowHasItsGoldenBytes() throws {
        let store = try KeyTests.golden()
        var rows = try GoldenRows(of: store.view.committed.outbox)
        // pin 'p', URL → nothing.
        rows.expect("70 63", "")
        // item 'q', length and URL, sequence → a record: 1 request, 2 channel, 3 type, 4 delete,
        // 6 created at, 8 message.
        rows.expect(
            "71 0001 63 0000000000000001", "0a 02 7131  12 01 63  18 01  20 02  30 09  42 02 3130")
        // request 'r', request id → the rest of the item's key.
        rows.expect("72 7131", "0001 63 0000000000000001")
        // schema 's': 'v' → version, 'n' → the next item's sequence, 'g' → generation.
        rows.expect("73 76", "00000002")
        rows.expect("73 6e", "0000000000000002")
        rows.expect("73 67", "0000000000000001")
        rows.expectNoMore()
    }

    @Test func temporaryRowsHaveTheirGoldenBytes() throws {
        let cache = try KeyTests.golden().view.committed.cache
        #expect(try !cache.rows().contains { $0.key.first == Table.cleared.rawValue })
        // cleared 'z', channel → nothing.
        #expect(ByteWriter.key { $0.table(.cleared, 1) } == "7a 00000001".hex)
        // lists 's' 'l' → for each order, its number and maybe a key of metadata, whether it is
        // current, how many channels, and their numbers.
        #expect(ByteWriter.key { $0.schemaKey(.lists) } == "73 6c".hex)
        var lists = SavedLists()
        lists.beginnings = [
            SavedLists.Beginning(
                sorting: .group(.latestLastMessage, metaDataKey: nil), numbers: [7, 1]),
            SavedLists.Beginning(
                sorting: .group(.metaDataValueAlphabetical, metaDataKey: "k"), numbers: nil),
            SavedLists.Beginning(sorting: .open, numbers: []),
        ]
        #expect(
            ByteWriter.key(lists.write)
                == """
                00 00000000 01 0002 00000007 00000001
                03 00000002 6b 00 0000
                ff 01 0000
                """.hex)
    }

    /// A length has two bytes.
    ///
    /// If longer texts were accepted, their keys could be read as keys of shorter texts that are
    /// followed by other fields.
    @Test func tooLongNameIsNotFound() throws {
        let longest = String(repeating: "a", count: Limits.nameSize)
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(
                Message(
                    id: "1", channelURL: "c", createdAt: 1, parentMessageID: MessageID(longest)))
            try batch.save(
                OutboxItem(.delete, requestID: "d", channelURL: ChannelURL(longest), createdAt: 1))
        }
        #expect(try store.replies(to: MessageID(longest), in: "c").count == 1)
        #expect(try store.outboxItems(in: ChannelURL(longest)).count == 1)
        // The first text ends with the first byte of an inverted time that is not negative, the
        // second one with the first byte of a sequence number.
        for next in ["\u{7f}", "\0"] {
            #expect(try store.replies(to: MessageID(longest + next), in: "c").isEmpty)
            #expect(try store.outboxItems(in: ChannelURL(longest + next)).isEmpty)
        }
        let older = HistoryAnchor.position(
            Position(createdAt: 1, messageID: MessageID(longest + "a")))
        #expect(try store.messages(in: "c", before: older).count == 1)
        #expect(try store.messages(in: "c", after: older).isEmpty)
    }
}

/// Rows that a test compares one by one.
private struct GoldenRows {
    private var rows: [String: String] = [:]

    init(of snapshot: LevelDB.Snapshot) throws {
        for (key, value) in try snapshot.rows() { rows[key.digits] = value.digits }
    }

    mutating func expect(
        _ key: String, _ value: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let found = rows.removeValue(forKey: key.hex.digits)
        #expect(found == value.hex.digits, "\(rows)", sourceLocation: location)
    }

    func expectNoMore(_ location: SourceLocation = #_sourceLocation) {
        #expect(rows.isEmpty, sourceLocation: location)
    }
}
