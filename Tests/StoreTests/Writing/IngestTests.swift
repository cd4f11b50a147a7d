import Models
import Testing

@testable import Store

/// Tests which messages a batch saves.
///
/// Saving a page requires one lookup for each message.
@Suite struct IngestTests {
    let store: ChatStore

    init() throws { store = try ChatStore.inMemory() }

    private func message(_ id: MessageID, at time: Timestamp, updated: Timestamp? = nil) -> Message
    {
        Message(id: id, channelURL: "c", text: "t", createdAt: time, updatedAt: updated)
    }

    @Test func savingAnEqualMessageChangesNothing() throws {
        try store.write { try $0.save(message("1", at: 1)) }
        let (_, change) = try store.commit { (batch) throws in
            #expect(try !batch.save(message("1", at: 1)))
        }
        #expect(change.isEmpty && change.number == 1)
    }

    @Test func saveClosureDecidesWhetherToReplaceTheStoredMessage() throws {
        func save(_ message: Message) throws -> Bool {
            var isSaved = false
            try store.write { batch in
                isSaved = try batch.save(message) { held in
                    (held.updatedAt ?? 0) < (message.updatedAt ?? 0)
                }
            }
            return isSaved
        }
        #expect(try save(message("1", at: 1, updated: 5)))
        #expect(try !save(message("1", at: 1, updated: 4)))
        #expect(try store.message("1", in: "c")?.updatedAt == 5)
        #expect(try save(message("1", at: 1, updated: 6)))
        #expect(try store.message("1", in: "c")?.updatedAt == 6)
    }

    @Test func evictionLeavesAGap() throws {
        try store.write { batch in
            for time in 1...5 {
                try batch.save(
                    message(MessageID(String(time)), at: Timestamp(milliseconds: Int64(time))))
            }
            try batch.cover("c", from: .beginning, through: .end)
        }
        #expect(try store.gaps(in: "c") == [])
        try store.write { (batch) throws in
            #expect(try batch.evictOldestMessages(2, in: "c") == 2)
        }
        #expect(try store.messages(in: "c").map(\.messageID) == ["5", "4", "3"])
        let oldest = Position(createdAt: 3, messageID: "3")
        #expect(try store.gaps(in: "c") == [Gap(in: "c", to: .position(oldest))])
        try store.write { try $0.evictOldestMessages(9, in: "c") }
        #expect(try store.messageCount() == 0)
        #expect(try store.gaps(in: "c") == [Gap(in: "c")])
    }

    /// The backfill has passed message 4, which is stored inside of the gap.
    @Test func evictionInsideAGapRestartsItsBackfill() throws {
        let times: [Int64] = [1, 4, 6]
        func gaps(evicting count: Int) throws -> [PageCursor?] {
            let store = try ChatStore.inMemory()
            try store.write { batch in
                for time in times {
                    try batch.save(
                        message(MessageID("\(time)"), at: Timestamp(milliseconds: time)))
                }
                let (lower, upper) = (Position(createdAt: 2, messageID: "2"), times[2])
                try batch.cover("c", from: .beginning, through: .position(lower))
                try batch.cover(
                    "c", from: .position(Position(createdAt: 6, messageID: "\(upper)")),
                    through: .end, backfillCursor: "3")
                try batch.evictOldestMessages(count, in: "c")
            }
            return try store.gaps(in: "c").map(\.backfillCursor)
        }
        // Message 1 is older than the gap.
        #expect(try gaps(evicting: 0) == ["3"])
        #expect(try gaps(evicting: 1) == ["3"])
        #expect(try gaps(evicting: 2) == [nil])
        #expect(try gaps(evicting: 3) == [nil])
    }

    @Test func unreadableItemCanBeRemoved() throws {
        try store.write { batch in
            try batch.save(OutboxItem(.delete, requestID: "r", channelURL: "c", createdAt: 1))
        }
        try store.write { batch in
            let key = try #require(try batch.outbox.outboxItemKey("r"))
            batch.rows.outbox.putDamaged({ $0.raw(key) }, { $0.byte(0xFF) })
        }
        let isRemoved = try store.write { try $0.removeOutboxItem("r") }
        #expect(isRemoved)
        #expect(try store.outboxItems() == [])
    }
}
