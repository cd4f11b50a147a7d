import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests truncations of the feed, and their backfill.
@Suite(.timeLimit(.minutes(10))) struct TruncationTests {
    /// A bug in other clients: the newest page was joined to older cached messages (fluux, issue
    /// 1019).
    @Test func newestPageDoesNotJoinOlderRanges() async throws {
        let story = try await Story.caching("a b", .exact { $0.pageSize = 2 })
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("c d e f g")
        try await story.sees("a b ~ g ~")
        try await story.held(1)
        story.network.release()
        try await story.sees("a b ~ f g")
        story.network.stopHolding()
        try await story.sees("a b c d e f g")
        try await story.end()
    }

    /// A bug in other clients: a live message ended the backfill (fluux 534, Converse 2940,
    /// Conversations 3408).
    @Test func messageThatArrivesDuringAWalkDoesNotEndIt() async throws {
        let story = try await Story.caching("a b")
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("c d e")
        try await story.sees("a b ~ e ~")
        try await story.held(1)
        try await story.say("f")
        try await story.sees("a b ~ e ~ f ~")
        story.network.stopHolding()
        try await story.sees("a b c d e f")
        try await story.end()
    }

    /// On a federated server, the sender's server chooses the time of a message.
    @Test func messageOfTheFutureHidesNoOmittedMessages() async throws {
        let story = try await Story.caching("a b", .exact { $0.pageSize = 2 })
        try story.importMessages(["x": 9_000_000_000_000], isReported: true)
        try await story.sees("a b x")
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("c d e")
        // The omitted messages may also be older than x.
        try await story.sees("a b ~ x ~ e ~")
        story.network.stopHolding()
        try await story.sees("a b x c d e")
        try await story.end()
    }

    /// Message x is from the future when the device receives it, but not when the feed omits
    /// messages.
    ///
    /// With four minutes, clocks that differ can explain its time.
    @Test(arguments: [4, 30]) func messageAheadHidesNoOmittedMessages(minutes: Int) async throws {
        var conditions = ServerConditions()
        // Otherwise, the server would accept all later messages with later times.
        conditions.clockSkew = 1
        let story = try await Story(.exact { $0.pageSize = 2 }, conditions)
        story.clock.advance(by: story.clock.now.duration(to: story.device.now))
        try await story.say("a b")
        try await story.open()
        let ahead = story.clock.now.advanced(by: .seconds(60 * minutes))
        try story.importMessages(["x": ahead], isReported: true)
        try await story.sees("a b x")
        await story.engine.disconnect()
        try await story.say("c d e")
        for clock in [story.clock, story.device] { clock.advance(by: .seconds(3600)) }
        story.limitFeed(1)
        try await story.say("f")
        try await story.connect()
        try await story.sees("a b c d e x f")
        try await story.end()
    }

    @Test func truncationDuringAWalkIsFilled() async throws {
        let story = try await Story.caching("a b")
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("c d e")
        try await story.sees("a b ~ e ~")
        try await story.held(1)
        story.network.goOffline()
        try await story.say("f g h")
        story.network.goOnline()
        try await story.sees("a b ~ e ~ h ~")
        story.network.stopHolding()
        try await story.sees("a b c d e f g h")
        try await story.end()
    }

    /// A bug in other clients: the token was written to disk before the data that it covers
    /// (openclaw 127517, matrix-rust-sdk 5500).
    @Test(arguments: 0..<11) func crashAfterAnyAnswerLosesNothing(answers: Int) async throws {
        let options = SyncOptions.exact { $0.pageSize = 3 }
        let story = try await Story(options)
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()
        story.limitFeed(1)
        story.server.conditions.changelogPageSize = 1
        try await story.edit(messages[0], to: "A")
        try await story.delete(messages[1])
        try await story.say("d e f g h")
        story.network.hold([.feed, .messages, .messageChanges])
        let engine = try await story.relaunched(options)
        for _ in 0..<answers {
            // The device has all data, and the only held call is a request of the feed that waits
            // for events.
            if try story.picture() == "A c d e f g h" { break }
            try await story.held(1)
            story.network.release()
        }
        await engine.close()

        story.network.stopHolding()
        let second = try await story.relaunched(options)
        try await second.caughtUp("general")
        #expect(try story.picture() == "A c d e f g h")
        await second.close()
        await story.close()
    }

    /// The device needs one request for the changelog, and one or two for the omitted messages.
    @Test func truncationOf50MessagesCostsAtMostThreeRequests() async throws {
        let story = try await Story(SyncOptions())
        let urls = (1...10).map { ChannelURL("channel\($0)") }
        for url in urls {
            try story.createChannel(url)
            try await story.say("a b", in: url)
        }
        try await story.connect()
        try await story.engine.caughtUp()
        await story.engine.disconnect()
        story.limitFeed(20)
        let words = (1...50).map { "\($0)" }.joined(separator: " ")
        for url in urls { try await story.say(words, in: url) }
        story.network.clearLog()
        try await story.catchUp()
        for url in urls { #expect(try story.counts(url) == "52") }
        let requests = story.network.log.filter {
            $0.contains(" messages ") || $0.contains(" messageChanges ")
        }
        #expect((urls.count...3 * urls.count).contains(requests.count))
        try await story.end()
    }

    // MARK: Changes of older messages

    /// A bug in other clients: an older version replaced a newer one (Sendbird 4.13.2, 4.39.3).
    @Test func changelogOlderThanTheFeedChangesNothing() async throws {
        let story = try await Story()
        let messages = try await story.say("a b")
        try await story.open()
        await story.engine.disconnect()
        story.limitFeed(1)
        try await story.edit(messages[0], to: "A")
        try await story.say("c d")
        story.network.hold([.messageChanges])
        try await story.connect()
        try await story.held(1)
        try await story.edit(messages[0], to: "AA")
        try await story.delete(messages[1])
        try await story.sees("AA ~ d ~")
        story.network.stopHolding()
        try await story.sees("AA c d")
        try await story.end()
    }

    @Test func repeatedTokenEndsTheChangelog() async throws {
        let story = try await Story()
        let messages = try await story.say("a b")
        try await story.open()
        await story.engine.disconnect()
        story.limitFeed(1)
        try await story.edit(messages[0], to: "A")
        try await story.say("c d e")
        story.network.update { $0.changelogs.stuck = 1 }
        try await story.connect()
        await expectError(.stalled) { try await story.engine.caughtUp("general") }
        #expect(try story.picture().hasSuffix("~ e ~"))
        story.network.conditions = .perfect
        try await story.engine.caughtUp("general")
        #expect(try story.picture() == "A b c d e")
        try await story.end()
    }

    /// Tests an expired changelog, and a server without changelogs.
    @Test(arguments: [BackendError.Code.expired, .unsupported])
    func withoutAChangelogStoredMessagesAreStaleAndFetchedWhenShown(
        _ code: BackendError.Code
    ) async throws {
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()
        story.limitFeed(1)
        try await story.edit(messages[0], to: "A")
        try await story.delete(messages[1])
        try await story.say("d e f")
        story.network.failAll(of: [.messageChanges], with: BackendError(code, "no changelog"))
        try await story.connect()
        try await story.engine.caughtUp("general")
        #expect(Set(try story.picture().split(separator: " ")).isSuperset(of: ["d", "e", "f"]))
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("A c d e f")
        try await story.end()
    }

    /// If an app requests the changelog since a time, the engine must still read the changelog from
    /// its own token.
    @Test func laterTokenDoesNotHideEarlierChanges() async throws {
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()
        story.limitFeed(1)
        try await story.edit(messages[0], to: "A")
        try await story.say("d e f")
        story.network.failNext(1, of: [.messageChanges], with: BackendError(.expired, "too old"))
        story.network.hold([.messageChanges], at: .beforeEffect)
        try await story.connect()
        try await story.held(1)
        let later = story.clock.advance(by: .seconds(1))
        async let changes = story.engine.messageChanges(in: "general", since: .time(later))
        try await story.held(2)
        story.network.release(at: 1)
        #expect(try await changes.updated.isEmpty)
        story.network.stopHolding()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("A b c d e f")
        try await story.end()
    }
}
