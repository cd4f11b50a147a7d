import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct ImportTests {
    private let world: World

    init() throws { world = try World() }

    private func message(
        _ text: String, id: MessageID? = nil, from sender: UserID, at time: Timestamp
    ) -> Message {
        Message(
            id: id, channelURL: "old", sender: Sender(id: sender, nickname: sender.rawValue),
            text: text, createdAt: time, sendingStatus: .succeeded)
    }

    @Test func messagesAreTakenAsTheyAre() async throws {
        try world.server.importMessages(
            [
                message("b", id: "$b", from: "bob", at: 20),
                message("a", from: "alice", at: 10),
            ], members: ["carol"])
        let carol = try await world.connect("carol")
        #expect(try await carol.texts(in: "old") == ["a", "b"])
        let channel = try await carol.channel("old")
        #expect(channel.members.map(\.userID) == ["alice", "bob", "carol"])
        #expect(channel.members.map(\.nickname) == ["alice", "bob", ""])
        #expect(channel.unreadMessageCount == 0)
        #expect(channel.lastMessage?.messageID == "$b")
        #expect(try await carol.lookup(["$b", "1"], in: "old").found.map(\.createdAt) == [20, 10])
        // A new message is newer than all imported ones.
        #expect(try await carol.say("c", in: "old").map(\.createdAt) == [1000])
        #expect(try await carol.texts(in: "old") == ["a", "b", "c"])
    }

    @Test func theFeedReportsARangeAndTheChannelForEachImportedBatch() async throws {
        try world.server.importMessages([message("a", from: "alice", at: 10)], members: ["bob"])
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        try world.server.importMessages([
            message("b", from: "carol", at: 30), message("c", from: "alice", at: 5),
        ])
        let events = try await bob.catchUp(since: start).events
        #expect(events.words == ["changed 5 to 30"])
        let channel = try await bob.channel("old")
        #expect(events.channels["old"] == channel)
        #expect(channel.memberCount == 3)
        #expect(channel.lastMessage?.text == "b")
        let many = (100..<1200).map {
            message("\($0)", from: "alice", at: Timestamp(milliseconds: $0))
        }
        try world.server.importMessages(many)
        #expect(
            try await bob.catchUp(since: start).events.words
                == ["changed 5 to 30", "changed 100 to 1099", "changed 1100 to 1199"])
    }

    @Test func skippedMessagesAreNotReported() async throws {
        let known = message("a", id: "1", from: "alice", at: 10)
        try world.server.importMessages([known], members: ["bob"])
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        try world.server.importMessages([known], skipsKnown: true)
        #expect(try await bob.catchUp(since: start).cursor == start)
    }

    @Test func feedReportsImportedMessagesOnRequest() async throws {
        try world.server.importMessages([message("a", from: "alice", at: 10)], members: ["bob"])
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        try world.server.importMessages([message("c", from: "alice", at: 12)], isReported: true)
        #expect(try await bob.catchUp(since: start).events.words == ["c"])
        #expect(try await bob.channel("old").unreadMessageCount == 1)
        try world.server.importMessages([message("d", from: "carol", at: 13)], isReported: true)
        let events = try await bob.catchUp(since: start).events
        #expect(events.words == ["c", "d"])
        #expect(events.channels["old"]?.memberCount == 3)
    }

    /// The device fetches the messages of a truncation from the newest one down to the messages
    /// that it has.
    @Test func aTruncationDoesNotHideOlderMessages() async throws {
        try world.server.importMessages([message("m", from: "alice", at: 10)], members: ["bob"])
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        world.server.conditions.feedLimit = 1
        try world.server.importMessages(
            [
                message("a", from: "alice", at: 4), message("b", from: "alice", at: 5),
                message("x", from: "alice", at: 11), message("y", from: "alice", at: 12),
            ], isReported: true)
        #expect(
            try await bob.catchUp(since: start).events.words == [
                "truncation", "y", "changed 4 to 5",
            ])
    }

    @Test func theFeedReportsTheThreadOfAnEarlierMessage() async throws {
        try world.server.importMessages(
            [message("a", id: "7", from: "alice", at: 10)], members: ["bob"])
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        var replies = [message("b", from: "bob", at: 11), message("c", from: "bob", at: 12)]
        for index in replies.indices { replies[index].parentMessageID = "7" }
        try world.server.importMessages(replies)
        #expect(
            try await bob.catchUp(since: start).events.words == ["changed 11 to 12", "thread 2"])
    }

    @Test func messageIDIsAssignedOnce() async throws {
        let one = message("a", id: "1", from: "alice", at: 10)
        try world.server.importMessages([one])
        #expect(await thrown { try world.server.importMessages([one]) }?.detail == .duplicatedData)
        let alice = try await world.connect("alice")
        #expect(try await alice.say("b", in: "old").map(\.messageID) == ["2"])
    }

    /// If the import skipped a message because another channel has a message with the same id, the
    /// message would be lost without an error.
    @Test func importDoesNotSkipAMessageOfAnotherChannel() async throws {
        let one = message("a", id: "1", from: "alice", at: 10)
        try world.server.importMessages([one])
        var other = message("b", id: "1", from: "alice", at: 11)
        #expect(try world.server.importMessages([other], skipsKnown: true) == 0)
        other.channelURL = "new"
        let error = await thrown {
            try world.server.importMessages([other], skipsKnown: true)
        }
        #expect(error?.message == "message 1 already exists, in old")
    }

    @Test func repliesAreCountedBeyondThoseThatAreRead() async throws {
        let replies = (0..<1002).map { number in
            var reply = message(
                "r", id: MessageID("\(100 + number)"), from: "bob",
                at: Timestamp(milliseconds: Int64(11 + number)))
            reply.parentMessageID = "7"
            return reply
        }
        try world.server.importMessages([message("a", id: "7", from: "alice", at: 10)] + replies)
        let bob = try await world.connect("bob")
        func count() async throws -> Int? {
            try await bob.lookup(["7"], in: "old").found.first?.threadInfo?.replyCount
        }
        #expect(try await count() == 1002)
        for (id, left) in [("100", 1001), ("101", 1000), ("102", 999)] {
            try await bob.delete(MessageID(id), in: "old", requestID: RequestID(id))
            #expect(try await count() == left)
        }
    }

    @Test(arguments: [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    func threadIsCountedInAnyImportOrder(order: [Int]) async throws {
        var messages = [message("a", id: "7", from: "alice", at: 10)]
        for (name, time) in [("b", 11), ("c", 12)] as [(String, Timestamp)] {
            var reply = message(name, id: MessageID(name), from: "bob", at: time)
            reply.parentMessageID = "7"
            messages.append(reply)
        }
        // Import the messages one by one, so that each is written before the next.
        for index in order { try world.server.importMessages([messages[index]]) }
        let alice = try await world.connect("alice")
        let info = try await alice.lookup(["7"], in: "old").found.first?.threadInfo
        #expect(info?.replyCount == 2)
        #expect(info?.lastRepliedAt == 12)
        #expect(info?.mostRepliedUsers.map(\.userID) == ["bob"])
    }

    @Test func feedReportsAThreadWhoseParentIsImportedLater() async throws {
        try world.server.importMessages([message("a", from: "alice", at: 10)], members: ["bob"])
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        var reply = message("c", id: "c", from: "alice", at: 12)
        reply.parentMessageID = "7"
        for message in [reply, message("b", id: "7", from: "alice", at: 11)] {
            try world.server.importMessages([message], isReported: true)
        }
        #expect(
            try await bob.catchUp(since: start).events.words
                == ["c", "b", "thread 1", "changed 11 to 11"])
    }

    @Test func sentReplyDoesNotReplaceItsParent() async throws {
        var reply = message("b", id: "b", from: "alice", at: 12)
        reply.parentMessageID = "7"
        try world.server.importMessages([reply])
        let alice = try await world.connect("alice")
        #expect(try await alice.say("c", in: "old").map(\.messageID) == ["8"])
    }

    @Test func tooLongIDsAreNotImported() async throws {
        try world.server.importMessages([message("a", id: "1", from: "alice", at: 10)])
        let alice = try await world.connect("alice")
        let start = try await alice.feed(since: nil).cursor
        let long = String(repeating: "x", count: 70_000)
        var mention = message("b", from: "alice", at: 11)
        mention.mentionedUserIDs = [UserID(long)]
        var reply = message("c", from: "alice", at: 12)
        reply.parentMessageID = MessageID(long)
        for message in [mention, reply] {
            let error = await thrown {
                try world.server.importMessages([message], isReported: true)
            }
            #expect(error?.detail == .parameterTooLong)
        }
        #expect(try await alice.catchUp(since: start).events.words == [])
        #expect(try await alice.texts(in: "old") == ["a"])
    }
}
