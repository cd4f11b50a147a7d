import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests the recorded extent of a channel: the range in which readers search for its messages after
/// others were removed.
@Suite struct MessageExtentTests {
    private let store: ChatStore

    /// Saves messages a to e with the times 1 to 5.
    init() throws {
        store = try ChatStore.inMemory()
        try store.write { batch in
            for (id, time) in [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5)]
                as [(MessageID, Timestamp)]
            {
                try batch.save(Message(id, at: time))
            }
        }
    }

    private func save(_ id: MessageID, at time: Timestamp) throws {
        try store.write { batch in try batch.save(Message(id, at: time)) }
    }

    private func remove(_ ids: MessageID...) throws {
        try store.write { batch in
            for id in ids { try batch.removeMessage(id, in: "general") }
        }
    }

    /// Returns the ids at the bounds of the recorded extent, as a new reader would use it.
    ///
    /// The result is "all" if the extent is the whole table, and "-" if no extent is recorded.
    private func extent(asOf snapshot: Snapshot? = nil) throws -> String {
        let committed = try snapshot?.committed ?? store.view.committed
        guard let range = committed.derived.withLock({ $0.extents[1] }) else { return "-" }
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, 1) })
        if range == table { return "all" }
        func id(_ key: KeyBytes) -> String {
            let position = try? key.withBytes { try ByteReader.position(ofMessageKey: $0) }
            return position?.messageID.rawValue ?? "?"
        }
        let newest = range.lower == table.lower ? "…" : id(range.lower)
        // The upper bound is the key of the oldest message with a zero after it.
        let oldest = range.upper == table.upper ? "…" : id(range.upper.dropLast())
        return range.lower == range.upper ? "none" : "\(newest) to \(oldest)"
    }

    // MARK: Learned extents

    @Test func channelWithoutRemovalsHasNoExtent() throws {
        _ = try store.messages(in: "general")
        #expect(try extent() == "-")
    }

    @Test func pageReadRecordsTheNewestPosition() throws {
        try remove("e", "d")
        #expect(try extent() == "all")
        #expect(try store.messages(in: "general", limit: 1).ids == "c")
        #expect(try extent() == "c to …")
        #expect(try store.messages(in: "general", limit: 2).ids == "c b")
    }

    @Test func pageTowardTheNewestRecordsTheOldestMessage() throws {
        try remove("a", "e")
        #expect(try store.messages(in: "general", before: .time(4), limit: 3).ids == "c b")
        #expect(try store.messages(in: "general", after: .time(3), limit: 3).ids == "d")
        #expect(try extent() == "all")
        #expect(try store.messages(in: "general", after: .oldest, limit: 1).ids == "b")
        #expect(try extent() == "… to b")
    }

    @Test func positionReadsRecordTheOutermostPositions() throws {
        try remove("a", "e")
        #expect(try store.newestPosition(in: "general")?.messageID == "d")
        #expect(try store.oldestPosition(in: "general")?.messageID == "b")
        #expect(try extent() == "d to b")
    }

    @Test func idsOfAnyLengthAreLearnt() throws {
        let ids = [10, 100, 200, 50].map { MessageID(String(repeating: "x", count: $0)) }
        for (id, time) in zip(ids, [-4, -3, -2, -1] as [Timestamp]) { try save(id, at: time) }
        try remove("a", ids[0])
        _ = try store.messages(in: "general")
        try remove(ids[1])
        _ = try store.messages(in: "general", after: .oldest, limit: 1)
        #expect(try extent() == "e to \(ids[2])")
    }

    @Test func pageAfterRemovalsAtTheEndShrinksTheExtent() throws {
        try remove("e")
        _ = try store.messages(in: "general")
        try remove("c", "d")
        #expect(try extent() == "d to …")
        #expect(try store.messages(in: "general", limit: 1).ids == "b")
        #expect(try extent() == "b to …")
    }

    @Test func emptyChannelIsRecorded() throws {
        try remove("a", "b", "c", "d", "e")
        #expect(try store.messages(in: "general").ids == "")
        #expect(try extent() == "none")
        try save("c", at: 3)
        #expect(try store.messages(in: "general").ids == "c")
        #expect(try store.messages(in: "general", after: .oldest).ids == "c")
    }

    // MARK: Invalidation

    @Test func newMessageIsVisibleImmediately() throws {
        try remove("e", "a")
        _ = try store.messages(in: "general")
        _ = try store.messages(in: "general", after: .oldest)
        try save("f", at: 6)
        #expect(try extent() == "f to b")
        #expect(try store.messages(in: "general", limit: 1).ids == "f")
        try save("0", at: 0)
        #expect(try extent() == "f to 0")
        #expect(try store.messages(in: "general", after: .oldest, limit: 1).ids == "0")
    }

    @Test func olderSnapshotSeesItsMessages() throws {
        let before = try store.snapshot()
        try remove("e")
        let between = try store.snapshot()
        _ = try store.messages(in: "general")
        try remove("d", "a")
        _ = try store.messages(in: "general")
        #expect(try extent() == "c to …")
        #expect(try extent(asOf: between) == "-")
        #expect(try before.messages(in: "general").ids == "e d c b a")
        #expect(try between.messages(in: "general").ids == "d c b a")
        #expect(try extent() == "c to …")
    }

    @Test func idMissingInAnOlderSnapshotMayExistNow() throws {
        try remove("e", "a")
        let before = try store.snapshot()
        try save("f", at: 6)
        #expect(try before.messages(in: "general").ids == "d c b")
        #expect(try extent() == "all")
        #expect(try store.messages(in: "general").ids == "f d c b")
    }

    @Test func failedBatchChangesNoExtent() throws {
        struct Undo: Error {}
        try remove("e")
        _ = try store.messages(in: "general")
        #expect(throws: Undo.self) {
            try store.write { batch in
                try batch.save(Message("f", at: 6))
                try batch.removeMessage("d", in: "general")
                throw Undo()
            }
        }
        #expect(try extent() == "d to …")
        #expect(try store.messages(in: "general").ids == "d c b a")
    }

    @Test func ephemeralEventsChangeNoExtents() throws {
        try remove("e")
        try store.emit(.typing([], in: "general"))
        _ = try store.messages(in: "general", limit: 1)
        #expect(try extent() == "d to …")
        try save("f", at: 6)
        #expect(try store.messages(in: "general", limit: 1).ids == "f")
    }

    @Test func numberOfExtentsIsLimited() throws {
        let count = MessageExtents.limit + 10
        let urls = (0..<count).map { ChannelURL("channel \($0)") }
        try store.write { batch in
            for url in urls {
                try batch.save(Message("a", at: 1, in: url))
                try batch.save(Message("b", at: 2, in: url))
            }
        }
        for url in urls {
            try store.write { batch in try batch.removeMessage("b", in: url) }
            #expect(try store.messages(in: url).ids == "a")
        }
        let extents = try store.view.committed.derived.withLock { $0.extents }
        #expect((1...count + 1).count { extents[UInt32($0)] != nil } == 10)
        for url in urls { #expect(try store.messages(in: url).ids == "a") }
    }

    @Test func readersOnSeveralThreadsSeeEachCommitWhole() throws {
        let store = store
        onThreads(4) { thread in
            if thread == 0 {
                // Each commit replaces the newest and the oldest message.
                for round in 0..<200 {
                    _ = try? store.write { batch in
                        try batch.removeMessages(in: "general")
                        try batch.save(
                            Message("n", at: Timestamp(milliseconds: Int64(100 + round % 7))))
                        try batch.save(
                            Message("o", at: Timestamp(milliseconds: Int64(50 - round % 7))))
                    }
                }
            } else {
                for _ in 0..<400 {
                    // Every commit leaves both messages, or the five first ones. A read must return
                    // one of these states.
                    let page = try? store.messages(in: "general", limit: thread == 1 ? nil : 5)
                    let ids = page?.ids
                    if ids != "n o" && ids != "e d c b a" {
                        Issue.record("\(ids ?? "nothing") was read")
                    }
                    _ = try? store.oldestPosition(in: "general")
                }
            }
        }
        #expect(try store.messages(in: "general").ids == "n o")
    }
}
