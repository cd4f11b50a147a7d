import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
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

    @Test func itemWithTheGreatestNumberOfAttemptsFails() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let file = directory.url.appending(path: "a")
        try Data("a".utf8).write(to: file)
        let story = try await Story(.exact)
        let params = NewMessage(files: [UploadableFile(path: file.path)])
        let id = try #require(
            try await story.engine.send(params, in: "general", keepsCopies: false).requestID)
        try FileManager.default.removeItem(at: file)
        var item = try #require(try story.store.outboxItem(id))
        item.attempts = .max
        let forged = item
        try story.store.write { batch in try batch.save(forged) }
        try await story.connect()
        guard case .failed = try await story.engine.deliveryResult(of: id, in: "general") else {
            Issue.record("the item has not failed")
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

    @Test func lossesOfTheFormerEpochPrecedeTheNumberOfLosses() async throws {
        let story = try await Story.caching("a b")
        try story.store.write { batch in
            batch.setLossCount(1)
            batch.setFormerEpoch(FormerEpoch("e", losses: 100...200))
            try batch.markStale(
                StaleRange(in: "general", from: .beginning, to: .end, lossNumber: 150))
        }
        try story.importMessages(["old": 500])
        try await story.waitUntilNotified()
        try await story.end()
    }
}
