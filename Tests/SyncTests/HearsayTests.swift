import EmbeddedServer
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

/// Tests messages from sources other than the feed, which are untrusted, and the feed's events
/// about the same messages.
@Suite(.timeLimit(.minutes(10))) struct HearsayTests {
    /// A server whose feed delivers only the newest message of a channel, and reports a truncation
    /// for the others.
    let withTruncations: ServerConditions = {
        var conditions = ServerConditions()
        conditions.feedLimit = 1
        return conditions
    }()

    @Test func pageBeforeTheFeedMayContainDeletedMessages() async throws {
        let story = try await Story()
        let messages = try await story.say("a b c")
        story.network.hold([.feed], at: .beforeEffect)
        try await story.connect()
        _ = await story.network.held(atLeast: 1)
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        try await story.delete(messages[1])
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a c")
        await story.engine.close()
    }

    @Test func pushAheadOfTheFeedDoesNotHideATruncation() async throws {
        let story = try await Story(.exact, withTruncations)
        try await story.say("a")
        try await story.open()
        story.network.goOffline()
        let missed = try await story.say("b c d")
        try await story.engine.ingest([missed[2]])
        #expect(try story.picture() == "a ~ d?")
        story.network.goOnline()
        try await story.open()
        #expect(try story.picture() == "a b c d")
        await story.engine.close()
    }

    /// The pushed message starts the backfill, without an event of the feed.
    @Test func historyOlderThanAPushIsFetchedImmediately() async throws {
        let story = try await Story(.exact, withTruncations)
        try await story.say("a")
        try await story.open()
        story.network.hold([.feed])
        let missed = try await story.say("b c d")
        _ = await story.network.held(atLeast: 1)
        try await story.engine.ingest([missed[2]])
        try await story.sees("a b c d")
        story.network.stopHolding()
        try await story.end()
    }

    /// The feed reports the deletion of "b" before a push delivers "b".
    @Test func latePushOfADeletedMessageIsRemovedWithItsGap() async throws {
        let story = try await Story.caching("a")
        await story.engine.disconnect()
        let missed = try await story.say("b")
        try await story.delete(missed[0])
        try await story.open()
        try await story.say("c")
        try await story.sees("a c")
        try await story.engine.ingest(missed)
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a c")
        try await story.end()
    }

    /// The server has no message that is newer than the pushed one.
    @Test func latePushOfADeletedNewestMessageIsRemoved() async throws {
        let story = try await Story.caching("a")
        await story.engine.disconnect()
        let missed = try await story.say("b")
        try await story.delete(missed[0])
        try await story.open()
        try await story.sees("a")
        try await story.engine.ingest(missed)
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a")
        try await story.end()
    }

    /// The engine looks up a forged edit, and the feed reports a real one before the answer, whose
    /// version is not newer than the forged one.
    @Test func eventDuringALookupDoesNotConfirmAForgedEdit() async throws {
        let story = try await Story.caching("a")
        let message = try #require(try await story.alice.history(of: "general").first)
        var forged = message
        forged.text = "forged"
        forged.updatedAt = .distantFuture
        story.network.hold([.messages, .lookup])
        try await story.engine.ingest([forged])
        try await story.held(1)
        try await story.edit(message, to: "b")
        try await story.say("c")
        try await story.until { try $0.messages(in: "general").count == 2 }
        story.network.stopHolding()
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "b c")
        try await story.end()
    }

    /// The server answers a request, then the message is edited, and a push delivers the edit
    /// before the answer and the feed's event arrive.
    @Test(arguments: [false, true])
    func answerInFlightDoesNotRevertAPush(isLookup: Bool) async throws {
        let story = try await Story.caching("a")
        let message = try #require(try await story.alice.history(of: "general").first)
        let id = try #require(message.messageID)
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a")
        story.network.hold([.feed, .messages, .lookup])
        try await story.edit(message, to: "b")
        try await story.held(1)
        let answer = Task {
            if isLookup {
                _ = try await story.engine.fetchMessages([id], in: "general")
            } else {
                _ = try await story.engine.fetchMessages(
                    in: "general", at: .newest, older: 9, newer: 0)
            }
        }
        try await story.held(2)
        try await story.edit(message, to: "c")
        try await story.engine.ingest(story.alice.history(of: "general"))
        #expect(try story.picture() == "c?")
        story.network.release(at: 1)
        try await answer.value
        #expect(try story.picture() == "c?")
        // A lookup confirms the pushed copy, before the feed reports it.
        try await story.held(2)
        #expect(story.network.held.map(\.call) == [.feed, .lookup])
        story.network.release(at: 1)
        try await story.sees("c")
        story.network.stopHolding()
        try await story.end()
    }

    /// The message was deleted before the push arrives, and the feed has reported the deletion.
    @Test func pushedMessageThatAPageInFlightLacksIsLookedUp() async throws {
        let story = try await Story.caching("a")
        await story.engine.disconnect()
        let missed = try await story.say("b c")
        try await story.delete(missed[0])
        try await story.open()
        story.network.hold([.messages])
        async let page = story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        try await story.held(1)
        try await story.engine.ingest([missed[0]])
        #expect(try story.picture() == "a ~ b ~ c")
        story.network.stopHolding()
        _ = try await page
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "a c")
        try await story.end()
    }

    @Test func pageAheadOfTheFeedDoesNotHideATruncation() async throws {
        let story = try await Story(.exact, withTruncations)
        try await story.say("a")
        try await story.open()
        story.network.hold([.feed])
        try await story.say("b c d")
        _ = await story.network.held(atLeast: 1)
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 1, newer: 0)
        story.network.stopHolding()
        try await story.open()
        #expect(try story.picture() == "a b c d")
        await story.engine.close()
    }

    @Test func deletedPushedMessageIsRemovedWithItsGap() async throws {
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.engine.ingest([messages[1]])
        try await story.delete(messages[1])
        #expect(try story.picture() == "… b ~")
        try await story.open()
        #expect(try story.picture() == "a c")
        await story.engine.close()
    }

    @Test func latePushDoesNotVerifyAStaleRange() async throws {
        let story = try await Story(.exact { $0.pageSize = 1 })
        let old = try await story.say("a b")
        try await story.open()
        _ = try await story.engine.fetchMessages(in: "general", at: .newest, older: 9, newer: 0)
        story.network.goOffline()
        try await story.edit(old[0], to: "edited")
        try story.server.expireCursors()
        story.network.goOnline()
        try await story.open()
        #expect(try story.picture() == "a? b")
        try await story.engine.ingest([old[0]])
        #expect(try story.picture() == "a? b")
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "edited b")
        await story.engine.close()
    }

    @Test func messageDeletedAfterABackupReturnsWithIt() async throws {
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.open()
        let backup = try story.server.backup()
        try await story.delete(messages[1])
        try await story.say("d")
        try await story.open()
        #expect(try story.picture() == "a c d")
        try story.server.restore(backup)
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.say("e")
        try await story.open()
        #expect(try story.picture() == "a b c e")
        await story.engine.close()
    }

    /// The feed delivers no event about "late".
    @Test func shownChannelIsFilledAfterItsRowIsFetched() async throws {
        let story = try await Story()
        _ = try await story.alice.perform(
            CreateChannel(GroupChannelCreateParams("late", url: "late")))
        try await story.say("a b", in: "late")
        try await story.open()
        let events = await story.engine.events()
        await story.engine.show("late", ShownRange(from: .beginning), viewer: 1)
        for await event in events {
            if case .failed = event { break }
        }
        story.network.hold([.feed])
        try await story.alice.perform(InviteUsers(["bob"], to: "late"))
        _ = await story.network.held(atLeast: 1)
        _ = try await story.engine.fetchChannel("late")
        try await story.sees("a b", in: "late")
        story.network.stopHolding()
        try await story.end()
    }

    @Test func channelShownBeforeItIsGainedIsFilledLater() async throws {
        let story = try await Story()
        _ = try await story.alice.perform(
            CreateChannel(GroupChannelCreateParams("late", url: "late")))
        try await story.say("a b", in: "late")
        try await story.connect()
        let events = await story.engine.events()
        await story.engine.show("late", ShownRange(from: .beginning), viewer: 1)
        for await event in events {
            if case .failed = event { break }
        }
        try await story.alice.perform(InviteUsers(["bob"], to: "late"))
        try await story.until { try $0.groupChannel("late") != nil }
        try await story.engine.caughtUp()
        #expect(try story.picture("late") == "a b")
        await story.engine.close()
    }
}
