import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that fields that only a newer version knows survive all changes that this version makes to
/// a message.
@Suite(.timeLimit(.minutes(10))) struct UnknownFieldTests {
    /// The bytes of field 1000, which is in no schema, with wire type 0 and the value 7.
    private let unknown: [UInt8] = [0xC0, 0x3E, 0x07]

    private func hasUnknown(_ record: some Record) -> Bool {
        let bytes = record.serializedBytes
        return bytes.indices.contains { bytes[$0...].starts(with: unknown) }
    }

    @Test func unknownFieldOfAHeldMessageSurvivesAnAnsweredUpdate() async throws {
        let story = try await Story()
        try await story.open()
        let sent = try await story.write("mine")
        let message = try await story.engine.sent(sent)
        let id = try #require(message.messageID)
        let held = try #require(try story.store.message(id, in: "general"))
        let newer = try Message(serialized: held.serializedBytes + unknown)
        try story.store.write { try $0.save(newer) }
        story.clock.advance(by: .seconds(1))
        let edit = try await story.engine.update(.sent(id), in: "general", with: .text("edited"))
        _ = try await story.engine.deliveryResult(of: edit, in: "general")
        try await story.until { try $0.message(id, in: "general")?.text == "edited" }
        let edited = try #require(try story.store.message(id, in: "general"))
        #expect(hasUnknown(edited))
        try await story.end()
    }

    @Test func unknownFieldsOfAnOutboxItemSurviveAnEdit() async throws {
        let story = try await Story()
        story.network.goOffline()
        let id = try await story.write("unsent")
        let item = try #require(try story.store.outboxItem(id))
        var newer = try OutboxItem(serialized: item.serializedBytes + unknown)
        newer.message = try newer.message.map {
            try Message(serialized: $0.serializedBytes + unknown)
        }
        try story.store.write { [newer] in try $0.save(newer) }
        try await story.engine.update(.written(id), in: "general", with: .text("edited"))
        let edited = try #require(try story.store.outboxItem(id))
        #expect(edited.message?.text == "edited")
        #expect(hasUnknown(edited) && edited.message.map { hasUnknown($0) } == true)
        await story.close()
    }
}
