import Models
import Testing

@testable import Store

/// Tests tables in which one row cannot be decoded, and the others can.
@Suite struct UnreadableRowTests {
    private let snapshot: Snapshot

    /// The store has group channels a, b and c, open channels o and p, and outbox items 1, 2 and 3.
    ///
    /// The rows of b, of p and of item 2 are damaged.
    init() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for (url, time) in [("a", 1), ("b", 2), ("c", 3)] as [(ChannelURL, Timestamp)] {
                try batch.save(GroupChannel(url: url, createdAt: time))
            }
            try batch.save(OpenChannel(url: "o", createdAt: 1))
            try batch.save(OpenChannel(url: "p", createdAt: 2))
            for id: RequestID in ["1", "2", "3"] {
                try batch.save(OutboxItem("hi", request: id, in: "a"))
            }
        }
        let committed = try store.view.committed
        let item = try #require(try store.view.outbox.outboxItemKey("2"))
        let damaged = [
            ByteWriter.key { $0.table(.groupChannel, 2) },
            ByteWriter.key { $0.table(.openChannel, 5) }, item,
        ]
        func copy(_ rows: LevelDB.Snapshot) throws -> LevelDB.Snapshot {
            let copy = try LevelDB(at: "/copy", environment: .memory())
            let batch = Overlay()
            for row in try rows.rows() {
                let value = damaged.contains(row.key) ? [0xFF] : row.value
                batch.put({ $0.raw(row.key) }, { $0.raw(value) })
            }
            try copy.write(batch, isDurable: false)
            return try copy.snapshot()
        }
        snapshot = Snapshot(
            committed: CommittedState(
                number: 0, cache: try copy(committed.cache), outbox: try copy(committed.outbox)))
    }

    @Test func aDamagedChannelDoesNotHideTheOthers() throws {
        #expect(try snapshot.groupChannels().urls == "c a")
        #expect(try snapshot.groupChannelCount() == 2)
        #expect(try snapshot.openChannels().urls == "o")
        #expect(try snapshot.openChannelCount() == 1)
    }

    /// So that the engine replaces the cache.
    @Test func damagedChannelOfAPageIsReported() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for url in ["a", "b"] as [ChannelURL] {
                try batch.save(GroupChannel(url: url, createdAt: 1))
            }
        }
        let row = Overlay()
        row.put({ $0.table(.groupChannel, 2) }, { $0.raw([0xFF]) })
        try store.cache.write(row, isDurable: false)
        try store.write { try $0.save(User(id: "u")) }
        #expect(try store.groupChannels(limit: 1).urls == "a")
        #expect(store.cacheDamage?.code == .corruption)
    }

    @Test func readingADamagedChannelThrows() {
        #expect(code { _ = try snapshot.groupChannel("b") } == .corruption)
        #expect(code { _ = try snapshot.openChannel("p") } == .corruption)
    }

    @Test func aDamagedOutboxItemDoesNotHideTheOthers() throws {
        #expect(try snapshot.outboxItems().map(\.requestID) == ["1", "3"])
        #expect(try snapshot.outboxItems(in: "a", limit: 2).map(\.requestID) == ["1", "3"])
        #expect(code { _ = try snapshot.outboxItem("2") } == .corruption)
        #expect(try snapshot.unreadableOutboxItemIDs() == ["2"])
        #expect(try snapshot.outboxItemCount(in: "a") == 3)
    }

    @Test func intactStoreHasNoUnreadableRows() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(GroupChannel(url: "a", createdAt: 1))
            try batch.save(OpenChannel(url: "o", createdAt: 1))
            try batch.save(OutboxItem("hi", request: "1", in: "a"))
        }
        #expect(try store.unreadableOutboxItemIDs().isEmpty)
    }
}
