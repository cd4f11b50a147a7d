import EmbeddedServer
import Foundation
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
            batch.rows.cache.putDamaged({ $0.messageKey(number, position) }, { $0.raw([0xFF]) })
        }
        #expect(throws: StoreError.self) { try store.messages(in: "general") }
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
        try await yieldUntil { client.storageDamage.replacedCache != nil }
        await listener.hears("damage: replaced cache")
        #expect(collection.messages.map(\.text) == ["a", "b", "c"])
        #expect(list.channels.map(\.url) == ["general"])
        #expect(try client.engine.store.messageCount() == 0)

        // While the cache is empty, one of the messages is deleted on the server.
        try await story.delete(messages[0])
        story.network.stopHolding()
        try await client.engine.caughtUp()
        try await yieldUntil { collection.messages.map(\.text) == ["b", "c"] }
        #expect(list.channels.map(\.url) == ["general"])
        try await story.say("d")
        try await yieldUntil { collection.messages.map(\.text) == ["b", "c", "d"] }
        #expect(client.storageDamage.cache == nil)
        await client.close()
    }

    @Test func rowsOfSearchesAndListsStayUntilTheServersArrive() async throws {
        let story = try await ClientStory()
        let messages = try await story.say("https://a.org https://b.org")
        let client = try await story.connected()
        _ = try await client.startedCollection()
        try await client.engine.caughtUp()
        let search = try client.makeMessageSearch(MessageSearchParams("org"))
        let links = try client.makeMessageList(of: .link, in: "general")
        let all = try client.makeMessageList(of: .link)
        try await search.loadMore()
        _ = try await (links.start(), all.start())
        func texts() -> [[String]] {
            [search.messages.map(\.message.text)]
                + [links, all].map { $0.rows.map(\.message.text) }
        }
        let before = ["https://b.org", "https://a.org"]
        #expect(texts() == [before, before, before])

        story.network.hold([.messages, .feed, .channels], at: .beforeEffect)
        try damage(messages[0], of: client)
        try await client.engine.reconnect()
        try await yieldUntil { client.storageDamage.replacedCache != nil }
        for _ in 0..<50 { await Task.yield() }
        #expect(texts() == [before, before, before])
        try await story.delete(messages[0])
        story.network.stopHolding()
        try await client.engine.caughtUp()
        #expect(texts() == [before, before, before])
        try await search.backfill()
        let after = ["https://b.org"]
        try await yieldUntil { texts() == [after, after, after] }
        await client.close()
    }

    /// A disk that damages each file would otherwise have the cache replaced again and again.
    @Test func secondDamageWithinAnHourIsOnlyReported() async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b c")
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        try await client.engine.caughtUp()
        try damage(messages[1], of: client)
        try await client.engine.reconnect()
        try await yieldUntil { client.storageDamage.replacedCache != nil }
        try await client.engine.caughtUp("general")
        #expect(client.storageDamage.cache == nil)
        try damage(messages[2], of: client)
        try await client.engine.reconnect()
        try await yieldUntil { client.storageDamage.cache != nil }
        let sent = try await client.send(NewMessage("mine"), in: "general")
        _ = try await sent.result
        #expect(try client.engine.store.cacheDamage != nil)

        try await client.clearCachedData()
        try await client.engine.caughtUp("general")
        #expect(try client.engine.store.cacheDamage == nil)
        try await yieldUntil { collection.messages.map(\.text) == ["a", "b", "c", "mine"] }
        await client.close()
    }

    /// The process ended before the engine recorded the owner of the new cache.
    @Test func ownerOfAReplacedCacheIsRecordedAgain() async throws {
        let story = try await ClientStory()
        try await story.say("a")
        let client = try await story.connected()
        try await client.engine.caughtUp()
        await client.close()
        let store = try ChatStore(at: story.directory(of: "bob"))
        let reason = StoreError(.corruption, "damaged", path: store.cache.path)
        try store.replaceCache(reason: reason, at: 7, isRequested: true)
        store.close()
        story.network.goOffline()
        let again = try await story.open()
        try await again.connect(as: Credentials("bob"))
        #expect(again.currentUser?.userID == "bob")
        #expect(try again.engine.store.replacedAt() == 7)
        await again.close()
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
        try await yieldUntil { client.storageDamage.cache != nil }
        #expect(client.storageDamage.replacedCache == nil)
        #expect(collection.messages.map(\.text) == ["a", "b", "c"])
        let sent = try await client.send(NewMessage("mine"), in: "general")

        story.network.goOnline()
        try await client.connect(as: Credentials("bob"))
        _ = try await sent.result
        try await client.engine.caughtUp()
        try await yieldUntil { collection.messages.map(\.text) == ["a", "b", "c", "mine"] }
        #expect(client.storageDamage.cache == nil && client.storageDamage.replacedCache != nil)
        await client.close()
    }

    /// Without a connection, a list ends at the damage, and can be opened on its other side.
    @Test func offlineAListEndsAtTheDamage() async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b c d")
        let client = try await story.connected()
        let collection = try await client.startedCollection()
        try await client.engine.caughtUp()
        try await yieldUntil { !collection.hasNext && !collection.hasPrevious }
        story.network.goOffline()
        await client.disconnect()
        try damage(messages[1], of: client)

        let newest = try client.makeMessageCollection(of: "general")
        #expect(try newest.start().cached.map(\.text) == ["c", "d"])
        #expect(newest.messages.map(\.text) == ["c", "d"])
        #expect(newest.hasPrevious && !newest.hasNext)
        for _ in 1...2 {
            let error = await #expect(throws: SyncError.self) { try await newest.loadPrevious() }
            #expect(error?.code == .store)
            #expect((error?.cause as? StoreError)?.code == .corruption)
        }
        var params = MessageListParams()
        (params.previousResultSize, params.nextResultSize) = (10, 10)
        let older = try client.makeMessageCollection(
            of: "general", startingPoint: .time(messages[0].createdAt), params: params)
        older.start()
        #expect(older.messages.map(\.text) == ["a"])
        #expect(!older.hasPrevious && older.hasNext)

        story.network.goOnline()
        try await client.connect(as: Credentials("bob"))
        try await client.engine.caughtUp("general")
        _ = try await newest.loadPrevious()
        #expect(newest.messages.map(\.text) == ["a", "b", "c", "d"])
        await client.close()
    }

    /// The newest replaced cache stays for a bug report.
    @Test(arguments: ["clear", "log out", "revoke"])
    func replacedCacheIsKeptUntilTheEnd(of end: String) async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b")
        let client = try await story.connected()
        _ = try await client.startedCollection()
        try await client.engine.caughtUp()
        try damage(messages[0], of: client)
        func kept() -> Bool {
            let directory = story.directory(of: "bob").appending(path: "replaced-cache-1")
            return FileManager.default.fileExists(atPath: directory.path)
        }
        try await yieldUntil { client.storageDamage.replacedCache != nil && kept() }
        try await client.engine.caughtUp()
        #expect(kept())
        switch end {
        case "clear": try await client.clearCachedData()
        case "log out":
            try await client.logOut(wiping: .cachedData)
            #expect(client.storageDamage.isEmpty)
        default:
            let listener = Listener()
            client.addConnectionDelegate(listener)
            story.network.failNext(of: [.feed], with: BackendError(.sessionRevoked, "bob is out"))
            try await story.say("c")
            await listener.hears("sessionRevoked")
        }
        await client.close()
        #expect(!kept())
    }

    /// A cache that was cleared or lost has no tombstones.
    @Test(arguments: ["cleared", "lost", "removed"])
    func pushOfADeletedMessageIsNotShown(end: String) async throws {
        let story = try await ClientStory()
        let messages = try await story.say("a b")
        var client = try await story.connected()
        _ = try await client.startedCollection()
        try await client.engine.caughtUp()
        try await story.delete(messages[1])
        try await story.until(client) { try $0.messageCount() == 1 }
        story.network.goOffline()
        await client.disconnect()
        if end == "cleared" {
            try await client.clearCachedData()
        } else {
            await client.close()
            let directory = story.directory(of: "bob")
            if end == "lost" {
                try FileManager.default.removeItem(at: directory.appending(path: "cache"))
            } else {
                try ChatStore.removeCache(at: directory)
            }
            client = try await story.open()
        }
        // The user can use the empty cache without a connection.
        _ = try await client.connect(as: Credentials("bob"))
        #expect(client.currentUser?.userID == "bob")
        #expect(try await client.ingest(push: [messages[1]]) == 0)
        #expect(try client.engine.store.messageCount() == 0)

        story.network.goOnline()
        _ = try await client.connect(as: Credentials("bob"))
        let collection = try await client.startedCollection()
        #expect(collection.messages.map(\.text) == ["a"])
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
        try await yieldUntil {
            collection.messages.isEmpty && list.channels.map(\.url) == ["other"]
        }
        await client.close()
    }
}
