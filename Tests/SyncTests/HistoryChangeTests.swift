import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests imports and other changes of the server's history that the feed reports as a range of
/// times.
@Suite(.timeLimit(.minutes(10))) struct HistoryChangeTests {
    /// Returns a device that has stored all of `a b c`.
    ///
    /// These messages were sent at 2, 3 and 4 seconds.
    private func story(_ conditions: ServerConditions = ServerConditions()) async throws -> Story {
        let story = try await Story(.exact, conditions)
        try await story.say("a b c")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        #expect(try story.picture() == "a b c")
        return story
    }

    @Test func importBetweenStoredMessagesMakesTheirRangeStale() async throws {
        let story = try await story()
        try story.importMessages(["x": 2500])
        try await story.waitUntilNotified()
        let kinds = try await story.engine.coverage(of: "general").parts.map(\.kind)
        #expect(kinds == [.known, .stale, .known])
        #expect(try await story.engine.fetchStaleMessages(in: "general") > 0)
        #expect(try story.picture() == "a x b c")
        #expect(try await story.engine.coverage(of: "general").isComplete)
        #expect(try await story.engine.verify("general").isEmpty)
        try await story.end()
    }

    @Test func shownChannelFetchesAnOfflineImport() async throws {
        let story = try await story()
        await story.engine.disconnect()
        try story.importMessages(["w": 100, "x": 2500, "z": 9000])
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.connect()
        try await story.sees("w a x b c z")
        try await story.end()
    }

    @Test func requestFromBeforeAnImportIsRepeated() async throws {
        let story = try await story()
        story.network.hold([.messages])
        let engine = story.engine
        async let fetched = engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        try await story.held(1)
        try story.importMessages(["x": 2500])
        try await story.waitUntilNotified()
        story.network.stopHolding()
        #expect(try await fetched.page.messages.map(\.text) == ["a", "x", "b", "c"])
        #expect(try story.picture() == "a x b c")
        try await story.end()
    }

    /// Creates a story in which bob's device has cached only "c", and "b", which was between "a"
    /// and "c", was deleted.
    ///
    /// - Returns: The position of "c", and a cursor of the page that began at "b".
    private func storyBeforeAnImport() async throws -> (Story, Position, MessageAnchor) {
        let story = try await Story(.exact { $0.pageSize = 1 })
        let messages = try await story.say("a b c")
        let (b, c) = (messages[1].messageID!, messages[2].position!)
        let page = try await story.alice.messages(
            in: "general", at: .message(b), older: 0, newer: 1)
        try await story.open()
        try await story.delete(messages[1])
        return (story, c, .cursor(try #require(page.older)))
    }

    /// The server may import a message whose position is between that of a cursor and the stored
    /// message next to it.
    @Test func importBetweenACursorAndItsEdgeIsNotCovered() async throws {
        let (story, c, cursor) = try await storyBeforeAnImport()
        try await story.waitUntilNotified()
        #expect(try story.picture() == "… c")
        story.network.hold([.messages])
        let engine = story.engine
        async let fetched = engine.fetchMessages(
            in: "general", at: cursor, older: 9, newer: 0, bound: .position(c))
        try await story.held(1)
        try story.importMessages(["x": 3500])
        try await story.waitUntilNotified()
        story.network.stopHolding()
        #expect(try await fetched.page.messages.map(\.text) == ["a"])
        #expect(try story.picture() == "a ~ c")
        try await story.end()
    }

    /// The app has kept the cursor since before the import.
    @Test func cursorThatTheGapDoesNotHaveDoesNotCoverItsBound() async throws {
        let (story, c, cursor) = try await storyBeforeAnImport()
        try story.importMessages(["x": 3500])
        try await story.waitUntilNotified()
        let fetched = try await story.engine.fetchMessages(
            in: "general", at: cursor, older: 9, newer: 0, bound: .position(c))
        #expect(fetched.page.messages.map(\.text) == ["a"])
        #expect(try story.picture() == "a ~ c")
        try await story.end()
    }

    /// The backfill has already passed the imported message: its cursor is older.
    @Test func importRestartsAWalk() async throws {
        let story = try await story()
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("d e f")
        try await story.sees("a b c ~ f ~")
        try await story.held(1)
        try story.importMessages(["x": 6500])
        try await story.waitUntilNotified()
        story.network.stopHolding()
        try await story.sees("a b c d e x f")
        try await story.end()
    }

    @Test func killedDeviceReceivesTheHistoryChangeAgain() async throws {
        let story = try await story()
        await story.engine.close()
        try story.importMessages(["x": 2500, "d": 4500])
        let engine = try await story.relaunched()
        try await story.waitUntilNotified()
        #expect(try await engine.coverage(of: "general").parts.map(\.kind).contains(.stale))
        _ = try await engine.fetchStaleMessages(in: "general")
        try await engine.caughtUp("general")
        #expect(try story.picture() == "a x b c d")
        #expect(try await engine.verify("general").isEmpty)
        await engine.close()
    }

    @Test func channelIsCorrectWhenTheFeedIsLive() async throws {
        let story = try await story()
        try story.importMessages(["x": 2500, "z": 9000], from: "carol")
        try await story.waitUntilNotified()
        let channel = try #require(try story.store.groupChannel("general"))
        #expect(channel.memberCount == 3)
        #expect(channel.members.map(\.userID) == ["alice", "bob", "carol"])
        #expect(channel.lastMessage?.text == "z")
        #expect(try await story.engine.verify("general").channel == nil)
        try await story.end()
    }

    @Test func importedReplyChangesItsStoredParent() async throws {
        let story = try await Story()
        let parent = try await story.say("a")[0]
        try await story.open()
        var reply = Message(
            id: nil, channelURL: "general", sender: Sender(id: "alice"), text: "b", createdAt: 9000,
            sendingStatus: .succeeded)
        reply.parentMessageID = parent.messageID
        try story.server.importMessages([reply])
        try await story.waitUntilNotified()
        #expect(
            try story.store.message(parent.messageID!, in: "general")?.threadInfo?.replyCount == 1)
        try await story.end()
    }

    @Test func expiredRangeRemovesItsMessages() async throws {
        let story = try await story()
        try story.server.expireMessages(before: 3500)
        try await story.waitUntilNotified()
        #expect(try story.picture() == "c")
        #expect(try await story.engine.verify("general").isEmpty)
        try story.server.expireMessages(before: 9000)
        try await story.sees("")
        #expect(try story.store.groupChannel("general")?.lastMessage == nil)
        try await story.end()
    }

    @Test func truncationDoesNotHideALateImport() async throws {
        let story = try await story()
        story.limitFeed(1)
        await story.engine.disconnect()
        try story.importMessages(["x": 2500, "d": 9000, "e": 9001, "f": 9002], isReported: true)
        try await story.catchUp()
        _ = try await story.engine.fetchStaleMessages(in: "general")
        #expect(try story.picture() == "a x b c d e f")
        try await story.end()
    }
}
