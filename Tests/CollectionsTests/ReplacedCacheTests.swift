import EmbeddedServer
import Models
import ScrollbackStorySupport
import Sync
import Testing

@testable import Collections
@testable import Store

/// Tests that collections stay on screen while a damaged cache is replaced.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ReplacedCacheTests {
    /// Damages the row of a message in the cache, and finds the damage.
    private func damage(_ message: Message, of client: ChatClient) throws {
        let store = try client.engine.store
        let position = try #require(message.position)
        try store.write { batch in
            let number = try #require(try batch.number(of: "general"))
            batch.rows.cache.put({ $0.messageKey(number, position) }, { $0.raw([0xFF]) })
        }
        #expect(throws: StoreError.self) { try store.messages(in: "general") }
    }

    /// Waits until a condition holds.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func shownRowsStayUntilTheServersArrive() async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b c")
        let client = try await story.connected()
        let listener = Listener()
        client.addUserEventDelegate(listener)
        let collection = try await client.startedCollection()
        let list = try client.makeGroupChannelCollection()
        _ = try await list.loadMore()
        try await client.engine.caughtUp()
        #expect(collection.messages.map(\.text) == ["a", "b", "c"])

        story.network.hold([.messages, .feed, .channels], at: .beforeEffect)
        try damage(messages[1], of: client)
        try await client.engine.reconnect()
        try await until { client.storageDamage.replacedCache != nil }
        await listener.hears("damage: replaced cache")
        #expect(collection.messages.map(\.text) == ["a", "b", "c"])
        #expect(list.channels.map(\.url) == ["general"])
        #expect(try client.engine.store.messageCount() == 0)

        // While the cache is empty, one of the messages is deleted on the server.
        try await story.delete(messages[0])
        story.network.stopHolding()
        try await client.engine.caughtUp()
        try await until { collection.messages.map(\.text) == ["b", "c"] }
        #expect(list.channels.map(\.url) == ["general"])
        try await story.say("d")
        try await until { collection.messages.map(\.text) == ["b", "c", "d"] }
        #expect(client.storageDamage.cache == nil)
        await client.close()
    }

    @Test func offlineTheReplacementWaits() async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b c")
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        try await client.engine.caughtUp()
        story.network.goOffline()
        await client.disconnect()
        try damage(messages[1], of: client)
        try await until { client.storageDamage.cache != nil }
        #expect(client.storageDamage.replacedCache == nil)
        #expect(collection.messages.map(\.text) == ["a", "b", "c"])
        let sent = try await client.send(NewMessage("mine"), in: "general")

        story.network.goOnline()
        try await client.connect(as: Credentials("bob"))
        _ = try await sent.result
        try await client.engine.caughtUp()
        try await until { collection.messages.map(\.text) == ["a", "b", "c", "mine"] }
        #expect(client.storageDamage.cache == nil && client.storageDamage.replacedCache != nil)
        await client.close()
    }

    @Test func channelThatTheUserHasLostIsRemoved() async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b")
        try story.createChannel("other")
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        let list = try client.makeGroupChannelCollection()
        _ = try await list.loadMore()
        try await client.engine.caughtUp()
        story.network.goOffline()
        await client.disconnect()
        try damage(messages[0], of: client)
        _ = try await story.alice.perform(DeleteChannel("general"))
        #expect(collection.messages.count == 2 && list.channels.count == 2)
        story.network.goOnline()
        try await client.connect(as: Credentials("bob"))
        try await until { collection.messages.isEmpty && list.channels.map(\.url) == ["other"] }
        await client.close()
    }
}
