import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests servers whose pages are difficult to use, such as empty or short ones.
@Suite(.timeLimit(.minutes(10))) struct PagingTests {
    /// Runs a device that has to backfill a truncation of eight messages under the conditions that
    /// `change` sets.
    func filled(
        _ change: (inout NetworkConditions) -> Void,
        _ conditions: ServerConditions = ServerConditions()
    ) async throws {
        var options = SyncOptions.exact
        options.pageSize = 3
        // Messages with equal times may have any order.
        if conditions.timeGranularity > 1 { options.clockSkew = .milliseconds(1) }
        let story = try await Story(options, conditions)
        try await story.say("a b")
        try await story.open()
        await story.engine.disconnect()
        story.network.update(change)
        story.limitFeed(1)
        try await story.say("c d e f g h i j k")
        try await story.connect()
        try await story.waitUntilNotified()
        try await story.engine.caughtUp("general")
        let words = try story.picture().split(separator: " ").map(String.init)
        #expect(words.sorted() == "abcdefghijk".map(String.init))
        try await story.end()
    }

    /// In talk-ios 2702 and Mattermost 9827, an empty page was taken for the end of the history.
    @Test(
        arguments: [
            ("pages.short", "1"), ("pages.empty", "0.8"), ("pages.cap", "1"),
            ("pages.expired", "0.5"),
        ], 0..<5)
    func incompletePageIsNotTheEndOfTheHistory(
        condition: (name: String, value: String), seed: UInt64
    ) async throws {
        let (name, value) = condition
        let condition = try #require(NetworkCondition.named(name))
        try await filled {
            $0.seed = seed
            condition.set(value, in: &$0)
        }
    }

    /// A page that is requested before the feed has begun covers nothing, and would be requested
    /// again and again.
    @Test func fetchingMissingMessagesWaitsUntilTheFeedHasBegun() async throws {
        let story = try await Story()
        try await story.say("a b c")
        story.network.hold([.feed])
        try await story.connect()
        let fetch = Task { [engine = story.engine] in
            try await engine.fetchMessages(of: [.link], in: "general", limit: 2)
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!story.network.log.contains { $0.contains("messages") })
        story.network.stopHolding()
        while try await fetch.value {
            if try await !story.engine.fetchMessages(of: [.link], in: "general", limit: 2) { break }
        }
        try await story.end()
    }

    @Test func fetchingMissingMessagesEndsWithTheConnection() async throws {
        let story = try await Story()
        story.network.hold([.feed])
        try await story.connect()
        let fetch = Task { [engine = story.engine] in
            try await engine.fetchMessages(of: [.link], in: "general", limit: 2)
        }
        await story.engine.disconnect()
        await expectError(.notConnected) { try await fetch.value }
        await story.close()
    }

    @Test func messagesOfOneTimeAreDistinguishedAtPageBounds() async throws {
        var conditions = ServerConditions()
        conditions.timeGranularity = 1_000_000
        try await filled({ _ in }, conditions)
    }

    @Test(arguments: 0..<5) func messagesOfOneTimeAreDistinguishedAfterCursorsExpire(
        seed: UInt64
    ) async throws {
        var conditions = ServerConditions()
        conditions.timeGranularity = 4000
        try await filled(
            {
                $0.seed = seed
                $0.pages.expired = 0.5
                $0.pages.deletedAnchorsExpire = true
            }, conditions)
    }

    /// The cursor of a gap has expired by the time it is used (matrix-rust-sdk, pagination
    /// restart).
    @Test func walkWithAnExpiredCursorRestarts() async throws {
        let story = try await Story.caching("a b", .exact { $0.pageSize = 2 })
        story.limitFeed(1)
        story.network.hold([.messages])
        try await story.sendWhileOffline("c d e f g h")
        try await story.held(1)
        story.network.release()
        try await story.sees("a b ~ g h")
        try await story.held(1)
        story.network.expire(.pageCursors)
        story.network.hold([.messages], at: .beforeEffect)
        story.network.release()
        try await story.held(1)
        story.network.stopHolding()
        try await story.sees("a b c d e f g h")
        try await story.end()
    }

    /// The page's anchor is a message that is deleted.
    ///
    /// With a coarse clock, a missing message has the same time as the anchor.
    @Test(arguments: [1, 2000, 1_000_000]) func deletedAnchorIsReplaced(
        timeGranularity: Int64
    ) async throws {
        var options = SyncOptions.exact
        options.pageSize = 2
        options.backgroundPages = 9
        var conditions = ServerConditions()
        conditions.timeGranularity = timeGranularity
        let story = try await Story(options, conditions)
        try await story.say("a b")
        try await story.open()
        story.network.update { $0.pages.deletedAnchorsExpire = true }
        story.limitFeed(1)
        await story.engine.disconnect()
        let messages = try await story.say("c d e f g h")
        story.network.hold([.messages], at: .beforeEffect)
        try await story.connect()
        for _ in 1...2 {
            try await story.held(1)
            story.network.release()
        }
        // The next page is requested at "e", which is deleted before the server receives the
        // request.
        try await story.held(1)
        try await story.sees("a b ~ e f g h")
        try await story.delete(messages[2])
        try await story.sees("a b ~ f g h")
        story.network.expire(.pageCursors)
        story.network.clearLog()
        story.network.stopHolding()
        try await story.sees("a b c d f g h")
        // The engine requests the page by the cursor, then by the message, and then by the
        // message's time.
        let outcomes = story.network.log.filter { $0.contains(" messages ") }.prefix(3)
        #expect(outcomes.map { $0.contains("expired") } == [true, true, false])
        try await story.end()
    }

    /// Creates two gaps between messages that have the same time.
    ///
    /// Returns the messages that were sent while the device was offline.
    private func reportTwoGaps(in story: Story) async throws -> [Message] {
        try await story.say("a b")
        try await story.open()
        story.limitFeed(1)
        await story.engine.disconnect()
        let missed = try await story.say("c d e f g h")
        try await story.connect()
        try await story.waitUntilNotified()
        _ = try await story.engine.fetchMessages(
            in: "general", at: .message("4"), older: 0, newer: 2)
        #expect(try story.picture() == "a b ~ d e ~ h ~")
        return missed
    }

    /// If many messages have the time of the deleted anchor, a page at that time may not reach the
    /// gap.
    @Test func pageClosesOnlyTheRequestedGap() async throws {
        var options = SyncOptions.exact
        options.pageSize = 2
        options.backgroundPages = 0
        var conditions = ServerConditions()
        conditions.timeGranularity = 1_000_000
        let story = try await Story(options, conditions)
        let missed = try await reportTwoGaps(in: story)
        story.network.update { $0.pages.deletedAnchorsExpire = true }

        story.network.expire(.pageCursors)
        story.network.hold([.feed])
        story.network.hold([.messages], at: .beforeEffect)
        try await story.delete(missed[1])
        try await story.held(1)
        let view = ShownRange(
            from: .position(try #require(story.store.message("1", in: "general")?.position)),
            to: .position(try #require(missed[1].position)))
        await story.engine.show("general", view, viewer: 1)
        // The engine requests the page by the cursor, then by the message, and then by its time.
        // The network also holds a request of the feed.
        for _ in 1...3 {
            let held = try await story.held(2)
            story.network.release(at: try #require(held.firstIndex { $0.call == .messages }))
        }
        try await story.held(2)
        #expect(try story.picture() == "a b ~ d e ~ g h")
        story.network.stopHolding()
        try await story.sees("a b c e f ~ g h")
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a b c e f g h")
        try await story.end()
    }

    /// More messages have the requested time than a page contains.
    @Test func pageThatDoesNotReachItsEdgeClosesNoGap() async throws {
        var conditions = ServerConditions()
        conditions.timeGranularity = 1_000_000
        let story = try await Story(.exact { $0.backgroundPages = 0 }, conditions)
        let missed = try await reportTwoGaps(in: story)

        let (d, e) = (try #require(missed[1].position), try #require(missed[2].position))
        let older = try await story.engine.fetchMessages(
            in: "general", at: .time(1_000_000), older: 2, newer: 0, bound: .position(d))
        #expect(older.page.messages.map(\.text) == ["g", "h"])
        #expect(try story.picture() == "a b ~ d e ~ g h")
        // The page does not reach the edge, so it moves only the gap's cursor.
        let gap = try #require(try story.store.gaps(in: "general").first)
        #expect(gap.upper == .position(d) && gap.backfillCursor == older.page.older)

        let newer = try await story.engine.fetchMessages(
            in: "general", at: .time(0), older: 0, newer: 2, bound: .position(e))
        #expect(newer.page.messages.map(\.text) == ["a", "b"])
        #expect(newer.from == .beginning)
        #expect(try story.picture() == "a b ~ d e ~ g h")
        #expect(try await story.engine.verify("general").isEmpty)
        try await story.engine.repair("general")
        #expect(try story.picture() == "a b c d e f g h")
        try await story.end()
    }

    /// In matrix-rust-sdk's deduplication, a page without new messages was taken for the end.
    @Test func pageOfStoredMessagesMovesTheWalk() async throws {
        let story = try await Story.caching("a b", .exact { $0.pageSize = 2 })
        story.limitFeed(1)
        story.network.hold([.messages])
        await story.engine.disconnect()
        let messages = try await story.say("c d e f g h")
        try await story.connect()
        try await story.held(1)
        // The remaining messages are fetched by their ids, so they cover no range.
        _ = try await story.engine.fetchMessages(messages.map { $0.messageID! }, in: "general")
        #expect(try story.picture() == "a b ~ c ~ d ~ e ~ f ~ g ~ h ~")
        story.network.stopHolding()
        try await story.sees("a b c d e f g h")
        try await story.end()
    }

    /// The newest page of a server may be outdated.
    ///
    /// In that case, the page has a cursor for newer messages.
    @Test(arguments: 0..<5) func historyOlderThanTheNewestPageIsFetched(seed: UInt64) async throws {
        let story = try await Story()
        try await story.say("a b c d e")
        story.network.update {
            $0.seed = seed
            $0.pages.empty = 0.5
            $0.pages.short = 1
            $0.pages.cap = 2
        }
        try await story.open()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a b c d e")
        try await story.end()
    }

    @Test(arguments: 0..<10) func clockSkewOfServersLosesNothing(seed: Int) async throws {
        var conditions = ServerConditions()
        conditions.clockSkew = 1500
        var options = SyncOptions.exact
        options.clockSkew = .seconds(3)
        options.pageSize = 3
        let story = try await Story(options, conditions, seed: UInt64(seed))
        try await story.say("a b c")
        try await story.open()
        story.limitFeed(1)
        try await story.sendWhileOffline("d e f g h")
        try await story.waitUntilNotified()
        try await story.engine.caughtUp("general")
        #expect(
            try story.picture().split(separator: " ").map(String.init).sorted()
                == ["a", "b", "c", "d", "e", "f", "g", "h"])
        try await story.end()
    }
}
