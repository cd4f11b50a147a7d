import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests a device that applies the events of the feed.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
    @Test func unopenedChannelIsKnownFromItsMessages() async throws {
        let story = try await Story()
        try await story.say("a b")
        try await story.sync()
        #expect(try story.picture() == "…")
        try await story.say("c")
        try await story.sees("… c ~")
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a b c")
        try await story.end()
    }

    // MARK: Channels

    @Test func leavingAChannelRemovesItsMessages() async throws {
        let story = try await Story.caching("a")
        try await story.network.perform(LeaveChannel("general"))
        try await story.until { try $0.groupChannel("general") == nil }
        #expect(try story.picture() == "…")
        try await story.end()
    }

    /// A bug in other clients: old messages reappeared under a reused URL (Sendbird 4.1.4).
    @Test func recreatedChannelIsAnotherOne() async throws {
        let story = try await Story.caching("a b")
        await story.engine.disconnect()
        try await story.alice.perform(DeleteChannel("general"))
        try story.createChannel()
        try await story.say("c")
        try await story.open()
        #expect(try story.picture() == "c")
        try await story.end()
    }

    // MARK: Other events

    @Test func unreadMessagesAreCounted() async throws {
        let story = try await Story()
        try await story.open()
        try await story.say("a b")
        try await story.engine { $0.unreadCount?.groupChannelUnreadMessageCount == 2 }
        try await story.network.perform(MarkAsRead("general"))
        try await story.engine { $0.unreadCount?.groupChannelUnreadMessageCount == 0 }
        try await story.end()
    }

    @Test func unreadCountIsAvailableOffline() async throws {
        let story = try await Story.caching("a b")
        try await story.engine { $0.unreadCount?.groupChannelUnreadMessageCount == 2 }
        await story.close()
        story.network.goOffline()
        story.sleeper.hold()
        let engine = try await story.relaunched()
        #expect(await engine.state.unreadCount?.groupChannelUnreadMessageCount == 2)
        await engine.close()
    }

    @Test func typingIsReportedAndNotStored() async throws {
        let story = try await Story()
        try await story.open()
        let (_, changes) = try story.store.observe(.channel("general"))
        try await story.alice.perform(SetTyping(true, in: "general"))
        let typing = await changes.first { $0.operations.contains(where: \.isTyping) }
        guard case .ephemeral(.typing(let users, _)) = typing?.operations.first(where: \.isTyping)
        else {
            Issue.record("nobody types")
            return
        }
        #expect(users.map(\.userID) == ["alice"])
        try await story.end()
    }

    // MARK: Incorrect feeds

    @Test(arguments: [
        "feed.repeatedEvents", "feed.repeatedBatches", "feed.reordered", "feed.split",
        "feed.shuffled",
    ])
    func feedMayRepeatAndReorderEvents(_ name: String) async throws {
        let condition = try #require(NetworkCondition.named(name))
        for seed in 0..<5 {
            let story = try await Story()
            try await story.open()
            await story.engine.disconnect()
            story.network.update {
                $0.seed = UInt64(seed)
                condition.set("0.7", in: &$0)
            }
            let messages = try await story.say("a b c d e")
            try await story.edit(messages[1], to: "B")
            try await story.edit(messages[3], to: "D")
            try await story.react("👍", to: messages[0])
            try await story.connect()
            try await story.sees("a B c D e")
            try await story.end()
        }
    }

    /// A bug in other clients: the cursor was the newest time, of the device or server (Stream,
    /// issue 1246).
    @Test func wrongDeviceClockLosesNothing() async throws {
        let story = try await Story.caching("a")
        story.clock.advance(by: .seconds(3600 * 24 * 3650))
        try await story.say("b")
        try await story.sees("a b")
        story.clock.advance(by: .seconds(-3600 * 24 * 3650))
        try await story.sendWhileOffline("c")
        try await story.waitUntilNotified()
        #expect(Set(try story.picture().split(separator: " ")) == ["a", "b", "c"])
        try await story.end()
    }
}

extension Change.Operation {
    fileprivate var isTyping: Bool {
        if case .ephemeral(.typing) = self { true } else { false }
    }
}

extension ObservedChanges {
    /// Returns the first change that fulfills a condition.
    fileprivate func first(where condition: (Change) -> Bool) async -> Change? {
        for await change in self where condition(change) { return change }
        return nil
    }
}
