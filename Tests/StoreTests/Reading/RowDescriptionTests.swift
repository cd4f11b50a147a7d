import Models
import Testing

@testable import Store

@Suite struct RowDescriptionTests {
    private func line(_ row: RowDescription) -> String {
        let content =
            switch row.content {
            case .record(let record): "\(type(of: record).schema.name)"
            case .text(let text): text
            }
        return "\(row.table): \(row.parts.joined(separator: ", ")) → \(content)"
    }

    @Test func everyTableDescribesItsRows() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(GroupChannel(url: "cats", createdAt: 1))
            try batch.clearMessages(in: "cats")
            try batch.save(OpenChannel(url: "lobby", createdAt: 1))
            try batch.save(
                Message(
                    id: "r", channelURL: "cats", requestID: "q", text: "www.cats.de",
                    createdAt: 7, parentMessageID: "a"))
            try batch.save(User(id: "alice"))
            try batch.save(Tombstone("x", in: "cats", deletedAt: 9))
            try batch.markStale(StaleRange(in: "cats", lossNumber: 3))
            try batch.open(
                Gap(in: "cats", backfillCursor: "w", changesSince: FeedPoint("s", number: 3)))
            try batch.save(
                KindCoverage(
                    .image, in: "cats",
                    downTo: .position(Position(createdAt: 7, messageID: "r")), cursor: "p"))
            batch.setToken([1, 2], for: "feed")
            try batch.setDraft("Hi", of: "cats")
            try batch.setKeptInCache(true, for: "cats")
            try batch.save(OutboxItem(.delete, requestID: "d", channelURL: "cats", createdAt: 5))
        }
        let cache = try store.describedRows(of: .cache).map(line)
        #expect(
            cache == [
                "group: channel 2 → GroupChannel",
                "reached: channel 2, image → down to 7/r, pages from p",
                "gap: channel 1, up to +∞ → down to -∞",
                "gap: channel 2, up to +∞ → down to -∞, backfill from w, changes since s (3)",
                "gap: channel 3, up to +∞ → down to -∞",
                "kind: channel 2, link, 7/r → nothing",
                "created: channel 2, r → 7",
                "state: channel 2 → count 1, access 0",
                "state: channel 3 → count 0, access 0",
                "url: channel 2 → cats",
                "url: channel 3 → lobby",
                "message: channel 2, 7/r → Message",
                "name: cats → channel 2",
                "name: lobby → channel 3",
                "open: channel 3 → OpenChannel",
                "reply: channel 2, a, 7/r → nothing",
                "request: channel 2, q → r",
                "schema: format of kinds → 2 bytes",
                "schema: next number → 4",
                "schema: version → 2",
                "token: feed → 2 bytes",
                "user: alice → User",
                "stale: channel 2, up to +∞ → down to -∞, loss 3",
                "tombstone: channel 2, x → deleted at 9",
                "cleared: channel 1 → nothing",
            ])
        let outbox = try store.describedRows(of: .outbox).map(line)
        #expect(
            outbox == [
                "draft: cats → Hi",
                "pin: cats → nothing",
                "item: cats, number 1 → OutboxItem",
                "request: d → cats, number 1",
                "schema: generation → 1",
                "schema: next number → 2",
                "schema: version → 2",
            ])
        // SearchIndexFormatTests tests the descriptions of the search index's rows, and
        // TableFormatTests those of the app's tables.
        let tables = Set(Table.allCases).subtracting(Table.ofIndex + [.appTable]).map(\.name)
        #expect(
            Set(tables)
                == Set(cache.map { String($0.prefix { $0 != ":" }) }))
        #expect(
            Set(RowDescription.tables(of: .outbox)).subtracting(["table"])
                == Set(outbox.map { String($0.prefix { $0 != ":" }) }))
    }

    @Test func rowsCanBeLimitedToATableAndACount() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for id in ["a", "b", "c"] { try batch.save(User(id: UserID(id))) }
        }
        let users = try store.describedRows(of: .cache, table: "user", limit: 2).map(line)
        #expect(users == ["user: a → User", "user: b → User"])
        #expect(try store.describedRows(of: .outbox, table: "user").isEmpty)
        #expect(try store.describedRow([0x75, 0x61], of: .cache).map(line) == "user: a → User")
        #expect(try store.describedRow([0x75], of: .cache) == nil)
    }

    /// The damaged rows are in a batch.
    ///
    /// They are described in the same way as rows on disk.
    @Test func damagedRowIsDescribedWithoutATrap() throws {
        struct IsOver: Error {}
        let store = try ChatStore.inMemory()
        let tails: [[UInt8]] = [
            [], [0], [0, 0, 0, 1], [0, 0, 0, 1, 0xFF], [0xFF, 0xFE, 0, 1, 2],
        ]
        let values: [[UInt8]] = [[], [0xFF], [0, 0, 0, 9, 1]]
        #expect(throws: IsOver.self) {
            try store.write { batch in
                for letter in UInt8.min...UInt8.max {
                    for (tail, value) in tails.flatMap({ tail in values.map { (tail, $0) } }) {
                        let key = [letter] + tail
                        batch.rows.cache.put({ $0.raw(key) }, { $0.raw(value) })
                        batch.rows.outbox.put({ $0.raw(key) }, { $0.raw(value) })
                        #expect(try batch.describedRow(key, of: .cache)?.value == value)
                        #expect(try batch.describedRow(key, of: .outbox)?.key == key)
                    }
                }
                let row = try #require(try batch.describedRow([0x67, 0], of: .cache))
                #expect(
                    line(row) == "gap: damaged: expected an integer of 4 bytes at byte 1"
                        + " → damaged: expected a text of 2304 bytes at byte 5")
                // Throw an error, so that nothing is written.
                throw IsOver()
            }
        }
    }
}
