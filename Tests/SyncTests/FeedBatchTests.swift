import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests batches of the feed in which several events change the same channel.
@Suite(.timeLimit(.minutes(10))) struct FeedBatchTests {
    private let store: ChatStore
    private let url: ChannelURL = "general"

    init() throws {
        store = try ChatStore.inMemory()
        _ = try store.commit { batch in try batch.save(GroupChannel.sample()) }
    }

    private func feed(_ events: [FeedEvent]) throws -> Change {
        let (_, change) = try store.commit { batch in
            var ingest = Ingest(batch, .exact, of: "bob", Flights())
            _ = try ingest.applyFeed(
                FeedBatch(events: events, cursor: "c", epoch: "e", isLive: true), after: nil)
        }
        return change
    }

    private func channel() throws -> GroupChannel {
        try #require(try store.groupChannel("general"))
    }

    // MARK: Receipts

    /// Another server can send receipts of any number of users.
    @Test func receiptsOfAChannelSaveItOnceForEachKind() throws {
        let count = 2_000
        var events: [FeedEvent] = []
        for number in 0..<count {
            let (user, time) = (UserID("u\(number)"), Timestamp(milliseconds: Int64(number + 1)))
            events.append(.read(by: user, in: url, at: time))
            events.append(.delivered(to: user, in: url, at: time))
        }
        events.append(.read(by: "bob", in: url, at: 9000))
        events.append(.read(by: "bob", in: url, at: 8000))
        events.append(.read(by: "bob", in: "absent", at: 9999))
        let change = try feed(events)
        #expect(
            change.entries.map(\.source)
                == [.eventReadReceiptUpdated, .eventDeliveryReceiptUpdated])
        let channel = try channel()
        #expect(channel.readReceipts.count == count + 1)
        #expect(channel.readReceipts["u1999"] == 2000 && channel.myLastRead == 9000)
        #expect(channel.deliveryReceipts.count == count)
        #expect(try feed(events).isEmpty)
    }

    @Test func receiptsAreAppliedInTheOrderOfOtherEvents() throws {
        var patch = Patch<GroupChannel>()
        patch.set(\.readReceipts, to: ["carol": 7])
        _ = try feed([
            .read(by: "alice", in: url, at: 1000),
            .channel(ChannelUpdate(url, patch)),
            .read(by: "dave", in: url, at: 2000),
        ])
        #expect(try channel().readReceipts == ["carol": 7, "dave": 2000])
    }

    // MARK: Last messages

    /// Stores two messages, of which `2` is the channel's last one.
    private func storeMessages() throws {
        _ = try feed([
            .messageReceived(.sample(1, at: 1000)), .messageReceived(.sample(2, at: 2000)),
        ])
        #expect(try channel().lastMessage?.messageID == "2")
    }

    private var outdated: FeedEvent {
        var patch = Patch<GroupChannel>()
        patch.set(\.lastMessage, to: Message.sample(2, at: 2000))
        return .channel(ChannelUpdate(url, patch))
    }

    @Test(arguments: [true, false])
    func outdatedChannelDoesNotRestoreADeletedLastMessage(isFirst: Bool) throws {
        try storeMessages()
        let deletion = FeedEvent.messageDeleted("2", in: url, at: 3000)
        _ = try feed(isFirst ? [outdated, deletion] : [deletion, outdated])
        #expect(try channel().lastMessage?.messageID == "1")
    }

    @Test func lastMessageThatALookupDoesNotFindIsReplaced() throws {
        try storeMessages()
        var flights = Flights()
        let flight = flights.begin(in: url, feedHadBegun: true)
        let ended = flights.end(flight)
        let interim = try #require(ended)
        _ = try store.commit { batch in
            var ingest = Ingest(batch, .exact, of: "bob", Flights())
            try ingest.applyLookup(
                MessageLookup(found: [], gone: ["2"]), in: url, since: interim, .messageFill)
        }
        #expect(try channel().lastMessage?.messageID == "1")
    }
}
