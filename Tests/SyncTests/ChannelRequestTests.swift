import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests requests of the user that create or change channels.
@Suite(.timeLimit(.minutes(10))) struct ChannelRequestTests {
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
        try await story.reply("b", to: a)
        try await story.sync()
        let fetched = try await story.engine.fetchReplies(
            to: a.messageID!, in: "general", at: .newest, older: 10, newer: 0)
        #expect(fetched.page.messages.map(\.text) == ["b"])
        #expect((fetched.from, fetched.through) == (.beginning, .end))
        #expect(try story.picture() == "… b ~")
        try await story.end()
    }
}
