import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that an outbox item is not changed if only a newer version knows its operation or state.
@Suite(.timeLimit(.minutes(10))) struct UnknownOutboxItemTests {
    /// The bytes of field 4 (the operation), of field 5 (the state), or of both.
    ///
    /// The value 99 is unknown.
    static let fields: [[UInt8]] = [
        [0x20, 99], [0x28, 99], [0x20, 99, 0x28, 1], [0x20, 99, 0x28, 99],
    ]

    private func outboxItem(_ fields: [UInt8]) throws -> OutboxItem {
        var item = OutboxItem(
            Message(id: nil, channelURL: "general", text: "unknown", createdAt: 1),
            requestID: "newer")
        item.message?.newMessage = NewMessage("unknown")
        return try OutboxItem(serialized: item.serializedBytes + fields)
    }

    @Test(arguments: fields) func unknownItemIsNotSentFailedOrRemoved(fields: [UInt8]) async throws
    {
        let story = try await Story(.exact { $0.failedItemLimit = 0 })
        let newer = try outboxItem(fields)
        try story.store.write { try $0.save(newer) }
        // Advance the clock by more than the lifetime of any item.
        story.device.advance(by: .seconds(30 * 24 * 3600))
        try await story.open()
        let written = try await story.write("b")
        _ = try await story.engine.sent(written)
        #expect(try await story.texts() == ["b"])
        #expect(try story.store.outboxItem("newer") == newer)
        #expect(try story.store.pendingMessages(in: "general") == [])
        #expect(try story.store.failedMessages(in: "general") == [])
        #expect(try story.store.outboxItems(state: .pending) == [])
        #expect(try story.store.outboxItems(state: .failed) == [])
        #expect(try story.store.outboxItems() == [newer])
        await #expect(throws: SyncError.self) { try await story.engine.resend("newer") }
        #expect(try await story.engine.discardFailedItems(["newer"]) == [])
        #expect(try await story.engine.discardAllFailedItems(in: "general") == [])
        #expect(try story.store.outboxItem("newer") == newer)
        // The user can remove the item.
        #expect(try await story.engine.cancel("newer"))
        #expect(try story.store.outboxItems() == [])
        await story.close()
    }

    @Test func editInAnUnknownStateIsNotShown() throws {
        var edit = OutboxItem(.update, requestID: "newer", channelURL: "general", createdAt: 1)
        edit.messageID = "1"
        var params = UserMessageUpdateParams()
        params.text = "edited"
        edit.userMessageUpdateParams = params
        let message = Message(id: "1", channelURL: "general", text: "as it was", createdAt: 1)
        let known = UnsentChanges([edit], userID: nil)
        #expect(known.shown(message)?.text == "edited")
        let newer = try OutboxItem(serialized: edit.serializedBytes + [0x28, 99])
        #expect(UnsentChanges([newer], userID: nil).isEmpty)
    }
}
