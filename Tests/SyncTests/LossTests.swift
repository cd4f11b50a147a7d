import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests events after which cached data may be out of date.
@Suite(.timeLimit(.minutes(10))) struct LossTests {
    /// Returns a device that has `a b c`, and reconnects after its cursor has expired.
    func storyAfterALongTime(
        _ meanwhile: (Story, [Message]) async throws -> Void
    ) async throws -> Story {
        let story = try await Story(.exact { $0.pageSize = 2 })
        let messages = try await story.say("a b c")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
        await story.engine.disconnect()
        try await meanwhile(story, messages)
        try story.server.expireCursors()
        try await story.sync()
        return story
    }

    @Test func expiredCursorMakesEverythingStale() async throws {
        let story = try await storyAfterALongTime { story, _ in try await story.say("d e") }
        // The channel is not shown, so the engine fetches nothing.
        #expect(try story.picture() == "a? b? c? ~")
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a? b c d e")
        try await story.end()
    }

    @Test func visibleStaleRangeIsFetched() async throws {
        let story = try await storyAfterALongTime { story, messages in
            try await story.edit(messages[0], to: "A")
            try await story.delete(messages[1])
            try await story.say("d e")
        }
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("A c d e")
        try await story.end()
    }

    @Test func eventsBeforeTheFirstPageAreNotLost() async throws {
        let story = try await storyAfterALongTime { story, _ in
            story.network.hold([.messages])
            try await story.say("d e")
        }
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.held(1)
        try await story.say("f")
        try await story.sees("a? b? c? ~ f ~")
        story.network.stopHolding()
        try await story.sees("a b c d e f")
        try await story.end()
    }

    @Test func channelDeletedDuringALongAbsenceIsRemoved() async throws {
        let story = try await storyAfterALongTime { story, _ in
            try await story.alice.perform(DeleteChannel("general"))
        }
        #expect(try story.picture() == "…")
        #expect(try story.store.read { try $0.groupChannel("general") } == nil)
        try await story.end()
    }

    // MARK: A server that was restored

    /// In talk-ios 943, a server was restored from a backup, and reused ids and tokens.
    @Test(arguments: [true, false])
    func cacheEqualsTheRestoredServer(whileConnected: Bool) async throws {
        let story = try await Story()
        try await story.say("a b")
        let backup = try story.server.backup()
        let lost = try await story.say("c d")
        try await story.open()
        #expect(try story.picture() == "a b c d")
        if !whileConnected { await story.engine.disconnect() }
        try story.server.restore(backup)
        let new = try await story.say("x")
        #expect(new[0].messageID == lost[0].messageID)
        if !whileConnected { try await story.connect() }
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a b x")
        try await story.end()
    }

    /// After the restore, an earlier token may refer to another point of the history.
    @Test func serverRestoreRemovesTheTokens() async throws {
        let story = try await Story()
        try await story.say("a b")
        let backup = try story.server.backup()
        try await story.open()
        _ = try await story.engine.messageChanges(in: "general", since: .time(0))
        _ = try await story.engine.channelChanges(since: .time(0))
        _ = try await story.engine.messageChanges(in: "general")
        _ = try await story.engine.channelChanges()
        try story.server.restore(backup)
        try await story.say("x")
        try await story.waitUntilNotified()
        await expectError(.invalidArgument) { try await story.engine.messageChanges(in: "general") }
        await expectError(.invalidArgument) { try await story.engine.channelChanges() }
        try await story.end()
    }

    @Test func serverRestoreReplacesMessagesInsideGaps() async throws {
        let story = try await Story()
        try await story.say("a b")
        let backup = try story.server.backup()
        try await story.sync()
        let lost = try await story.say("c d")
        try await story.sees("… c ~ d ~")
        await story.engine.disconnect()
        try story.server.restore(backup)
        story.clock.advance(by: .seconds(-3))
        let new = try await story.say("x")
        #expect(new[0].messageID == lost[0].messageID)
        try await story.open()
        #expect(try story.picture() == "a b x")
        try await story.end()
    }
}
