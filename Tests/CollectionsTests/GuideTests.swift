import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests an app like those in the guides that Docs/Migration.md answers, but written with
/// Scrollback.
///
/// Each screen has its own data source. As in the guides, only delegate calls change the data
/// source. After every event, the data source must equal the collection.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct GuideTests {
    // MARK: Message collections

    @Test func dataSourceOfAChatEqualsTheCollectionAfterEveryEvent() async throws {
        let story = try await ClientStory()
        try await story.say("a b c d e f g h")
        let client = try await story.open()
        #expect(try await Guide.connect(client) == "online")
        try await client.engine.caughtUp()
        let screen = ChatScreen()
        var params = MessageListParams()
        params.previousResultSize = 3
        try await screen.open("general", of: client, params)
        #expect(screen.texts == ["f", "g", "h"] && screen.isSame)
        // Scrolling.
        try await screen.scrollUp()
        #expect(screen.texts.first == "c" && screen.isSame)
        try await screen.scrollDown()
        #expect(screen.texts.count == 6 && screen.isSame)

        // Live events.
        let live = try await story.say("i")[0]
        await screen.shows { $0.texts.last == "i" }
        try await story.edit(live, to: "I")
        await screen.shows { $0.texts.last == "I" }
        try await story.delete(live)
        await screen.shows { $0.texts.last == "h" }

        // Sending: pending, then sent.
        let sent = try await screen.send("mine")
        #expect(screen.isSame && screen.texts.last == "mine")
        _ = try await sent.result
        await screen.shows { $0.rows.last?.sendingStatus == .succeeded }

        // Failing, resending, removing, canceling.
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        let failed = try await screen.send("refused")
        await screen.shows { $0.rows.last?.sendingStatus == .failed }
        try await screen.resend(failed.message)
        await screen.shows { $0.rows.last?.sendingStatus == .succeeded }
        story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
        let removed = try await screen.send("removed")
        await screen.shows { $0.rows.last?.sendingStatus == .failed }
        try await screen.remove(removed.message)
        #expect(screen.isSame && screen.texts.last == "refused")
        story.network.goOffline()
        let canceled = try await screen.send("canceled")
        #expect(screen.isSame && screen.texts.last == "canceled")
        try await screen.cancel(canceled.message)
        #expect(screen.isSame && screen.texts.last == "refused")

        // Missed messages, and a changed channel.
        try await story.say("j k")
        story.network.goOnline()
        await client.reconnect()
        await screen.shows { $0.texts.last == "k" }
        #expect(screen.succeededCount == screen.rows.count)
        _ = try await story.alice.perform(UpdateChannel("general", with: .named("Renamed")))
        await screen.shows { $0.title == "Renamed" }
        try await story.alice.perform(DeleteChannel("general"))
        await screen.shows { $0.isClosed }
        screen.close()
        await client.close()
    }

    @Test func hugeGapReplacesTheContentsOfTheView() async throws {
        let story = try await ClientStory()
        try await story.say("a b")
        var options = story.options
        options.sync.hugeGapThreshold = 3
        let client = try await story.open(options)
        #expect(try await Guide.connect(client) == "online")
        try await client.engine.caughtUp()
        let screen = ChatScreen()
        var params = MessageListParams()
        params.previousResultSize = 2
        params.nextResultSize = 2
        try await screen.open("general", of: client, params)
        await client.disconnect()
        story.server.conditions.feedLimit = 1
        try await story.say("c d e f g h i j")
        try await client.connect(as: Credentials("bob"))
        await screen.shows { $0.hugeGaps == 1 }
        #expect(screen.texts.first == "a")
        screen.close()
        await client.close()
    }

    // MARK: Group channel collections

    @Test func dataSourceOfAChannelListEqualsTheCollectionAfterEveryEvent() async throws {
        let story = try await ClientStory()
        for url in ["one", "two", "three"] as [ChannelURL] {
            story.clock.advance(by: .seconds(1))
            try story.createChannel(url)
        }
        try await story.say("a")
        let client = try await story.open()
        #expect(try await Guide.connect(client) == "online")
        try await client.engine.caughtUp()
        let screen = ChannelListScreen()
        try await screen.open(client)
        while screen.hasMore { try await screen.scrollDown() }
        #expect(screen.urls == ["general", "three", "two", "one"] && screen.isSame)

        try await story.say("b", in: "one")
        await screen.shows { $0.urls == ["one", "general", "three", "two"] }
        story.clock.advance(by: .seconds(1))
        try story.createChannel("new")
        await screen.shows { $0.urls.contains("new") }
        _ = try await story.alice.perform(UpdateChannel("two", with: .named("Renamed")))
        await screen.shows { $0.channels.contains { $0.name == "Renamed" } }
        try await story.alice.perform(DeleteChannel("three"))
        await screen.shows { !$0.urls.contains("three") }
        try await client.leave("new")
        await screen.shows { !$0.urls.contains("new") }
        await client.disconnect()
        try await story.say("c", in: "two")
        try await client.connect(as: Credentials("bob"))
        await screen.shows { $0.urls.first == "two" }
        screen.close()
        await client.close()
    }

    // MARK: Connecting and the cache

    @Test func connectingHasThreeOutcomes() async throws {
        let story = try await ClientStory()
        story.network.goOffline()
        var client = try await story.open()
        #expect(try await Guide.connect(client) == "no user")
        story.network.goOnline()
        #expect(try await Guide.connect(client) == "online")
        try await client.engine.caughtUp()
        await client.close()
        story.network.goOffline()
        client = try await story.open()
        #expect(try await Guide.connect(client) == "offline")
        #expect(try client.cachedDataSize() > 0)
        try await client.clearCachedMessages(in: ["general"])
        try await client.clearCachedData()
        await client.close()
    }

    // MARK: A database of one's own, and files

    @Test func storeReplacesAnAppsOwnTables() throws {
        let directory = ScratchDirectory()
        let store = try ChatStore(at: directory.url)
        defer { store.close() }
        // When a channel opens, the app shows its stored messages, oldest first, and then the
        // server's.
        let page = [Message.of("2", at: 2), Message.of("1", at: 1)]
        try store.write { batch in for message in page { try batch.save(message) } }
        var shown = try store.messages(in: "general", limit: 30).reversed().map(\.text)
        #expect(shown == ["1", "2"])
        // The app updates the store when a message is received, sent, edited or deleted.
        try store.write { try $0.save(Message.of("3", at: 3)) }
        try store.write { try $0.removeMessage("1", in: "general") }
        shown = try store.messages(in: "general", limit: 30).reversed().map(\.text)
        #expect(shown == ["2", "3"])
        // The app lists the channels by the time of their last message.
        for (url, time) in [("old", 1), ("new", 9)] as [(ChannelURL, Int64)] {
            var channel = GroupChannel(url: url, createdAt: 0)
            channel.lastMessage = Message.of("m", at: time, in: url)
            try store.write { try $0.save(channel) }
        }
        #expect(
            try store.groupChannels(matching: GroupChannelListQuery()).map(\.url) == ["new", "old"])
        // The app stores objects as bytes.
        let bytes = page[0].serialize()
        #expect(try Message(serialized: Array(bytes)) == page[0])
    }

    @Test func filesShowAChatUntilTheServerAnswers() async throws {
        let story = try await ClientStory()
        try await story.say("a b c")
        let directory = ScratchDirectory()
        let files = try FileCache(directory: directory.url, limit: 2)
        let client = try await story.connected()
        try await client.engine.caughtUp()
        // When the user leaves a chat, the app saves its newest messages. A message without an id
        // is skipped.
        let messages = try await client.messages(in: "general", around: .distantFuture)
        let unsent = Message(id: nil, channelURL: "general", text: "unsent", createdAt: 9)
        #expect(try files.save(messages + [unsent], in: "general"))
        #expect(try !files.save(messages, in: "general"))
        let channels = try client.engine.store.groupChannels(
            matching: GroupChannelListQuery())
        try files.saveChannels(channels)
        await client.close()

        // When the user enters the chat, the app shows the saved messages at once, and then the
        // server's answer.
        var shown = try files.load("general").records.map(\.text)
        #expect(shown == ["b", "c"])
        #expect(try files.loadChannels().records.map(\.url) == ["general"])
        try await story.say("d")
        let again = try await story.connected()
        try await again.engine.caughtUp()
        shown = try await again.messages(in: "general", around: .distantFuture).map(\.text)
        #expect(shown == ["a", "b", "c", "d"])
        await again.close()
    }
}

extension Message {
    fileprivate static func of(
        _ text: String, at time: Int64, in url: ChannelURL = "general"
    ) -> Message {
        Message(
            id: MessageID(text), channelURL: url, text: text,
            createdAt: Timestamp(milliseconds: time))
    }
}

extension Patch<GroupChannel> {
    fileprivate static func named(_ name: String) -> Patch<GroupChannel> {
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: name)
        return patch
    }
}

// MARK: The app

/// The code for connecting, as in the guides.
private enum Guide {
    @MainActor static func connect(_ client: ChatClient) async throws(SyncError) -> String {
        do throws(SyncError) {
            switch try await client.connect(as: "bob") {
            case .online: return "online"
            case .offline: return "offline"
            }
        } catch {
            guard error.code == .notConnected else { throw error }
            return "no user"
        }
    }
}

/// A screen of a chat.
///
/// Only delegate calls change its data source.
@MainActor
private final class ChatScreen: MessageCollectionDelegate {
    private(set) var rows: [Message] = []
    private(set) var title = ""
    private(set) var isClosed = false
    private(set) var hugeGaps = 0
    private var collection: MessageCollection?
    private let waiting = Waiting()

    var texts: [String] { rows.map(\.text) }
    var succeededCount: Int { collection?.succeededMessages.count ?? 0 }
    /// A Boolean value that indicates whether the data source equals the collection.
    var isSame: Bool { rows == collection?.messages }

    func open(_ url: ChannelURL, of client: ChatClient, _ params: MessageListParams) async throws {
        let collection = try client.makeMessageCollection(of: url, params: params)
        collection.delegate = self
        self.collection = collection
        let start = collection.start()
        rows = try start.cached
        // The server's answer replaces the cached rows.
        rows = try await start.refreshed
    }

    func close() {
        collection?.dispose()
        collection = nil
    }

    func scrollUp() async throws {
        guard let collection, collection.hasPrevious else { return }
        insert(try await collection.loadPrevious())
    }

    func scrollDown() async throws {
        guard let collection, collection.hasNext else { return }
        insert(try await collection.loadNext())
    }

    func send(_ text: String) async throws -> OutgoingMessage {
        try await collection!.send(text)
    }

    func resend(_ message: Message) async throws {
        try await collection!.resend(message)
    }

    func remove(_ message: Message) async throws {
        try await collection!.discardFailedItems([message.requestID!])
    }

    func cancel(_ message: Message) async throws {
        try await collection!.cancel(message.requestID!)
    }

    /// Waits until the screen fulfills a condition, and its data source equals the collection.
    func shows(_ condition: @escaping (ChatScreen) -> Bool) async {
        await waiting.until { condition(self) && (self.isSame || self.isClosed) }
    }

    private func isSame(_ left: Message, _ right: Message) -> Bool {
        if let id = left.requestID, id == right.requestID { return true }
        return left.messageID != nil && left.messageID == right.messageID
    }

    private func insert(_ messages: [Message]) {
        for message in messages {
            if message.position == nil, let index = rows.firstIndex(where: { isSame($0, message) })
            {
                rows[index] = message
                continue
            }
            rows.removeAll { isSame($0, message) }
            // Unsent messages follow all sent ones, in the order in which they were written.
            let index = rows.firstIndex { other in
                guard let position = message.position else { return false }
                return other.position.map { position < $0 } ?? true
            }
            rows.insert(message, at: index ?? rows.endIndex)
        }
    }

    private func delete(_ messages: [Message]) {
        rows.removeAll { row in messages.contains { isSame(row, $0) } }
    }

    // MARK: MessageCollectionDelegate

    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) {}

    func messageCollection(
        _ collection: MessageCollection, didReceive event: MessageCollectionEvent
    ) {}

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message]
    ) {
        insert(messages)
        waiting.recordChange()
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message]
    ) {
        switch context.sendingStatus {
        case .canceled: delete(messages)
        default: insert(messages)
        }
        waiting.recordChange()
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message]
    ) {
        delete(messages)
        waiting.recordChange()
    }

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        updatedChannel channel: GroupChannel
    ) {
        title = channel.name
        waiting.recordChange()
    }

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) {
        isClosed = true
        waiting.recordChange()
    }

    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) {
        // Restart the list at its first visible message.
        Task {
            let first = rows.first?.createdAt
            let point: StartingPoint = first.map { .time($0) } ?? .latest
            _ = try? await collection.restart(at: point)
            rows = collection.messages
            hugeGaps += 1
            waiting.recordChange()
        }
    }
}

/// A screen with a list of channels.
///
/// Only delegate calls change its data source.
@MainActor
private final class ChannelListScreen: GroupChannelCollectionDelegate {
    private(set) var channels: [GroupChannel] = []
    private var collection: GroupChannelCollection?
    private let waiting = Waiting()

    var urls: [ChannelURL] { channels.map(\.url) }
    var hasMore: Bool { collection?.hasMore ?? false }
    var isSame: Bool { channels == collection?.channels }

    func open(_ client: ChatClient) async throws {
        var query = GroupChannelListQuery()
        query.limit = 2
        let collection = try client.makeGroupChannelCollection(query)
        collection.delegate = self
        self.collection = collection
        insert(try await collection.loadMore())
    }

    func scrollDown() async throws {
        guard let collection, collection.hasMore else { return }
        insert(try await collection.loadMore())
    }

    func close() {
        collection?.dispose()
        collection = nil
    }

    /// Waits until the screen fulfills a condition, and its data source equals the collection.
    func shows(_ condition: @escaping (ChannelListScreen) -> Bool) async {
        await waiting.until { condition(self) && self.isSame }
    }

    private func insert(_ new: [GroupChannel]) {
        channels.removeAll { old in new.contains { $0.url == old.url } }
        channels += new
        channels.sort { GroupChannelListOrder.latestLastMessage.precedes($0, $1) }
    }

    // MARK: GroupChannelCollectionDelegate

    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>
    ) {}

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel]
    ) {
        insert(channels)
        waiting.recordChange()
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {
        insert(channels)
        waiting.recordChange()
    }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs channelURLs: [ChannelURL]
    ) {
        channels.removeAll { channelURLs.contains($0.url) }
        waiting.recordChange()
    }
}
