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

    @Test func unreadableRowCanBeReplaced() throws {
        try store.write { batch in
            try batch.save(GroupChannel(url: "c", createdAt: 1))
            try batch.save(OutboxItem(.delete, requestID: "r", channelURL: "c", createdAt: 1))
        }
        #expect(try store.groupChannelCount() == 1)
        try store.write { batch in
            let number = try #require(try batch.number(of: "c"))
            batch.rows.cache.put({ $0.table(.groupChannel, number) }, { $0.byte(0xFF) })
            let key = try #require(try batch.outbox.outboxItemKey("r"))
            batch.rows.outbox.put({ $0.raw(key) }, { $0.byte(0xFF) })
        }
        #expect(throws: StoreError.self) { try store.groupChannel("c") }
        try store.write { batch in
            try batch.save(GroupChannel(url: "c", createdAt: 2))
            #expect(try batch.removeOutboxItem("r"))
        }
        #expect(try store.groupChannel("c")?.createdAt == 2)
        #expect(try store.groupChannels().map(\.createdAt) == [2])
        #expect(try store.outboxItems() == [])
    }
}
