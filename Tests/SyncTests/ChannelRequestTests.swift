import EmbeddedServer
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests requests of the user that create or change channels.
@Suite(.timeLimit(.minutes(10))) struct ChannelRequestTests {
    @Test func createdChannelIsStoredImmediately() async throws {
        let story = try await Story()
        try await story.open()
        let made = try await story.engine.createChannel(
            GroupChannelCreateParams("Mine", userIDs: ["alice"], url: "mine"))
        #expect(made.name == "Mine")
        #expect(try story.store.groupChannel("mine")?.name == "Mine")
        // The feed's first events may arrive after the answer to the update below. Wait for them.
        try await story.waitUntilNotified()
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: "Ours")
        #expect(try await story.engine.updateChannel("mine", with: patch).name == "Ours")
        #expect(try story.store.groupChannel("mine")?.name == "Ours")
        try await story.end()
    }

    /// The feed starts while the request is in flight, so the answer to the request may be
    /// outdated.
    @Test func outdatedAnswerDoesNotDuplicateACreatedChannel() async throws {
        let story = try await Story()
        story.network.hold([.feed, .createChannel])
        try await story.connect()
        async let made = story.engine.createChannel(
            GroupChannelCreateParams("Mine", userIDs: ["alice"], url: "mine"))
        let held = try await story.held(2)
        let feed = try #require(held.firstIndex { $0.call == .feed })
        story.network.release(at: feed)
        try await story.until { try $0.groupChannel("general") != nil }
        story.network.stopHolding()
        #expect(try await made.name == "Mine")
        #expect(try story.store.groupChannel("mine")?.name == "Mine")
        try await story.end()
    }

    @Test func repliesAreStoredWithoutCoverage() async throws {
        let story = try await Story()
        let a = try await story.say("a")[0]
        var params = UserMessageCreateParams("b")
        params.parentMessageID = a.messageID
        var reply = Message(id: nil, channelURL: "general", text: "b", createdAt: 0)
        reply.userMessageParams = params
        _ = try await story.alice.send(OutboxItem(reply, requestID: "reply"))
        try await story.connect()
        try await story.engine { $0.isLive }
        let fetched = try await story.engine.fetchReplies(
            to: a.messageID!, in: "general", at: .newest, older: 10, newer: 0)
        #expect(fetched.page.messages.map(\.text) == ["b"])
        #expect((fetched.from, fetched.through) == (.beginning, .end))
        #expect(try story.picture() == "… b ~")
        try await story.end()
    }

    @Test func cacheIsClearedWhileTheFeedContinues() async throws {
        let story = try await Story()
        try story.createChannel("random")
        try await story.say("a b")
        try await story.open()
        try await story.engine.clearCachedData()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a b")
        #expect(try story.store.read { try $0.groupChannels().count } == 2)
        try await story.say("c")
        try await story.sees("a b c")
        try await story.engine.clearCachedMessages(in: ["general"])
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a b c")
        try await story.end()
    }
}
