import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests which ranges of a history a device treats as known.
@Suite(.timeLimit(.minutes(10))) struct CoverageTests {
    /// In fluux 556, an id of the device was used as one of the server.
    @Test func messageWithoutAServerIDIsNotStored() async throws {
        let story = try await Story.caching("a")
        var item = Message(id: nil, channelURL: "general", text: "item", createdAt: 5_000_000)
        item.requestID = "mine"
        #expect(try await story.engine.ingest([item]) == 0)
        try await story.sendWhileOffline("b")
        try await story.sees("a b")
        try await story.end()
    }

    @Test func distantPageJoinsNoRanges() async throws {
        let story = try await Story()
        let messages = try await story.say("a b c d e f g h")
        try await story.sync()
        let fetched = try await story.engine.fetchMessages(
            in: "general", at: .time(messages[3].createdAt), older: 1, newer: 1)
        #expect(fetched.page.messages.map(\.text) == ["c", "d"])
        #expect(try story.picture() == "… c d ~")
        let next = try await story.engine.fetchMessages(
            in: "general", at: .message(messages[3].messageID!), older: 0, newer: 3)
        #expect(next.page.messages.map(\.text) == ["d", "e", "f"])
        #expect(try story.picture() == "… c d e f ~")
        try await story.engine.caughtUp("general")
        try await story.end()
    }

    @Test func visibleGapsAreBackfilledFirst() async throws {
        var options = SyncOptions.exact
        options.pageSize = 2
        options.backgroundPages = 0
        let story = try await Story(options)
        let messages = try await story.say("a b c d")
        try await story.open()
        #expect(try story.picture() == "… c d")
        await story.engine.show(
            "general", ShownRange(from: .position(messages[1].position!)), viewer: 1)
        try await story.sees("a b c d")
        try await story.end()
    }

    @Test func messageOfAnUnknownChannelIsStoredUntilTheListOfChannelsArrives() async throws {
        let story = try await Story()
        #expect(try await story.engine.ingest([.sample(1, in: "elsewhere", text: "x")]) == 1)
        #expect(try story.picture("elsewhere") == "… x ~")
        #expect(try story.store.read { try $0.groupChannel("elsewhere") } == nil)
        try await story.open()
        try await story.engine.caughtUp()
        #expect(try story.store.read { try $0.messages(in: "elsewhere").isEmpty })
        try await story.end()
    }

    @Test func unstorableMessageIsSkipped() async throws {
        let story = try await Story()
        try await story.open()
        let long = MessageID(String(repeating: "9", count: 70_000))
        var message = Message.sample(1)
        message.messageID = long
        #expect(try await story.engine.ingest([message]) == 0)
        #expect(await story.engine.state.failure == nil)
        #expect(try story.picture() == "")
        try await story.end()
    }
}
