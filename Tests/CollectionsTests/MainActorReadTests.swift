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

/// Tests how many rows each call of a collection reads on the main actor.
///
/// The cache has 3,500 messages of a channel, or 200 channels.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct MainActorReadTests {
    private let url: ChannelURL = "general"

    /// A page of ten messages, and the rows next to it: gaps, the channel, its draft and labels.
    private static let page = 60

    private func story() async throws -> Story {
        let story = try await Story()
        try story.store.write { batch in
            _ = try batch.cover(url, from: .beginning, through: .end)
            for number in 0..<3_500 {
                var message = Message(
                    id: MessageID("\(number)"), channelURL: url, text: "\(number)",
                    createdAt: Timestamp(milliseconds: Int64(number)))
                message.customType = number % 1_000 == 0 ? "x" : ""
                try batch.save(message)
            }
        }
        return story
    }

    /// Returns the number of rows that a call reads on the main actor.
    private func rowsRead<Value>(
        _ story: Story, _ call: @MainActor () async throws -> Value
    ) async throws -> Int {
        let before = story.store.rowsReadOnMainActor
        _ = try await call()
        return story.store.rowsReadOnMainActor - before
    }

    @Test func messageListReadsAPage() async throws {
        let story = try await story()
        let collection = MessageCollection(of: url, params: .sized(10, 10), engine: story.engine)
        var counts: [String: Int] = [:]
        counts["start"] = try await rowsRead(story) {
            try await collection.start(.cacheOnly).refreshed
        }
        counts["loadPrevious"] = try await rowsRead(story) { try await collection.loadPrevious() }
        counts["jump"] = try await rowsRead(story) { try await collection.jump(to: "1500") }
        counts["loadNext"] = try await rowsRead(story) { try await collection.loadNext() }
        counts["coverage"] = try await rowsRead(story) { try await collection.coverage() }
        counts["setDraft"] = try await rowsRead(story) { try await collection.setDraft("x") }
        counts["send"] = try await rowsRead(story) { try await collection.send("x") }
        #expect(counts.filter { $0.value > Self.page } == [:])
        #expect(counts["start"] != 0)
        await story.close()
    }

    @Test func filteredListReadsALimitedNumberOfMessages() async throws {
        let story = try await story()
        var params = MessageListParams.sized(10)
        params.customTypes = ["x"]
        let collection = MessageCollection(of: url, params: params, engine: story.engine)
        let count = try await rowsRead(story) {
            try await collection.start(.cacheOnly).refreshed
        }
        #expect(collection.messages.count == 4)
        #expect(count <= 1_000 + Self.page)
        await story.close()
    }

    @Test func searchesAndListsOfAKindReadElsewhere() async throws {
        let story = try await story()
        let search = MessageSearch(MessageSearchParams("3"), pageSize: 10, engine: story.engine)
        let found = try await rowsRead(story) { try await search.loadMore() }
        let list = MessageList(of: .thread, in: url, pageSize: 10, engine: story.engine)
        let listed = try await rowsRead(story) { try await list.start() }
        #expect(search.messages.count == 10)
        #expect(found <= Self.page && listed <= Self.page)
        await story.close()
    }

    /// Saves 200 channels and the beginning of their list, and opens the store again.
    private func reopened(_ directory: URL) throws -> ChatStore {
        let store = try ChatStore(at: directory)
        try store.write { batch in
            for number in 0..<200 { try batch.save(channel(number)) }
        }
        _ = try store.groupChannels(matching: query)
        store.close()
        return try ChatStore(at: directory)
    }

    private func channel(_ number: Int) -> GroupChannel {
        let url = ChannelURL("channel-\(number)")
        var channel = GroupChannel(url: url, name: "\(number)", createdAt: 1)
        channel.myMemberState = .joined
        channel.lastMessage = .sample(number, in: url)
        return channel
    }

    private var query: GroupChannelListQuery {
        var query = GroupChannelListQuery()
        query.limit = 10
        return query
    }

    /// Returns the number of rows that the first page of a channel list reads.
    private func rowsReadByList(of store: ChatStore) async throws -> Int {
        let engine = SyncEngine(store: store, backend: try EmbeddedServer.inMemory().client())
        let collection = GroupChannelCollection(query: query, engine: engine)
        let before = store.rowsReadOnMainActor
        collection.start()
        let count = store.rowsReadOnMainActor - before
        #expect(collection.channels.count == 10)
        collection.dispose()
        await engine.close()
        store.close()
        return count
    }

    @Test func channelListReadsAPage() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let count = try await rowsReadByList(of: try reopened(directory.url))
        #expect(count > 0 && count <= Self.page)
    }

    /// After a crash, the client sorts the channels before a list is shown.
    @Test func channelListReadsAPageIfTheSavedListIsOutdated() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let store = try reopened(directory.url)
        try store.write { batch in try batch.save(channel(1_000)) }
        await Task.detached { store.sortOutdatedLists() }.value
        #expect(try await rowsReadByList(of: store) <= Self.page)
    }

    private func story(channels count: Int) async throws -> Story {
        let story = try await Story()
        try story.store.write { batch in
            for number in 0..<count { try batch.save(channel(number)) }
        }
        return story
    }

    /// Returns the number of channels that the list has when `start()` returns, and the number of
    /// rows that it reads on the main actor until the server has not responded.
    private func start(
        _ collection: GroupChannelCollection, of story: Story
    ) async -> (cached: Int, rowsRead: Int) {
        let before = story.store.rowsReadOnMainActor
        let start = collection.start()
        let cached = collection.channels.count
        _ = try? await start.refreshed
        return (cached, story.store.rowsReadOnMainActor - before)
    }

    /// The cache has more channels than the main actor may sort, and no list in this order.
    @Test func channelsAreSortedElsewhere() async throws {
        let story = try await story(channels: 3_000)
        var query = query
        query.order = .channelNameAlphabetical
        let collection = GroupChannelCollection(query: query, engine: story.engine)
        let probe = ChannelListProbe(collection)
        let (cached, rowsRead) = await start(collection, of: story)
        #expect(cached == 0)
        #expect(rowsRead <= 1_000 + 2 * Self.page)
        let names = (0..<3_000).map(String.init).sorted().prefix(10)
        #expect(collection.channels.map(\.name) == Array(names))
        #expect(probe.added == collection.channels.map(\.url))
        await story.close()
    }

    @Test func filteredChannelListReadsInSteps() async throws {
        let story = try await story(channels: 2_500)
        var query = query
        query.channelURLsFilter = [2_499, 1_200, 3].map { channel($0).url }
        try story.store.sortChannels(for: query)
        let collection = GroupChannelCollection(query: query, engine: story.engine)
        let probe = ChannelListProbe(collection)
        let (cached, rowsRead) = await start(collection, of: story)
        #expect(cached < 3)
        #expect(rowsRead <= 2_500 + 4 * Self.page)
        #expect(Set(collection.channels.map(\.url)) == Set(query.channelURLsFilter))
        #expect(probe.added.count + cached == 3)
        await story.close()
    }
}

/// Records the channels that a list reports as added.
@MainActor
private final class ChannelListProbe: GroupChannelCollectionDelegate {
    private(set) var added: [ChannelURL] = []

    init(_ collection: GroupChannelCollection) { collection.delegate = self }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        addedChannels channels: [GroupChannel]
    ) { added += channels.map(\.url) }

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {}

    func channelCollection(
        _ collection: GroupChannelCollection, context: GroupChannelContext,
        deletedChannelURLs: [ChannelURL]
    ) {}

    func channelCollection(
        _ collection: GroupChannelCollection, didChange change: CollectionChange<GroupChannel>
    ) {}
}
