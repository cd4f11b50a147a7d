import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

@testable import Collections

/// Tests that no read on the main actor visits more than a fixed number of messages.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LongReadTests {
    private let url: ChannelURL = "general"

    /// Creates a story whose cache has 3,500 messages; every thousandth has the custom type "x".
    private func story() async throws -> Story {
        let story = try await Story()
        try story.store.write { batch in
            _ = try batch.cover(url, from: .beginning, through: .end)
            for number in 0..<3_500 {
                try batch.save(message(number, number % 1_000 == 0 ? "x" : ""))
            }
        }
        return story
    }

    private func message(_ number: Int, _ customType: String) -> Message {
        var message = Message(
            id: MessageID("\(number)"), channelURL: url, text: "\(number)",
            createdAt: Timestamp(milliseconds: Int64(number)))
        message.customType = customType
        return message
    }

    private var params: MessageListParams {
        var params = MessageListParams.sized(10)
        params.customTypes = ["x"]
        return params
    }

    @Test func filteredListIsCompletedElsewhere() async throws {
        let story = try await story()
        let view = story.view(of: url, params)
        let start = view.collection.start(.cacheOnly)
        #expect(try start.cached.map(\.text) == ["3000"])
        #expect(view.collection.window.visits.remaining == 0)
        // This message belongs to the part that is read elsewhere.
        try story.store.write { batch in try batch.save(message(500, "x")) }
        #expect(try await start.refreshed.map(\.text) == ["0", "500", "1000", "2000", "3000"])
        try story.store.write { batch in try batch.save(message(1_500, "x")) }
        await view.until { $0.collection.messages.count == 6 }
        #expect(!view.collection.hasPrevious)
        await story.close()
    }

    @Test func pagesOfAFilteredListAreReadElsewhere() async throws {
        let story = try await story()
        var params = params
        params.previousResultSize = 1
        let view = story.view(of: url, params)
        _ = try await view.collection.start(.cacheOnly).refreshed
        #expect(view.collection.messages.map(\.text) == ["3000"])
        #expect(try await view.collection.loadPrevious().map(\.text) == ["2000"])
        #expect(try await view.collection.loadPrevious().map(\.text) == ["1000"])
        #expect(try await view.collection.loadPrevious().map(\.text) == ["0"])
        #expect(view.collection.messages.map(\.text) == ["0", "1000", "2000", "3000"])
        await story.close()
    }

    /// An edit that may make an unlisted message match the list makes the window read again.
    @Test func longListIsReadAgainElsewhere() async throws {
        let story = try await story()
        let view = story.view(of: url, params)
        _ = try await view.collection.start(.cacheOnly).refreshed
        var item = OutboxItem()
        (item.requestID, item.channelURL, item.createdAt) = ("r", url, 1)
        (item.messageID, item.operation) = ("1700", .update)
        var update = UserMessageUpdateParams()
        update.customType = "x"
        item.userMessageUpdateParams = update
        try story.store.write { batch in try batch.save(item) }
        await view.until { $0.collection.messages.contains { $0.text == "1700" } }
        #expect(view.collection.window.visits.remaining > 0)
        await story.close()
    }
}
