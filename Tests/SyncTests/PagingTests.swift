import EmbeddedServer
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// Servers whose pages are not as one would like them.
@Suite(.timeLimit(.minutes(10))) struct PagingTests {
    /// A device that comes back to a hole of eight messages, over a network that is as it is.
    func filled(
        _ change: (inout NetworkConditions) -> Void,
        _ conditions: ServerConditions = ServerConditions()
    ) async throws {
        var options = SyncOptions.exact
        options.pageSize = 3
        // Of messages of one time, nobody knows which came first.
        if conditions.timeGranularity > 1 { options.clockSkew = .milliseconds(1) }
        let story = try await Story(options, conditions)
        try await story.say("a b")
        try await story.open()
        await story.engine.disconnect()
        story.network.update(change)
        story.tellNewest(1)
        try await story.say("c d e f g h i j k")
        try await story.connect()
        try await story.isTold()
        try await story.engine.caughtUp("general")
        let words = try story.picture().split(separator: " ").map(String.init)
        #expect(words.sorted() == "abcdefghijk".map(String.init))
        try await story.end()
    }

    @Test(arguments: 0..<5) func shortPagesEndNothing(seed: UInt64) async throws {
        try await filled {
            $0.seed = seed
            $0.pages.short = 1
        }
    }

    /// As where an empty page was the end of the history (talk-ios 2702, Mattermost 9827).
    @Test(arguments: 0..<5) func emptyPagesEndNothing(seed: UInt64) async throws {
        try await filled {
            $0.seed = seed
            $0.pages.empty = 0.8
        }
    }

    @Test func aServerMayGiveLessThanItIsAskedFor() async throws {
        try await filled { $0.pages.cap = 1 }
    }

    @Test(arguments: 0..<5) func cursorsMayExpireOnTheWay(seed: UInt64) async throws {
        try await filled {
            $0.seed = seed
            $0.pages.expired = 0.5
        }
    }

    @Test func messagesOfOneTimeAreToldApartAtTheBordersOfPages() async throws {
        var conditions = ServerConditions()
        conditions.timeGranularity = 1_000_000
        try await filled({ _ in }, conditions)
    }

    @Test(arguments: 0..<5) func messagesOfOneTimeAreToldApartWhenCursorsExpire(
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

    /// The token of a gap is void by the time it is used (matrix-rust-sdk, pagination restart).
    @Test func aWalkWhoseCursorIsForgottenBeginsAnew() async throws {
        var options = SyncOptions.exact
        options.pageSize = 2
        let story = try await Story(options)
        try await story.say("a b")
        try await story.open()
        story.tellNewest(1)
        story.network.hold([.messages])
        try await story.sayAway("c d e f g h")
        try await story.held(1)
        story.network.release()
        try await story.sees("a b ~ f g h")
        try await story.held(1)
        story.network.expire(.pageCursors)
        story.network.hold([.messages], at: .beforeEffect)
        story.network.release()
        try await story.held(1)
        story.network.stopHolding()
        try await story.sees("a b c d e f g h")
        try await story.end()
    }

    /// Also where another message, which is missing, has the time of the one that is gone.
    @Test(arguments: [1, 2000]) func anAnchorThatWasDeletedIsGoneAround(
        timeGranularity: Int64
    ) async throws {
        var options = SyncOptions.exact
        options.pageSize = 2
        var conditions = ServerConditions()
        conditions.timeGranularity = timeGranularity
        let story = try await Story(options, conditions)
        try await story.say("a b")
        try await story.open()
        story.network.update { $0.pages.deletedAnchorsExpire = true }
        story.tellNewest(1)
        story.network.hold([.messages])
        await story.engine.disconnect()
        let messages = try await story.say("c d e f g h")
        try await story.connect()
        try await story.held(1)
        story.network.release()
        try await story.sees("a b ~ f g h")
        try await story.delete(messages[3])
        try await story.until { try !$0.picture(of: "general").contains("f") }
        story.network.expire(.pageCursors)
        story.network.stopHolding()
        try await story.sees("a b c d e g h")
        try await story.end()
    }

    /// As where a page of nothing new was the end (matrix-rust-sdk, deduplication).
    @Test func aPageOfWhatIsHeldAlreadyMovesTheWalk() async throws {
        var options = SyncOptions.exact
        options.pageSize = 2
        let story = try await Story(options)
        try await story.say("a b")
        try await story.open()
        story.tellNewest(1)
        story.network.hold([.messages])
        await story.engine.disconnect()
        let messages = try await story.say("c d e f g h")
        try await story.connect()
        try await story.held(1)
        // The rest comes by its ids, and covers nothing.
        _ = try await story.engine.fetchMessages(messages.map { $0.messageID! }, in: "general")
        #expect(try story.picture() == "a b ~ c ~ d ~ e ~ f ~ g ~ h ~")
        story.network.stopHolding()
        try await story.sees("a b c d e f g h")
        try await story.end()
    }

    /// As of a server whose newest page is behind, and says so by a cursor.
    @Test(arguments: 0..<5) func whatLiesBehindTheNewestPageIsFetched(seed: UInt64) async throws {
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

    @Test(arguments: 0..<10) func clocksThatDisagreeLoseNothing(seed: Int) async throws {
        var conditions = ServerConditions()
        conditions.clockSkew = 1500
        var options = SyncOptions.exact
        options.clockSkew = .seconds(3)
        options.pageSize = 3
        let story = try await Story(options, conditions, seed: UInt64(seed))
        try await story.say("a b c")
        try await story.open()
        story.tellNewest(1)
        try await story.sayAway("d e f g h")
        try await story.isTold()
        try await story.engine.caughtUp("general")
        #expect(
            try story.picture().split(separator: " ").map(String.init).sorted()
                == ["a", "b", "c", "d", "e", "f", "g", "h"])
        try await story.end()
    }
}
