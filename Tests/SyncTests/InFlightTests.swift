import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests answers that are in flight while the state that they describe changes.
@Suite(.timeLimit(.minutes(10))) struct InFlightTests {
    /// Returns a device that has requested the newest page of `a b c`.
    ///
    /// The network holds the answer while `meanwhile` runs.
    func story(
        _ meanwhile: (Story, [Message]) async throws -> Void
    ) async throws -> Story {
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.sync()
        story.network.hold([.messages])
        async let caughtUp: Void = story.engine.caughtUp("general")
        try await story.held(1)
        try await meanwhile(story, messages)
        try await story.waitUntilNotified()
        story.network.stopHolding()
        do { try await caughtUp } catch let error as SyncError where error.code == .refused {}
        return story
    }

    @Test func aReactionIsNotLostInAPage() async throws {
        let story = try await story { try await $0.react("👍", to: $1[1]) }
        #expect(try story.picture() == "a b c")
        let message = try story.store.read { try $0.messages(in: "general")[1] }
        #expect(message.reactions.map(\.key) == ["👍"])
        try await story.end()
    }

    /// In Sendbird 4.19.9, an older page arrived after a reset.
    @Test func pageDoesNotRestoreAResetHistory() async throws {
        let story = try await story { story, _ in
            story.clock.advance(by: .seconds(1))
            _ = try await story.network.perform(ResetMyHistory(of: "general"))
            try await story.say("d")
        }
        #expect(try story.picture() == "d")
        try await story.end()
    }

    @Test func pageDoesNotRestoreADeletedChannel() async throws {
        let story = try await story { story, _ in
            try await story.alice.perform(DeleteChannel("general"))
        }
        #expect(try story.picture() == "…")
        #expect(try story.store.read { try $0.groupChannel("general") } == nil)
        try await story.end()
    }

    @Test func pageOfADeletedChannelWithTheSameURLIsIgnored() async throws {
        let story = try await story { story, _ in
            try await story.alice.perform(DeleteChannel("general"))
            try story.createChannel()
            try await story.say("x")
        }
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "x")
        try await story.end()
    }

    /// The server refuses the request because the channel was deleted.
    ///
    /// The answer arrives after a new channel was created with the same URL.
    @Test func failureOfADeletedChannelDoesNotConcernItsSuccessor() async throws {
        let story = try await Story()
        try await story.say("a")
        try await story.sync()
        story.network.hold([.messages], at: .beforeEffect)
        let caughtUp = Task { try await story.engine.caughtUp("general") }
        try await story.held(1)
        story.network.failNext(1, of: [.messages], with: BackendError(.notFound, "no channel"))
        try await story.alice.perform(DeleteChannel("general"))
        try story.createChannel()
        try await story.waitUntilNotified()
        try await story.say("x")
        story.network.stopFailing()
        story.network.stopHolding()
        // The call fails if it ended when the channel was deleted.
        try? await caughtUp.value
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "x")
        try await story.end()
    }

    @Test func pageRequestedBeforeTheCursorExpiredIsIgnored() async throws {
        let story = try await story { story, messages in
            try await story.delete(messages[0])
            try story.server.expireCursors()
            try await story.delete(messages[2])
            try await story.say("d")
        }
        try await story.engine.caughtUp("general")
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("b d")
        try await story.end()
    }
}
