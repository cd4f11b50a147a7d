import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Testing

@testable import Store
@testable import Sync

/// Tests that an engine replaces a cache in which a row cannot be decoded.
@Suite(.timeLimit(.minutes(10))) struct DamagedRowTests {
    /// Returns a story whose engine shows the messages a, b and c.
    private func story() async throws -> (Story, [Message]) {
        let story = try await Story(.exact)
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        return (story, messages)
    }

    /// Damages the row of a message, and finds the damage.
    private func damage(_ message: Message, of story: Story) throws {
        let position = try #require(message.position)
        try story.store.write { batch in
            let number = try #require(try batch.number(of: "general"))
            batch.rows.cache.putDamaged({ $0.messageKey(number, position) }, { $0.raw([0xFF]) })
        }
        #expect { try story.store.messages(in: "general") } throws: {
            ($0 as? StoreError)?.code == .corruption
        }
    }

    private func texts(_ story: Story) throws -> String {
        try story.store.messages(in: "general").reversed().map(\.text).joined(separator: " ")
    }

    @Test func damageIsReplacedWithAConnection() async throws {
        let (story, messages) = try await story()
        let reasons = Locked<[StoreError]>([])
        story.store.observeReplacements { reason in reasons.withLock { $0.append(reason) } }
        try damage(messages[1], of: story)
        await story.engine.reconnect()
        try await story.engine.caughtUp("general")
        #expect(try texts(story) == "a b c")
        #expect(reasons.withLock { $0.map(\.code) } == [.corruption])
        #expect(story.store.cacheDamage == nil)
        #expect(await story.engine.state.failure == nil)
        try await story.say("d")
        try await story.until { try $0.messages(in: "general").count == 4 }
        await story.engine.close()
    }

    /// Without the cursor of the feed, the engine would not learn what it missed.
    @Test(arguments: ["feed", "former", "losses", "user", "app", "unreported general"])
    func tokenThatCannotBeReadReplacesTheCache(scope: String) async throws {
        let (story, messages) = try await story()
        let reasons = Locked<[StoreError]>([])
        story.store.observeReplacements { reason in reasons.withLock { $0.append(reason) } }
        await story.engine.disconnect()
        try await story.delete(messages[1])
        try await story.say("d")
        try story.store.write { $0.setToken([0xFF], for: scope) }
        try story.server.expireCursors()
        try await story.connect()
        try await story.engine.caughtUp("general")
        #expect(try texts(story) == "a c d")
        #expect(reasons.withLock { $0.map(\.code) } == [.corruption])
        await story.engine.close()
    }

    /// Clearing does not require that the tokens can be read.
    @Test(arguments: ["losses", "user", "app"])
    func cacheWithADamagedTokenIsCleared(scope: String) async throws {
        let (story, _) = try await story()
        await story.engine.disconnect()
        try story.store.write { $0.setToken([0xFF], for: scope) }
        try await story.engine.clearCachedData()
        #expect(try texts(story) == "")
        try await story.connect()
        try await story.engine.caughtUp("general")
        #expect(try texts(story).hasSuffix("c"))
        await story.engine.close()
    }

    @Test func replacementWaitsForAConnection() async throws {
        let (story, messages) = try await story()
        story.network.goOffline()
        await story.engine.disconnect()
        try damage(messages[1], of: story)
        await story.engine.reconnect()
        // All other rows can be read, and the user can write.
        let id = try #require(messages[0].messageID)
        #expect(try story.store.message(id, in: "general")?.text == "a")
        #expect(try story.store.groupChannel("general") != nil)
        let item = try await story.engine.send(NewMessage("mine"), in: "general")
        #expect(try story.store.outboxItems().map(\.requestID) == [item.requestID])
        #expect(story.store.cacheDamage != nil)

        story.network.goOnline()
        try await story.connect()
        _ = try await story.engine.sent(#require(item.requestID))
        try await story.engine.caughtUp("general")
        #expect(story.store.cacheDamage == nil)
        #expect(try texts(story) == "a b c mine")
        await story.engine.close()
    }
}
