import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct FeedTests {
    let world: World

    init() throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob")
    }

    @Test func initialFeedListsChannelsByRecency() async throws {
        try world.makeChannel("b", "alice")
        try world.makeChannel("c", "alice", "bob")
        try world.makeChannel("private", "carol")
        let alice = try await world.connect("alice")
        world.clock.advance()
        _ = try await alice.say("one", in: "c")
        world.clock.advance()
        _ = try await alice.say("two", in: "general")
        let batch = try await alice.feed(since: nil)
        let urls = batch.events.compactMap { event -> ChannelURL? in
            if case .channel(let update) = event { update.channelURL } else { nil }
        }
        #expect(urls == ["general", "c", "b"])
        #expect(batch.events.words == [])
        #expect(batch.events.contains(.channels(["general", "b", "c"])))
        #expect(batch.isLive)
        #expect(batch.epoch.rawValue == world.epoch)
        #expect(batch.events.channel("general") == (try await alice.channel("general")))
    }

    @Test func channelThatMovesDuringTheInitialFeedIsNotSkipped() async throws {
        world.server.conditions.feedBatchSize = 1
        try world.makeChannel("a", "bob")
        let bob = try await world.connect("bob")
        let alice = try await world.connect("alice")
        let first = try await bob.feed(since: nil)
        _ = try await alice.say("hi")
        let (events, _) = try await bob.catchUp(since: first.cursor)
        #expect(events.channel("general") == (try await bob.channel("general")))
        #expect(events.words == ["hi"])
    }

    @Test func eventsAreReportedInOrder() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        _ = try await alice.say("a", "b")
        _ = try await alice.react(.add, with: "+1", to: "1", in: "general", requestID: "r")
        _ = try await bob.send(.text("c") { $0.parentMessageID = "1" })
        try await bob.perform(MarkAsRead("general"))
        try await alice.perform(MarkAsDelivered("general"))
        let (events, cursor) = try await bob.catchUp(since: start)
        #expect(
            events.words == [
                "a", "b", "+\u{2B}1 alice", "c", "thread 1", "read bob 1000",
                "delivered alice 1000",
            ])
        #expect(try await bob.catchUp(since: start).events == events)
        #expect(try await bob.catchUp(since: cursor).events == [])
    }

    @Test func feedDeliversTheCurrentStateOfAMessage() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        _ = try await alice.say("a", "b", "c")
        _ = try await alice.edit("1", to: "A")
        try await alice.delete("2", in: "general", requestID: "r")
        let (events, _) = try await bob.catchUp(since: start)
        #expect(events.words == ["A", "c", "-2"])
        let middle = try await bob.feed(since: nil).cursor
        _ = try await alice.edit("1", to: "AA")
        _ = try await alice.edit("1", to: "AAA")
        #expect(try await bob.catchUp(since: middle).events.words == ["~AAA"])
    }

    @Test func channelEventHasTheLastMessageAndCounts() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let (before, start) = try await bob.catchUp(since: nil)
        _ = try await alice.say("a", "b")
        try await alice.perform(SetFrozen(true, for: "general"))
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: "Allgemein")
        _ = try await alice.perform(UpdateChannel("general", with: patch))
        try await alice.perform(InviteUsers(["dora"], to: "general"))
        let (after, _) = try await bob.catchUp(since: start)
        let channel = (before + after).channel("general")
        #expect(channel == (try await bob.channel("general")))
        #expect(channel.unreadMessageCount == 2)
        #expect(channel.lastMessage?.text == "b")
        #expect(channel.name == "Allgemein")
        #expect(channel.isFrozen)
        #expect(channel.memberCount == 3)
        #expect(channel.joinedMemberCount == 2)
    }

    @Test func batchesAreBounded() async throws {
        world.server.conditions.feedBatchSize = 2
        let alice = try await world.connect("alice")
        let start = try await alice.catchUp(since: nil).cursor
        _ = try await alice.say("a", "b", "c", "d")
        let first = try await alice.feed(since: start)
        #expect(first.events.words == ["a", "b"])
        #expect(!first.isLive)
        let second = try await alice.feed(since: first.cursor)
        #expect(second.events.words == ["c", "d"])
        #expect(second.isLive)
        #expect(try await alice.catchUp(since: start).events.words == ["a", "b", "c", "d"])
    }

    @Test func feedOmitsChannelsOfOtherUsers() async throws {
        try world.makeChannel("private", "carol", "alice")
        let bob = try await world.connect("bob")
        let alice = try await world.connect("alice")
        let start = try await bob.feed(since: nil).cursor
        _ = try await alice.say("secret", in: "private")
        try await alice.perform(SetTyping(true, in: "private"))
        let batch = try await bob.feed(since: start)
        #expect(batch.events == [])
        #expect(batch.isLive)
    }

    @Test func joiningUserReceivesTheChannelAndLaterMessages() async throws {
        let alice = try await world.connect("alice")
        let carol = try await world.connect("carol")
        let start = try await carol.feed(since: nil).cursor
        _ = try await alice.say("before")
        try await alice.perform(InviteUsers(["carol"], to: "general"))
        _ = try await alice.say("invited")
        try await carol.perform(AnswerInvitation(to: "general", accepts: true))
        _ = try await alice.say("after")
        let (events, cursor) = try await carol.catchUp(since: start)
        #expect(events.words == ["invited", "after"])
        #expect(events.channel("general") == (try await carol.channel("general")))
        try await carol.perform(LeaveChannel("general"))
        _ = try await alice.say("gone")
        let (later, _) = try await carol.catchUp(since: cursor)
        #expect(later.words == ["lost general left"])
        // A device that was offline all the time is notified of the removal, but receives none of
        // the channel's messages.
        #expect(try await carol.catchUp(since: start).events.words == ["lost general left"])
    }

    @Test func cursorsExpireOnRequest() async throws {
        let alice = try await world.connect("alice")
        let old = try await alice.feed(since: nil).cursor
        try world.server.expireCursors()
        #expect(await thrown { try await alice.feed(since: old) }?.code == .expired)
        #expect(await thrown { try await alice.feed(since: "nonsense") }?.code == .expired)
        #expect(await thrown { try await alice.feed(since: "2:1") }?.code == .expired)
        #expect(await thrown { try await alice.feed(since: "1:999") }?.code == .expired)
        let token = await thrown { try await alice.channelChanges(since: .token(old.rawValue)) }
        #expect(token?.code == .expired)
        let new = try await alice.feed(since: nil).cursor
        _ = try await alice.say("a")
        #expect(try await alice.catchUp(since: new).events.words == ["a"])
    }

    @Test(arguments: [
        "1:5~18446744073709551615-18446744073709551615-0", "1:2~3-4-0", "1:2~1-999-0", "1:2~1",
        "1:2~1-2", "1:2~1-2-3-4", "1:2~1-2-x", "1:2@rubbish", "1:2@t 5 1 9 c", "1:2.x",
    ])
    func unknownFeedCursorHasExpired(_ cursor: FeedCursor) async throws {
        world.server.conditions.feedLimit = 0
        let alice = try await world.connect("alice")
        _ = try await alice.say("a", "b", "c", "d", "e")
        #expect(await thrown { try await alice.feed(since: cursor) }?.code == .expired)
    }

    // MARK: Live

    @Test func typingEventIsDeliveredOnceWithItsOwnCursor() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        try await alice.perform(SetTyping(true, in: "general"))
        let batch = try await bob.feed(since: start)
        #expect(batch.events.words == [#"typing ["alice"]"#])
        #expect(batch.cursor != start)
        let next = try await bob.feed(since: batch.cursor)
        #expect(next.events == [])
        await alice.disconnect()
        let last = try await bob.feed(since: next.cursor)
        #expect(last.events.words == ["typing []"])
        #expect(last.cursor != batch.cursor)
    }

    @Test func aCanceledFeedEndsItsWait() async throws {
        let bob = world.server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        let start = try await bob.feed(since: nil).cursor
        let task = Task { await thrown { try await bob.feed(since: start) } }
        task.cancel()
        #expect(await task.value?.code == .canceled)
    }

    @Test func disconnectingEndsAWait() async throws {
        let bob = world.server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        let start = try await bob.feed(since: nil).cursor
        let task = Task { await thrown { try await bob.feed(since: start) } }
        await bob.disconnect()
        #expect(await task.value?.code == .notConnected)
        let error = await thrown { try await bob.channel("general") }
        #expect(error?.code == .notConnected)
    }

    // MARK: Truncations

    @Test func feedDeliversOnlyTheNewestMissedMessages() async throws {
        world.server.conditions.feedLimit = 2
        world.server.conditions.feedBatchSize = 3
        try world.makeChannel("small", "alice", "bob")
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        _ = try await alice.say("0")
        let start = try await bob.catchUp(since: nil).cursor
        _ = try await alice.edit("1", to: "zero")
        for text in ["a", "b", "c", "d", "e"] {
            world.clock.advance()
            _ = try await alice.say(text)
        }
        _ = try await alice.say("x", in: "small")
        let (events, _) = try await bob.catchUp(since: start)
        #expect(events.words == ["truncation", "d", "e", "x"])
        #expect(events.contains(.truncation(in: "general")))
        let changes = try await bob.messageChanges(in: "general", since: .feed(start))
        #expect(changes.updated.map(\.text) == ["zero"])
    }

    @Test(arguments: [0, 1, 5, nil])
    func changedLimitDuringAnAbsenceLosesNothing(_ limit: Int?) async throws {
        world.server.conditions.feedLimit = 3
        world.server.conditions.feedBatchSize = 2
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.catchUp(since: nil).cursor
        _ = try await alice.say("a", "b", "c", "d", "e")
        let first = try await bob.feed(since: start)
        #expect(first.events.words == ["truncation"])
        world.server.conditions.feedLimit = limit
        let (rest, cursor) = try await bob.catchUp(since: first.cursor)
        #expect(rest.words == ["c", "d", "e"])
        // The changed limit applies only to what is sent after this catch-up.
        _ = try await alice.say("f", "g")
        let next = try await bob.catchUp(since: cursor).events.words
        #expect(
            next == (limit == 0 ? ["truncation"] : limit == 1 ? ["truncation", "g"] : ["f", "g"]))
    }

    @Test func changingTheLimitDuringACatchUpLosesNoMessages() async throws {
        world.server.conditions.feedLimit = 5
        world.server.conditions.feedBatchSize = 2
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.catchUp(since: nil).cursor
        _ = try await alice.say("a", "b", "c", "d", "e")
        let first = try await bob.feed(since: start)
        #expect(first.events.words == ["a", "b"])
        world.server.conditions.feedLimit = 1
        #expect(try await bob.catchUp(since: first.cursor).events.words == ["c", "d", "e"])
    }
}
