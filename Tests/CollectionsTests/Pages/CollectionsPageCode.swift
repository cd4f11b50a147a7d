import Collections
import EmbeddedServer
import Foundation
import Models
import Observation
import ScrollbackStorySupport
import ScrollbackTestSupport
import Store
import Sync
import Testing

/// The code of Docs/Collections.md, verbatim.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct CollectionsPageCode {
    @Test func viewShowsCachedMessagesImmediately() async throws {
        let story = try await ClientStory()
        try await story.say("a b")
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let first = try client.makeMessageCollection(of: "general")
        _ = try await first.start().refreshed

        let screen = Screen()
        try screen.open(client)
        #expect(screen.texts == ["a", "b"])
        try await story.say("c")
        await screen.shows(["a", "b", "c"])
        await client.close()
    }

    @Test func delegateIsNotifiedOfEachMessageChange() async throws {
        let story = try await ClientStory()
        try await story.say("a")
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let collection = try client.makeMessageCollection(of: "general")
        let chronicle = Chronicle()
        collection.delegate = chronicle
        _ = try await collection.start().refreshed
        #expect(chronicle.lines.contains("1 rows"))
        let sent = try await collection.send(NewMessage("b"))
        #expect(chronicle.lines.contains("added [\"b\"], localMessagePendingCreated, pending"))
        _ = try await sent.result
        collection.dispose()
        await client.close()
    }

    @Test func pictureIsSentAndDownloaded() async throws {
        let story = try await ClientStory()
        var options = story.options
        options.cacheLimits.downloadsByteCount = 200 << 20  // all files together
        options.cacheLimits.downloadByteCount = 10 << 20  // one file
        let client = try await story.open(options)
        try await client.connect(as: Credentials("bob"))
        let collection = try client.makeMessageCollection(of: "general")
        _ = try await collection.start().refreshed
        let directory = try ScratchDirectory.made()
        let url = directory.url.appending(path: "picture.png")
        try Data([1, 2, 3]).write(to: url)
        let changes = collection.allChanges()

        var picture = UploadableFile()
        picture.path = url.path  // or `data`
        picture.name = url.lastPathComponent
        picture.mimeType = "image/png"
        try await collection.send(NewMessage("Look", files: [picture]), keepsCopies: true)

        func sent() -> Message? { collection.messages.first { $0.sendingStatus == .succeeded } }
        for await _ in changes where sent() != nil { break }
        let file = try #require(sent()?.file)
        #expect(try await client.download(file) == Data([1, 2, 3]))
        story.network.goOffline()
        #expect(try await bytes(of: #require(sent()), client) == Data([1, 2, 3]))
        let pending = try await client.send(NewMessage(files: [picture]), in: "general")
        #expect(try await bytes(of: pending.message, client) == Data([1, 2, 3]))
        await client.close()
        directory.remove()
    }

    func bytes(of message: Message, _ client: ChatClient) async throws -> Data? {
        if let file = message.file, !file.url.isEmpty {
            return try await client.download(file)  // once; then from this device
        }
        guard let requestID = message.requestID else { return nil }
        return try await client.outgoingFile(0, of: requestID)  // a pending or failed message
    }

    @Test func threadsAndOpenChannelsAreCollections() async throws {
        let story = try await ClientStory()
        let messageID = try #require(try await story.say("a")[0].messageID)
        _ = try await story.alice.perform(
            CreateOpenChannel(OpenChannelCreateParams("Lobby", url: "lobby")))
        _ = try await story.alice.perform(EnterOpenChannel("lobby"))
        try await story.say("hello", in: "lobby")
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))

        let thread = try client.makeThreadCollection(ofRepliesTo: messageID, in: "general")
        thread.start()
        try await thread.send("So do I")  // is sent as a reply

        let threadView = View(thread)
        await threadView.until { $0.collection.messages.map(\.text) == ["So do I"] }

        try await client.enter("lobby")
        let lobby = try client.makeMessageCollection(of: "lobby")
        lobby.start()

        let view = View(lobby)
        await view.until { $0.collection.messages.map(\.text) == ["hello"] }
        #expect(thread.messages.map(\.parentMessageID) == [messageID])
        await client.close()
    }

    @Test func channelsAreListed() async throws {
        let story = try await ClientStory()
        let client = try await story.connected()
        try await client.engine.caughtUp()

        let channels = try client.makeGroupChannelCollection()
        channels.start()
        for channel in channels.channels {
            print(channel.name, channel.unreadMessageCount, channel.lastMessage?.text ?? "")
        }

        #expect(channels.channels.map(\.url) == ["general"])
        channels.dispose()
        await client.close()
    }

    @Test func labelsOrderAList() async throws {
        let story = try await ClientStory()
        let client = try await story.connected()

        try await client.changeLabels(of: "family") { labels in
            labels.labels.insert("pinned")
            labels.sortKey = "1"
        }
        var query = GroupChannelListQuery()
        query.labelListedFirst = "pinned"  // in the order of the sort keys
        query.excludedLabelsFilter = ["archived"]
        let inbox = try client.makeGroupChannelCollection(query)
        inbox.start()

        #expect(inbox.labels == ["family": ChannelLabels(["pinned"], sortKey: "1")])
        await client.close()
    }

    @Test func storageFollowsTheOptions() async throws {
        let backend = try EmbeddedServer.inMemory().client()
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory) }

        var options = ChatClientOptions()
        options.storage = .directory(directory)  // the default is application support
        options.cacheLimits.maximumByteCount = 128 << 20  // the default is 256 MiB
        options.cacheLimits.retention = { url in
            url == "announcements" ? .lasting(.seconds(30 * 24 * 60 * 60)) : .unlimited
        }
        let client = try await ChatClient.open(backend: backend, options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.setKeptInCache(true, for: "family")  // until setKeptInCache(false, for: …)

        #expect(CacheLimits().maximumByteCount == 256 << 20)
        #expect(ChatClientOptions().storage == .applicationSupport)
        await client.close()
        let again = try await ChatClient.open(backend: backend, options: options)
        #expect(try again.engine.store.channelURLsKeptInCache() == ["family"])
        try await again.setKeptInCache(false, for: "family")
        #expect(try again.engine.store.channelURLsKeptInCache() == [])
        await again.close()
    }
}

extension CollectionsPageCode {
    @Test func gridShowsPicturesByMonthAndFetchesTheRest() async throws {
        let story = try await ClientStory()
        try await story.say("a b")
        let client = try await story.open()
        try await client.connect(as: Credentials("bob"))
        let store = try client.engine.store
        try store.write { batch in
            for (id, day) in [("1", 1), ("2", 2), ("3", 40)] {
                var message = Message(
                    id: MessageID(id), channelURL: "general",
                    createdAt: Timestamp(milliseconds: Int64(day) * 86_400_000))
                message.file = FileInfo(url: "u", mimeType: "image/png")
                try batch.save(message)
            }
        }
        let grid = try MediaGrid(client, of: "general")
        #expect(grid.months.isEmpty && grid.canLoadMore)
        await grid.open()
        #expect(grid.months.map(\.rows.count) == [1, 2] && grid.error == nil)
        while grid.canLoadMore && grid.error == nil { await grid.loadMore() }
        #expect(grid.list.gap == nil && grid.error == nil)
        grid.list.dispose()
        await grid.loadMore()
        #expect(grid.error?.code == .disposed)
        await client.close()
    }
}

/// The model of the page.
@MainActor @Observable
final class MediaGrid {
    let list: MessageList
    private(set) var error: SyncError?

    init(_ client: ChatClient, of channelURL: ChannelURL) throws {
        list = try client.makeMessageList(of: [.image, .video], in: channelURL)
    }

    var months: [MessageList.Section] { list.sections(by: .month) }

    /// A Boolean value that indicates whether the grid ends with "Load more".
    var canLoadMore: Bool { list.hasPrevious }

    func open() async { await load { () throws(SyncError) in try await self.list.start() } }

    /// Call this method when the last row appears, and when the user taps "Load more".
    func loadMore() async {
        await load { () throws(SyncError) in try await self.list.loadPrevious() }
    }

    private func load(_ page: () async throws(SyncError) -> [MessageList.Row]) async {
        do throws(SyncError) {
            _ = try await page()
            error = nil
        } catch {
            // If the list already loads a page, that page is about to appear.
            if error.code != .queryInProgress { self.error = error }
        }
    }
}

/// The delegate of the page.
@MainActor
final class Chronicle: MessageCollectionDelegate {
    private(set) var lines: [String] = []

    func messageCollection(
        _ collection: MessageCollection, didChange change: CollectionChange<MessageItem>
    ) { lines.append("\(collection.items.count) rows") }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [Message]
    ) { note("added", messages, context) }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [Message]
    ) { note("updated", messages, context) }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [Message]
    ) { note("deleted", messages, context) }

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext, updatedChannel: GroupChannel
    ) { lines.append("channel \(updatedChannel.name)") }

    func messageCollection(
        _ collection: MessageCollection, context: GroupChannelContext,
        deletedChannel channelURL: ChannelURL
    ) { lines.append("channel deleted") }

    func messageCollectionDidDetectHugeGap(_ collection: MessageCollection) {
        lines.append("huge gap")
    }

    func messageCollection(
        _ collection: MessageCollection, didReceive event: MessageCollectionEvent
    ) {
        if case .failedChange(let item) = event { lines.append("failed \(item.operation)") }
    }

    private func note(_ what: String, _ messages: [Message], _ context: MessageContext) {
        lines.append("\(what) \(messages.map(\.text)), \(context.source), \(context.sendingStatus)")
    }
}

/// An app's screen.
@MainActor
private final class Screen {
    private(set) var texts: [String] = []
    private var task: Task<Void, Never>?
    private let waiting = Waiting()

    func open(_ client: ChatClient) throws {
        let collection = try client.makeMessageCollection(of: "general")
        collection.start()
        show(collection.items)
        let changes = collection.allChanges()
        task = Task {
            for await _ in changes { show(collection.items) }
        }
    }

    private func show(_ items: [MessageItem]) {
        texts = items.compactMap(\.message?.text)
        waiting.recordChange()
    }

    func shows(_ texts: [String]) async { await waiting.until { self.texts == texts } }
}

extension FileManager {
    fileprivate static var applicationSupport: URL {
        `default`.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    }
}
