import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests messages that get an earlier version, because an edit or a reply was removed.
@Suite struct RemovedEditTests {
    private let store: ChatStore

    init() throws {
        store = try ChatStore.inMemory()
        try feed(
            .channel(
                ChannelUpdate(
                    "general",
                    Patch(
                        whole: GroupChannel(url: "general", createdAt: 1),
                        except: [\.lastSyncedChangelogAt]))),
            .messageReceived(message("a", at: 1001)), .messageUpdated(message("A", at: 1001, 2000)))
    }

    private func message(
        _ text: String, at time: Timestamp, _ updatedAt: Timestamp? = nil
    ) -> Message {
        Message(
            id: MessageID(text.lowercased()), channelURL: "general", text: text, createdAt: time,
            updatedAt: updatedAt)
    }

    private func feed(_ events: FeedEvent...) throws {
        _ = try store.commit { batch in
            var ingest = Ingest(batch, .exact, of: "bob", Flights())
            _ = try ingest.applyFeed(
                FeedBatch(events: events, cursor: "c", epoch: "e", isLive: true), after: nil)
        }
    }

    private func lookUp(_ message: Message) throws {
        _ = try store.commit { batch in
            var flights = Flights()
            let flight = flights.begin(in: "general", feedHadBegun: true)
            guard let interim = flights.end(flight) else {
                Issue.record("the answer is void")
                return
            }
            var ingest = Ingest(batch, .exact, of: "bob", flights)
            try ingest.applyLookup(
                MessageLookup(found: [message], gone: []), in: "general", since: interim,
                .requestMessage)
        }
    }

    private var texts: [String] {
        get throws { try store.read { try $0.messages(in: "general") }.map(\.text).reversed() }
    }

    private var staleMessages: [MessageID] {
        get throws {
            try store.read { reader in
                let ranges = try reader.staleRanges(in: "general")
                return try reader.messages(in: "general").reversed().filter { message in
                    ranges.contains { $0.contains(message.position) }
                }.compactMap(\.messageID)
            }
        }
    }

    @Test func olderVersionInTheFeedIsIgnored() throws {
        try feed(.messageUpdated(message("a", at: 1001)))
        #expect(try texts == ["A"])
    }

    @Test func changedMessageIsReplacedByAnEarlierVersion() throws {
        try feed(.messageChanged("a", in: "general"), .messageUpdated(message("a", at: 1001)))
        #expect(try texts == ["a"])
        // An answer that was requested before the change may still contain the edit.
        #expect(try staleMessages == ["a"])
    }

    @Test func lookupReplacesAChangedMessageByAnEarlierVersion() throws {
        try feed(.messageChanged("a", in: "general"))
        #expect(try texts == ["A"] && staleMessages == ["a"])
        try lookUp(message("a", at: 1001))
        #expect(try texts == ["a"] && staleMessages == [])
    }

    @Test func deletionOfAnUnknownEditMakesItsMessageStale() throws {
        try feed(
            .messageReceived(message("b", at: 1002)),
            .messageOrEditDeleted("e", in: "general", createdAt: 2000, at: 3000))
        #expect(try texts == ["A", "b"])
        #expect(try staleMessages == ["a"])
    }

    /// Another member's event, which names the message, may follow the deletion of its edit.
    @Test func earlierVersionAfterTheDeletionOfAnUnknownEditReplacesTheStoredOne() throws {
        try feed(
            .messageOrEditDeleted("e", in: "general", createdAt: 2000, at: 3000),
            .messageUpdated(message("a", at: 1001)))
        #expect(try texts == ["a"])
    }

    @Test func laterReportOfAnEarlierVersionDoesNotConfirmTheStoredOne() throws {
        try feed(.messageOrEditDeleted("e", in: "general", createdAt: 2000, at: 3000))
        try feed(.messageUpdated(message("a", at: 1001)))
        #expect(try staleMessages == ["a"])
        try lookUp(message("a", at: 1001))
        #expect(try texts == ["a"] && staleMessages == [])
    }

    @Test func deletionOfAStoredMessageRemovesIt() throws {
        try feed(
            .messageReceived(message("b", at: 2000)),
            .messageOrEditDeleted("b", in: "general", createdAt: 2000, at: 3000))
        #expect(try texts == ["A"] && staleMessages == [])
    }

    @Test(arguments: [true, false])
    func deletionOfAReplyMakesTheFirstMessageOfItsThreadStale(isStored: Bool) throws {
        var root = message("root", at: 1002)
        root.threadInfo = ThreadInfo(replyCount: 1, lastRepliedAt: 2500, updatedAt: 2500)
        try feed(.messageReceived(root))
        if isStored {
            var reply = message("reply", at: 2500)
            reply.parentMessageID = "root"
            try feed(.messageReceived(reply))
        }
        try feed(.messageOrEditDeleted("reply", in: "general", createdAt: 2500, at: 3000))
        #expect(try texts == ["A", "root"])
        #expect(try staleMessages == ["root"])
    }

    @Test(arguments: [(replyCount: 2, isStale: true), (replyCount: 1, isStale: false)])
    func threadWithMoreRepliesButAnEarlierTimeIsStale(replyCount: Int, isStale: Bool) throws {
        func root(_ count: Int, at time: Timestamp) -> Message {
            var root = message("root", at: 1002)
            root.threadInfo = ThreadInfo(replyCount: count, lastRepliedAt: time, updatedAt: time)
            return root
        }
        try feed(.messageReceived(root(1, at: 9_000_000)))
        let later = root(replyCount, at: 2500)
        try feed(
            .threadInfo(
                ThreadInfoUpdateEvent(
                    parentMessageID: "root", channelURL: "general",
                    threadInfo: later.threadInfo!)))
        #expect(try staleMessages == (isStale ? ["root"] : []))
        guard isStale else { return }
        try lookUp(later)
        let stored = try store.message("root", in: "general")
        #expect(stored?.threadInfo == later.threadInfo)
        #expect(try staleMessages == [])
    }
}
