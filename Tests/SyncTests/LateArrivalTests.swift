import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests messages that arrive long after they were sent, as when another server of a federation was
/// unreachable.
@Suite(.timeLimit(.minutes(10))) struct LateArrivalTests {
    /// Returns a device that was offline while `missed` was sent and while `late` arrived.
    ///
    /// The messages of `missed` were sent a minute apart. The messages of `late` were sent a second
    /// apart, after the first message of `missed`, but arrived only after all of `missed`. The
    /// device has connected again, its feed has delivered the last late message, and the network
    /// holds its request for a page.
    private func storyAfterAnAbsence(
        missed: String, late: String
    ) async throws -> (story: Story, late: [Message]) {
        var conditions = ServerConditions()
        conditions.federationDelay = .milliseconds(1)
        // With a clock skew, the server takes times from its clock even if the clock was set back.
        conditions.clockSkew = 1
        let story = try await Story(.exact { $0.pageSize = 3 }, conditions)
        let engine = story.engine
        try await story.say("a b", every: .seconds(60))
        try await engine.connect(as: Credentials("bob"))
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a b")
        try await engine.caughtUp("general")
        await engine.disconnect()
        story.limitFeed(1)
        let sent = try await story.say(missed, every: .seconds(60))
        story.clock.advance(by: .seconds(-60 * (sent.count - 1)))
        let arrived = try await story.say(late)
        story.network.hold([.messages])
        try await engine.connect(as: Credentials("bob"))
        try await story.held(1)
        return (story, arrived)
    }

    /// Returns the history that the device of `storyAfterAnAbsence` has after the feed, after the
    /// first page, and at the end.
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
        // The server returns the late messages on other pages than the messages next to their
        // positions.
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

    /// A page at a late message contains the messages that arrived around the same time, not the
    /// messages next to its position.
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

    /// A page of the messages that arrived after a late message does not cover the positions after
    /// the late message, even if that message is in a known range.
    @Test func pageAfterALateMessageDoesNotStartAtIt() async throws {
        let (story, late) = try await storyAfterAnAbsence(missed: "c d e f g h", late: "x")
        let b = try #require(try story.store.messages(in: "general").last { $0.text == "b" })
        func page(at message: Message, newer: Int) async throws -> [String] {
            async let fetched = story.engine.fetchMessages(
                in: "general", at: .message(#require(message.messageID)), older: 0, newer: newer)
            try await story.held(2)
            story.network.release(at: 1)
            return try await fetched.page.messages.map(\.text)
        }
        #expect(try await page(at: b, newer: 3) == ["b", "c", "d"])
        story.limitFeed(nil)
        story.clock.advance(by: .seconds(600))
        try await story.say("i")
        try await story.waitUntilNotified()
        #expect(try story.picture() == "a b c x? d ~ i ~")
        #expect(try await page(at: late[0], newer: 2) == ["x", "i"])
        #expect(try story.picture() == "a b c x d ~ i")
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a b c x d e f g h i")
        await story.engine.close()
        await story.close()
    }

    /// A truncation ends the backfill, and the page of a caller begins it again at a newer cursor.
    @Test func cursorMayReturnAfterATruncation() async throws {
        let (story, _) = try await storyAfterAnAbsence(missed: "c d e f", late: "x y z")
        story.network.release()
        try await story.held(1)
        #expect(try story.picture() == "a b ~ x ~ y ~ z ~")
        story.clock.advance(by: .seconds(600))
        // Import the messages: the feed may report messages one by one that are sent one by one.
        let now = story.clock.now
        try story.importMessages(["g": now, "h": now, "i": now], isReported: true)
        try await story.waitUntilNotified()
        #expect(try story.picture() == "a b ~ x ~ y ~ z ~ i ~")
        async let fetched = story.engine.fetchMessages(
            in: "general", at: .newest, older: 3, newer: 0)
        try await story.held(2)
        story.network.release(at: 1)
        _ = try await fetched
        #expect(try story.picture() == "a b ~ x ~ y ~ z ~ g h i")
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a b c x y z d e f g h i")
        await story.engine.close()
        await story.close()
    }

    @Test func pageOfOnlyLateMessagesCoversNothing() async throws {
        #expect(
            try await pictures(missed: "c d e f", late: "x y z")
                == ["a b ~ z ~", "a b ~ x ~ y ~ z ~", "a b c x y z d e f"])
    }
}
