import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests changes of messages that the user has deleted, before the deletion is sent.
@Suite(.timeLimit(.minutes(10))) struct DeletedMessageTests {
    let story: Story
    let id: MessageID

    init() async throws {
        story = try await Story()
        try await story.open()
        let result = try await story.engine.deliveryResult(
            of: try await story.write("a"), in: "general")
        guard case .sent(let message) = result else { fatalError("\(result)") }
        id = try #require(message.messageID)
        await story.engine.disconnect()
    }

    @Test func queuedDeletionRemovesTheChangesOfItsMessage() async throws {
        let edit = try await story.engine.update(.sent(id), in: "general", with: .text("b"))
        let reaction = try await story.engine.addReaction("+1", to: .sent(id), in: "general")
        let other = try await story.write("c")
        let deletion = try await story.engine.delete(.sent(id), in: "general")
        for id in [edit, reaction] {
            #expect(try await story.engine.deliveryResult(of: id, in: "general") == .canceled)
        }
        #expect(try story.store.outboxItems().map(\.requestID) == [other, deletion])
        try await story.connect()
        #expect(try await story.engine.deliveryResult(of: deletion, in: "general") == .done)
        #expect(try await story.texts() == ["c"])
        #expect(try story.store.outboxItems() == [])
        try await story.end()
    }

    @Test func deletionRemovesAFailedEdit() async throws {
        try await story.connect()
        let long = String(repeating: "b", count: 10_000)
        let edit = try await story.engine.update(.sent(id), in: "general", with: .text(long))
        _ = try await story.engine.failed(edit)
        await story.engine.disconnect()
        let deletion = try await story.engine.delete(.sent(id), in: "general")
        #expect(try story.store.outboxItems().map(\.requestID) == [deletion])
        await story.close()
    }

    @Test func deletedMessageCannotBeChanged() async throws {
        try await story.engine.delete(.sent(id), in: "general")
        await expectError(.notFound) {
            try await story.engine.update(.sent(id), in: "general", with: .text("b"))
        }
        await expectError(.notFound) {
            try await story.engine.addReaction("+1", to: .sent(id), in: "general")
        }
        #expect(try story.store.outboxItems().map(\.operation) == [.delete])
        try await story.connect()
        try await story.end()
    }
}
