import EmbeddedServer
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// Messages that arrive long after their time, as from another server that was unreachable.
@Suite(.timeLimit(.minutes(10))) struct LateArrivalTests {
    /// Returns a device that was away while `missed` was sent, a minute apart, and then `late`
    /// arrived, sent a second apart after the first missed message.
    ///
    /// It has connected again, its feed has delivered the last late message, and its request for a
    /// page is held.
    private func storyAfterAnAbsence(
        missed: String, late: String
    ) async throws -> (story: Story, late: [Message]) {
        var options = SyncOptions.exact
        options.pageSize = 3
        var conditions = ServerConditions()
        conditions.federationDelay = .milliseconds(1)
        // Times are taken from the clock even if it is set back.
        conditions.clockSkew = 1
        let story = try await Story(options, conditions)
        let engine = story.engine
        try await story.say("a b", every: .seconds(60))
        _ = try await engine.connect(as: Credentials("bob"))
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a b")
        try await engine.caughtUp("general")
        await engine.disconnect()
        story.limitFeed(1)
        let sent = try await story.say(missed, every: .seconds(60))
        story.clock.advance(by: .seconds(-60 * (sent.count - 1)))
        let arrived = try await story.say(late)
        story.network.hold([.messages])
        _ = try await engine.connect(as: Credentials("bob"))
        try await story.held(1)
        return (story, arrived)
    }

    /// Returns the history of that device after the feed, after the first page and at the end.
    private func pictures(missed: String, late: String) async throws -> [String] {
        let (story, _) = try await storyAfterAnAbsence(missed: missed, late: late)
        let engine = story.engine
        var pictures = [try story.picture()]
        story.network.release()
        try await story.held(1)
        pictures.append(try story.picture())
        story.network.stopHolding()
        try await engine.caughtUp("general")
        pictures.append(try story.picture())
        // The late messages are on other pages than their neighbors.
        let differences = try await engine.verify("general")
        #expect(differences.isEmpty, "\(differences)")
        await engine.close()
        await story.close()
        return pictures
    }

    @Test func lateMessageOnTheNewestPageClosesNoGap() async throws {
        #expect(
            try await pictures(missed: "c d e f g h", late: "x")
                == ["a b ~ x ~", "a b ~ x ~ g h", "a b c x d e f g h"])
    }

    /// A page that was requested at a late message contains the messages around its arrival, not
    /// those around its position.
    @Test func pageAtALateMessageDoesNotExtendToIt() async throws {
        let (story, late) = try await storyAfterAnAbsence(missed: "c d e f g h", late: "x")
        let id = try #require(late[0].messageID)
        async let fetched = story.engine.fetchMessages(
            in: "general", at: .message(id), older: 3, newer: 0)
        try await story.held(2)
        story.network.release(at: 1)
        #expect(try await fetched.page.messages.map(\.text) == ["f", "g", "h"])
        #expect(try story.picture() == "a b ~ x ~ f g h ~")
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a b c x d e f g h")
        await story.engine.close()
        await story.close()
    }

    @Test func pageOfOnlyLateMessagesCoversNothing() async throws {
        #expect(
            try await pictures(missed: "c d e f", late: "x y z")
                == ["a b ~ z ~", "a b ~ x ~ y ~ z ~", "a b c x y z d e f"])
    }
}
