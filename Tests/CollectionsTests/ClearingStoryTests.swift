import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that views stay open, and name the true source, when cached data is removed.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ClearingStoryTests {
    @Test func clearingTheCacheKeepsTheShownChannelWithAGap() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        let list = ChannelView(
            GroupChannelCollection(query: GroupChannelListQuery(), engine: story.engine))
        try await list.load()
        await story.engine.disconnect()
        _ = (view.notifications(), list.notifications())

        try await story.engine.clearCachedData()
        await view.shows("… …")
        await list.shows("general …")
        #expect(view.notifications() == ["deleted a b: cacheCleared, succeeded"])
        #expect(list.notifications() == [])
        #expect(list.collection.isStale)
        #expect(!CollectionEventSource.cacheCleared.isFromEvent)
        #expect(view.collection.channel.name == "general")
        #expect(!view.collection.isChannelDeleted)

        try await story.connect()
        await view.shows("a b")
        await list.shows("general")
        await list.until { !list.collection.isStale }
        #expect(!(view.heard + list.heard).contains { $0.contains("deleted") })
        try await story.end()
    }

    @Test func channelThatIsLostAfterClearingIsReported() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        await story.engine.disconnect()
        try await story.engine.clearCachedData()
        try await story.alice.perform(DeleteChannel("general"))
        await view.shows("… …")
        try await story.connect()
        await view.hears("channel general deleted: channelBackgroundSync")
        #expect(view.collection.isChannelDeleted)
        await story.close()
    }

    @Test func clearingTheMessagesOfAChannelHasItsOwnSource() async throws {
        let story = try await Story.caching("a b")
        let view = try await story.startedView()
        await story.engine.disconnect()
        _ = view.notifications()
        try await story.engine.clearCachedMessages(in: ["general"])
        await view.shows("… …")
        #expect(view.notifications() == ["deleted a b: cacheCleared, succeeded"])
        try await story.connect()
        await view.shows("a b")
        try await story.end()
    }

    /// A thread does not keep its channel from being evicted.
    @Test func evictionOfAShownThreadHasItsOwnSource() async throws {
        let place = try TemporaryStore()
        let story = try await Story(.exact, store: place.store)
        let parent = try await story.say("a")[0]
        try await story.reply("b c", to: parent)
        try await story.open()
        let view = View(
            MessageCollection(
                ofRepliesTo: parent.messageID!, in: "general", engine: story.engine))
        _ = try await view.collection.start().refreshed
        await view.shows("b c")
        await story.engine.disconnect()
        _ = view.notifications()
        #expect(try await story.engine.shrinkCache(to: 0).messageCount == 3)
        await view.until { $0.heard.contains("deleted b c: cacheEvicted, succeeded") }
        #expect(!CollectionEventSource.cacheEvicted.isFromEvent)
        await story.close()
    }

    // MARK: On disk

    /// A client of bob with a channel list, two messages of alice, an edited one among them, and a
    /// sent one of bob, all of which are in the files.
    private func written(
        in story: ClientStory
    ) async throws -> (ChatClient, View, ChannelView) {
        let client = try await story.connected()
        let view = View(try client.makeMessageCollection(of: "general"))
        let collection = view.collection
        _ = try await collection.start().refreshed
        let list = ChannelView(try client.makeGroupChannelCollection())
        _ = try await list.collection.start().refreshed
        let messages = try await story.say(texts[0...2].joined(separator: " "))
        try await story.until(client) { try $0.messages(in: "general").count == 3 }
        try await story.edit(messages[2], to: texts[3])
        try await story.delete(messages[1])
        let sent = try await collection.send(NewMessage(texts[4]))
        _ = try await sent.result
        try await story.until(client) { reader in
            try reader.messages(in: "general").map(\.text).sorted()
                == ["Jackdaws44", "Voltmeter5", "Xylophone1"]
        }
        try await view.isUpToDate()
        await list.until { list.channels.first?.lastMessage?.text == "Voltmeter5" }
        #expect(try story.readable(texts) == texts)
        _ = (view.notifications(), list.notifications())
        return (client, view, list)
    }

    /// A received text, a deleted one, one that was edited, its second version, and a sent one.
    ///
    /// They have nothing in common, because LevelDB compresses repeated characters.
    private let texts = ["Xylophone1", "Quagmire22", "Bumblebee3", "Jackdaws44", "Voltmeter5"]

    @Test func clearedTextsAreNotInTheFiles() async throws {
        let story = try await ClientStory()
        let (client, _, _) = try await written(in: story)
        await client.disconnect()
        try await client.clearCachedMessages(in: ["general"])
        // The channel is kept, with the sent message as its last one.
        #expect(try story.readable(texts.dropLast()) == [])
        try await client.clearCachedData()
        #expect(try story.readable(texts) == [])
        await client.close()
    }

    @Test func revokedUserLeavesNothingInViewsAndFiles() async throws {
        let story = try await ClientStory()
        let (client, view, list) = try await written(in: story)
        let collection = view.collection
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        _ = try await collection.send(NewMessage("unsent")).result
        let listener = Listener()
        client.addConnectionDelegate(listener)
        try await story.say("b")
        await view.until { $0.collection.messages.contains { $0.text == "b" } }
        _ = view.notifications()
        try story.server.revokeUser("bob")
        await listener.hears("sessionRevoked")
        #expect(collection.isDisposed && collection.items.isEmpty)
        #expect(list.collection.channels.isEmpty)
        #expect(collection.channel.name.isEmpty && collection.failedMessages.isEmpty)
        #expect(
            view.notifications().filter { $0.hasPrefix("deleted") } == [
                "deleted Xylophone1 Jackdaws44 Voltmeter5 b: sessionEnded, succeeded",
                "deleted unsent: sessionEnded, failed",
            ])
        #expect(
            list.notifications().filter { $0.hasPrefix("deleted") }
                == ["deleted general: sessionEnded"])
        // The end of the session waits until the data is removed.
        await client.close()
        #expect(try story.readable(texts) == [])
    }

    @Test func loggedOutUserLeavesNothingInViewsAndFiles() async throws {
        let story = try await ClientStory()
        let (client, view, list) = try await written(in: story)
        let collection = view.collection
        #expect(try await client.logOut(wiping: .cachedData) == [])
        #expect(collection.isDisposed && collection.items.isEmpty)
        #expect(list.collection.channels.isEmpty)
        #expect(
            view.notifications().filter { $0.hasPrefix("deleted") } == [
                "deleted Xylophone1 Jackdaws44 Voltmeter5: sessionEnded, succeeded"
            ])
        #expect(try story.readable(texts) == [])
        await client.close()
    }
}
