import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Testing

@testable import Store
@testable import Sync

/// Tests the greatest numbers in rows of a plain store, which any program may have written.
@Suite(.timeLimit(.minutes(10))) struct ForgedNumberTests {
    @Test func itemWithTheGreatestNumberOfAttemptsIsSent() async throws {
        let store = try ChatStore.inMemory()
        var item = OutboxItem(
            Message(NewMessage("x"), in: "general", by: nil, at: 4_999_999_999_000),
            requestID: "r1")
        item.attempts = .max
        let saved = item
        try store.write { batch in try batch.save(saved) }
        let story = try await Story(.exact, store: store)
        try await story.connect()
        guard case .sent = try await story.engine.deliveryResult(of: "r1", in: "general") else {
            Issue.record("the item was not sent")
            return
        }
        try await story.end()
    }

    @Test func feedContinuesAfterTheGreatestNumber() async throws {
        let story = try await Story.caching("a")
        await story.engine.disconnect()
        var token = try #require(try story.store.feedToken())
        token.point = FeedPoint(token.point.cursor, number: .max)
        let forged = token
        try story.store.write { batch in batch.setFeedToken(forged) }
        try await story.connect()
        try await story.say("b")
        try await story.sees("a b")
        try await story.end()
    }

    @Test func historyChangesAfterTheGreatestNumberOfLosses() async throws {
        let story = try await Story.caching("a b")
        try story.store.write { batch in batch.setLossCount(.max) }
        try story.importMessages(["old": 500])
        try await story.waitUntilNotified()
        try await story.end()
    }
}
