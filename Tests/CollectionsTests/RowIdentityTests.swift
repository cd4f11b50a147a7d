import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

/// Tests that rows keep their identity, as a diffable list of an app sees it.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct RowIdentityTests {
    @Test func messageKeepsItsRowWhenItIsSent() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        let inserted = view.insertedCount
        for text in ["b", "c"] {
            _ = try await view.collection.send(NewMessage(text)).result
        }
        await story.engine.disconnect()
        try await view.collection.send(NewMessage("d"))
        try await story.connect()
        await view.shows("a b c d")
        try await story.say("e")
        await view.shows("a b c d e")
        #expect(view.insertedCount == inserted + 4 && view.deletedCount == 0)
        #expect(view.collection.items.map(\.id) == view.collection.messages.map { .message($0.id) })
        try await story.end()
    }

    @Test func failedMessageKeepsItsRowWhenItIsResent() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        let inserted = view.insertedCount
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        let sending = try await view.collection.send(NewMessage("b"))
        _ = try await sending.result
        await view.shows("a !b")
        let id = try #require(sending.message.requestID)
        #expect(view.collection.messages.last?.id == .written(id))
        _ = try await view.collection.resend(id).result
        await view.shows("a b")
        #expect(view.collection.messages.last?.id == .written(id))
        #expect(view.insertedCount == inserted + 1 && view.deletedCount == 0)
        try await story.end()
    }

    @Test func messageWithALearnedRequestIDKeepsItsRow() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        let row = try #require(view.collection.messages.first?.id)
        try story.store.write { batch in
            var message = try #require(try batch.messages(in: "general").first)
            message.requestID = "r"
            try batch.save(message)
        }
        await view.until { $0.collection.messages.first?.requestID == "r" }
        #expect(view.collection.messages.first?.id == row)
        try await story.end()
    }

    @Test func messagesWithTheSameRequestIDHaveTwoRows() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        try story.store.write { batch in
            for var message in try batch.messages(in: "general") {
                message.requestID = "r"
                try batch.save(message)
            }
        }
        await view.until { $0.collection.messages.allSatisfy { $0.requestID == "r" } }
        let other = try await story.startedView()
        #expect(Set(other.collection.messages.map(\.id)).count == 2)
        #expect(Set(other.collection.items.map(\.id)).count == 2)
        try await story.end()
    }
}
