import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Reaction events that arrive out of order, on a server that returns messages without reactions.
@Suite(.timeLimit(.minutes(10))) struct ReactionOrderTests {
    /// The users who have the reaction "x" to a message of Bob's store, in order of their IDs.
    private func users(_ story: Story, _ id: MessageID) throws -> [UserID] {
        try story.store.read { reader in
            try reader.message(id, in: "general")?.reactions
                .first { $0.key == "x" }?.userIDs.sorted() ?? []
        }
    }

    /// Opens the channel on Bob's device, with a viewer that shows all of it.
    private func opened() async throws -> (Story, MessageID, ChannelViewer) {
        var conditions = ServerConditions()
        conditions.hasSeparateReactions = true
        let story = try await Story(.exact, conditions)
        let id = try #require(try await story.say("a b")[0].messageID)
        try await story.open()
        story.network.hold([.reactions])
        let viewer = story.engine.makeViewer(of: "general")
        viewer.show(ShownRange(from: .beginning))
        try await story.held(1)
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        return (story, id, viewer)
    }

    @Test func earlierReactionThatIsReportedAfterTheOwnAnswerIsFetched() async throws {
        let (story, id, viewer) = try await opened()
        story.network.hold([.feed], at: .afterEffect)
        let message = try #require(try story.store.message(id, in: "general"))
        try await story.react("x", to: message)
        try await story.held(1)
        story.clock.advance(by: .seconds(1))
        let own = try await story.engine.addReaction("x", to: .sent(id), in: "general")
        _ = try await story.engine.deliveryResult(of: own, in: "general")
        #expect(try users(story, id) == ["bob"])
        story.network.stopHolding()
        try await story.waitUntilNotified()
        try await story.engine.caughtUp("general")
        #expect(try users(story, id) == ["alice", "bob"])
        _ = viewer
        try await story.end()
    }

    @Test func earlierRemovalThatIsReportedAfterTheOwnAnswerIsFetched() async throws {
        let (story, id, viewer) = try await opened()
        let message = try #require(try story.store.message(id, in: "general"))
        try await story.react("x", to: message)
        try await story.waitUntilNotified()
        story.network.hold([.feed], at: .afterEffect)
        try await story.unreact("x", to: message)
        try await story.held(1)
        story.clock.advance(by: .seconds(1))
        let own = try await story.engine.addReaction("x", to: .sent(id), in: "general")
        _ = try await story.engine.deliveryResult(of: own, in: "general")
        story.network.stopHolding()
        try await story.waitUntilNotified()
        try await story.engine.caughtUp("general")
        #expect(try users(story, id) == ["bob"])
        _ = viewer
        try await story.end()
    }
}
