import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests when the store reports that it has all channels of the user.
@Suite(.timeLimit(.minutes(10))) struct AllChannelsTests {
    private func hasAll(_ story: Story) throws -> Bool {
        try story.store.read { try $0.hasAllChannels() }
    }

    /// Lets the feed reach its end.
    ///
    /// Returns whether the store reports all channels then.
    private func hasAllAtLast(_ story: Story) async throws -> Bool {
        story.network.stopHolding()
        try await story.engine.caughtUp()
        return try hasAll(story)
    }

    @Test func allChannelsAreKnownAfterTheInitialFeed() async throws {
        var conditions = ServerConditions()
        conditions.feedBatchSize = 1
        let story = try await Story(.exact, conditions)
        try story.createChannel("random")
        #expect(try !hasAll(story))
        story.network.hold([.feed], at: .afterEffect)
        try await story.connect()
        try await story.held(1)
        story.network.release()
        // The store has the first channel. The feed's answer with the other channels is in flight.
        try await story.until { try !$0.groupChannels().isEmpty }
        try await story.held(1)
        #expect(try !hasAll(story))
        #expect(try await hasAllAtLast(story))
        try await story.end()
    }

    @Test func expiredCursorMakesCoverageStale() async throws {
        let story = try await Story()
        try await story.open()
        #expect(try hasAll(story))
        await story.engine.disconnect()
        try story.server.expireCursors()
        story.network.hold([.feed], at: .beforeEffect)
        try await story.connect()
        try await story.held(1)
        #expect(try hasAll(story))
        // The feed fails, and the engine starts a new one.
        story.network.release()
        try await story.held(1)
        #expect(try !hasAll(story))
        #expect(try await hasAllAtLast(story))
        try await story.end()
    }

    @Test func serverRestoreMakesCoverageStale() async throws {
        let story = try await Story()
        let backup = try story.server.backup()
        try await story.open()
        await story.engine.disconnect()
        try story.server.restore(backup)
        story.network.hold([.feed], at: .beforeEffect)
        try await story.connect()
        try await story.held(1)
        #expect(try !hasAll(story))
        #expect(try await hasAllAtLast(story))
        try await story.end()
    }

    @Test func clearingTheCacheRemovesCoverage() async throws {
        let story = try await Story()
        try await story.open()
        story.network.hold([.feed], at: .beforeEffect)
        try await story.engine.clearCachedData()
        #expect(try !hasAll(story))
        try await story.held(1)
        #expect(try await hasAllAtLast(story))
        try await story.end()
    }

    @Test func completenessOfTheListSurvivesARestart() async throws {
        let story = try await Story()
        try await story.open()
        await story.close()
        let engine = story.restarted()
        story.network.hold([.feed], at: .beforeEffect)
        try await engine.connect(as: Credentials("bob"))
        try await story.held(1)
        #expect(try hasAll(story))
        story.network.stopHolding()
        try await engine.caughtUp()
        #expect(try hasAll(story))
        await engine.close()
    }
}
