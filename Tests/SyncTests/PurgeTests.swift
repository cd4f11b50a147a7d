import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests the deletion of all messages of a user.
@Suite(.timeLimit(.minutes(10))) struct PurgeTests {
    let story: Story

    /// Alice and carol have written in two channels, and bob's device has stored both.
    init() async throws {
        story = try await Story()
        try await story.alice.perform(InviteUsers(["carol"], to: "general"))
        try story.server.createChannel(
            GroupChannelCreateParams("cats", userIDs: ["bob", "carol"], url: "cats"), by: "alice")
        try await story.say("a")
        try await carolSays("x", in: "general")
        try await story.say("b")
        try await carolSays("y", in: "cats")
        try await story.open()
        try await story.engine.caughtUp("cats")
        #expect(try story.picture() == "a x b")
    }

    private func carolSays(_ words: String, in url: ChannelURL) async throws {
        let carol = story.server.client()
        _ = try await carol.connect(as: Credentials("carol"))
        try await carol.answerInvitationIfInvited(to: url)
        try await carol.say(words, in: url, story.clock, RequestIDs(prefix: "carol \(words) "))
        await carol.disconnect()
    }

    @Test func purgeOfAChannelRemovesTheMessagesOfTheSender() async throws {
        #expect(try story.server.deleteMessages(ofSender: "carol", in: "general") == 1)
        try await carolSays("z", in: "general")
        try await story.sees("a b z")
        #expect(try story.picture("cats") == "y")
        try await story.end()
    }

    @Test func purgeOfAllChannelsRemovesTheLastMessageToo() async throws {
        #expect(try story.server.deleteMessages(ofSender: "carol") == 2)
        try await story.sees("a b")
        try await story.sees("", in: "cats")
        #expect(try story.store.read { try $0.groupChannel("cats")?.lastMessage } == nil)
        try await story.end()
    }

    @Test func purgeIsAppliedAfterAnAbsence() async throws {
        await story.engine.disconnect()
        try story.server.deleteMessages(ofSender: "carol")
        try await story.catchUp()
        #expect(try story.picture() == "a b")
        try await story.end()
    }

    /// A page that was requested before the purge arrives after it.
    @Test func answerOfAnEarlierRequestDoesNotRestoreAMessage() async throws {
        story.network.hold([.messages])
        async let page = story.engine.fetchMessages(
            in: "general", at: .newest, older: 10, newer: 0)
        try await story.held(1)
        try story.server.deleteMessages(ofSender: "carol")
        try await story.sees("a b")
        story.network.stopHolding()
        _ = try? await page  // a void answer fails
        #expect(try story.picture() == "a b")
        try await story.end()
    }
}

extension EmbeddedClient {
    fileprivate func answerInvitationIfInvited(to url: ChannelURL) async throws {
        guard try await channel(url).myMemberState == .invited else { return }
        try await perform(AnswerInvitation(to: url, accepts: true))
    }
}
