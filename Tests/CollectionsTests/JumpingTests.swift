import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests moving the window to a message, and finding the first unread one.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct JumpingTests {
    @Test func windowMovesToAMessageThatIsNotCached() async throws {
        let story = try await Story()
        let sent = try await story.say("a b c d e f g h i")
        try await story.sync()
        let view = try await story.startedView(.sized(2, 2))
        #expect(view.picture == "… h i")
        let id = try #require(sent[3].messageID)
        #expect(try await view.collection.jump(to: id).text == "d")
        #expect(view.picture == "… b c d e …")
        // A listed message moves nothing.
        #expect(try await view.collection.jump(to: try #require(sent[4].messageID)).text == "e")
        #expect(view.picture == "… b c d e …")
        try await story.end()
    }

    @Test func windowStaysIfTheMessageCannotBeFetched() async throws {
        let story = try await Story()
        try await story.say("a b c d e f")
        try await story.sync()
        let view = try await story.startedView(.sized(2, 2))
        #expect(view.picture == "… e f")
        await story.engine.disconnect()
        let sent = try await story.say("g h i j")
        await expectError(.notConnected) { try await view.collection.jump(to: sent[1].messageID!) }
        #expect(view.picture == "… e f")
        try await story.connect()
        await view.shows("… e f g h i j")
        await expectError(.notFound) { try await view.collection.jump(to: "no message") }
        #expect(view.picture == "… e f g h i j")
        try await story.end()
    }

    @Test func cachedMessageIsShownOffline() async throws {
        let story = try await Story.caching("a b c d e f")
        let sent = try story.store.snapshot().messages(in: "general")
        await story.engine.disconnect()
        let view = story.view(of: "general", .sized(1, 2))
        view.collection.start()
        #expect(view.picture == "… f")
        #expect(try await view.collection.jump(to: sent[4].messageID!).text == "b")
        #expect(view.picture == "a b c …")
        try await story.connect()
        try await story.end()
    }

    @Test func collectionStartsAtAMessage() async throws {
        let story = try await Story()
        let sent = try await story.say("a b c d e f")
        let id = try #require(sent[2].messageID)
        try await story.sync()
        let view = story.view(at: .message(id), .sized(1, 0))
        let start = view.collection.start()
        #expect(try start.cached == [])
        #expect(try await start.refreshed.map(\.text) == ["b", "c"])
        let other = story.view(at: .message("no message"))
        #expect(throws: SyncError.self) { try other.collection.start(.cacheOnly).cached }
        try await story.end()
    }

    @Test func firstUnreadMessageStaysWhenTheChannelIsRead() async throws {
        let story = try await Story.caching("a b")
        story.clock.advance(by: .seconds(1))
        let read = story.clock.now
        try await story.network.perform(MarkAsRead("general"))
        try await story.say("c d")
        try await story.waitUntilNotified()
        let view = story.view()
        #expect(try story.store.read { try $0.groupChannel("general")?.myLastRead } == read)
        _ = try await view.collection.start().refreshed
        let first = view.collection.messages.first { $0.text == "c" }
        #expect(view.collection.firstUnreadMessageID == first?.messageID)
        try await story.network.perform(MarkAsRead("general"))
        try await view.isUpToDate()
        #expect(view.collection.firstUnreadMessageID == first?.messageID)
        try await story.end()
    }
}
