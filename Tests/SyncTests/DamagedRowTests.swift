import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Testing

@testable import Store
@testable import Sync

/// Tests that the feed continues when the row of a message cannot be decoded.
@Suite struct DamagedRowTests {
    private let store: ChatStore
    private let messages = (1...3).map { Message.sample($0) }

    /// Creates a store with messages 1, 2 and 3 of a channel.
    init() throws {
        store = try ChatStore.inMemory()
        try store.write { [messages] batch in
            try batch.save(GroupChannel.sample(lastMessage: messages[2]))
            for message in messages { try batch.save(message) }
            try batch.cover("general", from: .beginning, through: .end)
        }
    }

    private func damage(_ index: Int) throws {
        let position = try #require(messages[index].position)
        try store.write { batch in
            batch.rows.cache.put({ $0.messageKey(1, position) }, { $0.raw([0xFF]) })
        }
        #expect { try store.messages(in: "general") } throws: {
            ($0 as? StoreError)?.code == .corruption
        }
    }

    private func apply(_ event: FeedEvent, unreported: Int? = nil) throws {
        try store.write { batch in
            if let unreported { batch.setUnreported(messages[unreported].position, of: "general") }
            var ingest = Ingest(batch, .exact, "bob", Flights())
            _ = try ingest.apply(
                FeedBatch(events: [event], cursor: "c", epoch: "e", isLive: true), after: nil)
        }
    }

    @Test func lastMessageIsReplacedNextToADamagedRow() throws {
        try damage(1)
        try apply(.messageDeleted("3", in: "general", at: nil))
        #expect(try store.message("3", in: "general") == nil)
        #expect(try store.groupChannel("general")?.lastMessage == nil)
    }

    /// The damaged message still has a position, because its key contains the position.
    @Test func feedDeliveryOlderThanADamagedRowContinuesAtThatRow() throws {
        try damage(2)
        try apply(.messageReceived(messages[1]), unreported: 1)
        #expect(try store.read { try $0.unreported(of: "general") } == messages[2].position)
    }

    @Test func truncationOpensAGapAboveADamagedRow() throws {
        try damage(0)
        try apply(.truncation(in: "general"), unreported: 1)
        let position = try #require(messages[0].position)
        #expect(try store.gaps(in: "general").map(\.lower) == [.position(position)])
    }
}
