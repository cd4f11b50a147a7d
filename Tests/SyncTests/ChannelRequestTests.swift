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
        story.network.hold([.feed, CreateChannel.name])
        try await story.connect()
        async let made = story.engine.perform(
            CreateChannel(
                GroupChannelCreateParams("Mine", userIDs: ["alice"], url: "mine")))
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

    @Test func answersWithoutUnreadCountsAndReceiptsKeepThoseOfTheFeed() async throws {
        let story = try await Story()
        try await story.say("x")
        try await story.sync()
        try await story.engine.perform(MarkAsRead("general"))
        try await story.until { try $0.groupChannel("general")?.myLastRead != nil }
        try await story.say("a b")
        try await story.until { try $0.groupChannel("general")?.unreadMessageCount == 2 }
        let before = try #require(try story.store.groupChannel("general"))
        #expect(!before.readReceipts.isEmpty)
        await story.engine.close()
        let engine = try await story.relaunched(
            backend: BackendWithoutReadState(base: story.network))
        try await engine.caughtUp()
        #expect(try await engine.fetchChannel("general").unreadMessageCount == 2)
        #expect(try story.store.groupChannel("general")?.unreadMessageCount == 2)
        _ = try await engine.fetchChannels(matching: GroupChannelListQuery())
        #expect(try story.store.groupChannel("general")?.unreadMessageCount == 2)
        #expect(try await engine.verify("general").channel == nil)
        let after = try #require(try story.store.groupChannel("general"))
        #expect(after.myLastRead == before.myLastRead)
        #expect(after.readReceipts == before.readReceipts)
        try await story.say("c")
        try await story.until { try $0.groupChannel("general")?.unreadMessageCount == 3 }
        await engine.close()
    }
}

/// A backend that knows unread counts and receipts only in the feed.
private struct BackendWithoutReadState: ForwardingBackend {
    let base: any Backend

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        let answer = try await call.make(on: base)
        switch answer {
        case let channel as GroupChannel: return withoutReadState(channel) as? Call.Answer ?? answer
        case var page as Page<GroupChannel>:
            page.elements = page.elements.map(withoutReadState)
            return page as? Call.Answer ?? answer
        default: return answer
        }
    }

    private func withoutReadState(_ channel: GroupChannel) -> GroupChannel {
        var channel = channel
        channel.unreadMessageCount = 0
        channel.unreadMentionCount = 0
        channel.readReceipts = [:]
        channel.deliveryReceipts = [:]
        channel.myLastRead = nil
        return channel
    }
}
