import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10))) struct ChannelStoryTests {
    private let story: Story

    init() async throws { story = try await Story() }

    // MARK: Loading

    @Test func startReturnsTheStoredAndTheServersChannels() async throws {
        try story.create("a b c")
        story.network.hold([.feed])
        try await story.connect()
        _ = try await story.engine.fetchChannel("a")
        let view = story.list(2)
        let start = view.collection.start()
        #expect(try start.cached.map(\.url) == ["a"])
        #expect(view.picture == "a …")
        #expect(try await start.refreshed.map(\.url) == ["c", "b"])
        #expect(view.picture == "c b …")
        await story.engine.disconnect()
        let other = story.list(1)
        let offline = other.collection.start()
        #expect(try offline.cached.map(\.url) == ["c"])
        await expectError(.notConnected) { try await offline.refreshed }
        await story.close()
    }

    @Test func serverIsAskedUntilTheWholeListIsStored() async throws {
        try story.create("a b c d e")
        story.network.hold([.feed])
        try await story.connect()
        let view = story.list(2)

        #expect(try await view.load() == "e d")
        #expect(view.picture == "e d …")
        #expect(try await view.load() == "c b")
        #expect(try await view.load() == "a")
        #expect(view.picture == "e d c b a")
        #expect(view.heard == [])
        story.network.stopHolding()
        try await story.end()
    }

    @Test func fullListDropsItsLastChannelForANewerOne() async throws {
        try story.create("a b c d")
        story.network.hold([.feed])
        try await story.connect()
        _ = try await story.engine.fetchChannel("b")
        _ = try await story.engine.fetchChannel("a")
        story.network.hold([.feed, .channels])
        let view = story.list(2)
        let page = Task { try await view.load() }

        await view.shows("b a …")
        // The feed, whose events would change the list before the page does, is held until the end.
        let held = try await story.held(2)
        story.network.hold([])
        story.network.release(at: try #require(held.firstIndex { $0.call == .channels }))
        #expect(try await page.value == "d c")
        #expect(view.picture == "d c …")
        #expect(try await view.load() == "b a")
        story.network.stopHolding()
        try await story.end()
    }

    @Test func offlineListKeepsHasMore() async throws {
        try story.create("a b c")
        story.network.hold([.feed])
        try await story.connect()
        _ = try await story.engine.fetchChannel("a")
        await story.engine.disconnect()
        let view = story.list(2)

        #expect(try await view.load() == "a")
        #expect(view.picture == "a …")
        await expectError(.notConnected) { try await view.load() }
        #expect(view.picture == "a …")
        story.network.stopHolding()
        try await story.connect()
        // The engine has fetched the whole list, so no more channels follow.
        await view.shows("c b a")
        #expect(try await view.load() == "")
        #expect(view.picture == "c b a")
        try await story.end()
    }

    @Test func secondConcurrentLoadThrows() async throws {
        story.network.hold([.feed, .channels])
        try await story.connect()
        let view = story.list()
        let page = Task { try await view.load() }
        try await story.held(2)

        await expectError(.queryInProgress) { try await view.load() }
        view.collection.dispose()
        view.collection.dispose()
        story.network.stopHolding()
        await #expect(throws: SyncError.self) { try await page.value }
        await expectError(.disposed) { try await view.load() }
        try await story.end()
    }

    @Test func pagesHaveAllAndNothingTwiceWhileChannelsMove() async throws {
        try story.create("a b c d e f g h")
        for name in "abcdefgh" { try await story.say("m", in: ChannelURL(String(name))) }
        try await story.sync()
        let view = story.list(2)

        #expect(try await view.load() == "h g")
        try await story.say("m", in: "b")
        try await story.say("m", in: "h")
        await view.shows("h b g …")
        #expect(try await view.load() == "f e")
        try await story.say("m", in: "g")
        try await story.say("m", in: "a")
        await view.shows("a g h b f e …")
        #expect(try await view.load() == "d c")
        #expect(view.picture == "a g h b f e d c")
        try await story.end()
    }

    // MARK: Events

    @Test func noChangeIsReportedBeforeTheFirstPage() async throws {
        try story.create("a")
        try await story.sync()
        let view = story.list()
        try story.create("b")
        try await story.until { try $0.groupChannel("b") != nil }
        #expect(view.picture == "…")
        #expect(view.heard == [])
        #expect(try await view.load() == "b a")
        #expect(view.heard == [])
        try await story.end()
    }

    @Test func aMessageMovesItsChannelUp() async throws {
        try story.create("a b c")
        try await story.sync()
        let view = story.list()
        let oldestFirst = story.list(20, { $0.order = .oldestLastMessage })
        try await view.load()
        try await oldestFirst.load()
        #expect(view.picture == "c b a" && oldestFirst.picture == "c b a")

        try await story.say("hello", in: "a")
        await view.shows("a c b")
        #expect(view.channels[0].lastMessage?.text == "hello")
        try await story.say("hello", in: "b")
        await view.shows("b a c")
        await oldestFirst.shows("a b c")
        #expect(view.heard.allSatisfy { $0.hasPrefix("updated") })
        try await story.end()
    }

    @Test func eachOrderIsFollowed() async throws {
        try story.create("b c a")
        try await story.sync()
        let byAge = story.list(20, { $0.order = .chronological })
        let byName = story.list(20, { $0.order = .channelNameAlphabetical })
        let byMessage = story.list()
        let byValue = story.list(
            20,
            {
                $0.order = .metaDataValueAlphabetical
                $0.metaDataOrderKeyFilter = "rank"
            })
        for view in [byAge, byName, byMessage, byValue] { try await view.load() }
        #expect(byAge.picture == "a c b")
        #expect(byName.picture == "a b c")
        #expect(byMessage.picture == "a c b")
        #expect(byValue.picture == "a c b")

        var patch = Patch<GroupChannel>()
        patch.set(\.metadata, to: ["rank": "1"])
        _ = try await story.alice.perform(UpdateChannel("b", with: patch))
        await byValue.shows("b a c")
        try await story.say("hello", in: "c")
        await byMessage.shows("c a b")
        patch = Patch()
        patch.set(\.name, to: "z")
        _ = try await story.alice.perform(UpdateChannel("a", with: patch))
        await byName.shows("b c z")
        await byAge.shows("z c b")
        try await story.end()
    }

    // MARK: Large changes

    @Test func manyChangesInOneCommitAreReportedAsAReset() async throws {
        try await story.sync()
        let view = story.list()
        try await view.load()

        try story.store.write { batch in
            for number in 0..<250 {
                var channel = GroupChannel(
                    url: ChannelURL("\(number)"), createdAt: Timestamp(milliseconds: 2000))
                channel.name = "\(number)"
                channel.myMemberState = .joined
                try batch.save(channel)
            }
        }
        await view.until { view.channels.count == 250 }
        #expect(view.resetCount == 1)
        await story.close()
    }

    /// A message list does the same.
    @Test func refreshingTheListOfflineThrows() async throws {
        try story.create("a b")
        try await story.sync()
        try await story.list().load()
        await story.engine.disconnect()
        let view = story.list()
        let start = view.collection.start()
        #expect(try start.cached.map(\.name) == ["b", "a"])
        await expectError(.notConnected) { try await start.refreshed }
        #expect(view.picture == "b a")
        let messages = story.view()
        let messageStart = messages.collection.start()
        await expectError(.notConnected) { try await messageStart.refreshed }
        try await story.sync()
        let other = story.list()
        #expect(try await other.collection.start().refreshed.map(\.name) == ["b", "a"])
        await story.close()
    }

    @Test func clearedChannelsStayListed() async throws {
        try story.create("a b")
        try await story.sync()
        let view = story.list()
        try await view.load()
        await story.engine.close()

        try story.store.clearCachedData()
        await view.until { view.collection.isStale }
        #expect(view.picture == "b a …")
        let engine = try await story.relaunched()
        await view.shows("b a …")
        await engine.close()
    }

    /// After the channels are cleared, the list must not assume any longer that its last page was
    /// loaded.
    @Test func clearedListStartsAgainFromTheFirstPage() async throws {
        try story.create("a b c")
        story.network.hold([.feed])
        try await story.connect()
        let view = story.list(2)
        try await view.load()
        #expect(view.picture == "c b …")

        story.network.hold([.feed, .channels])
        let page = Task { try await view.load() }
        let held = try await story.held(2)
        try story.store.clearCachedData()
        await view.until { view.collection.isStale }
        #expect(view.picture == "c b …")
        story.network.hold([.feed])
        story.network.release(at: try #require(held.firstIndex { $0.call == .channels }))
        _ = try await page.value
        #expect(view.picture == "c b a")
        await story.close()
    }

    @Test func listIsReadAgainAfterManyMissedChanges() async throws {
        try story.create("a b c")
        try await story.sync()
        let view = story.list(2)
        try await view.load()

        // The list reads no changes until its queue overflows.
        for round in 0..<ObservedChanges.defaultLimit / 2 + 1 {
            try story.store.write { batch in
                for url: ChannelURL in ["a", "b"] {
                    var channel = try #require(try batch.groupChannel(url))
                    channel.name = "\(url) \(round)"
                    try batch.save(channel)
                }
            }
        }
        await view.shows("c b \(ObservedChanges.defaultLimit / 2) …")
        await story.close()
    }

    // MARK: The end

    @Test func noChangeIsReportedAfterDisposing() async throws {
        try story.create("a b")
        try await story.sync()
        let view = story.list()
        let other = story.list()
        try await view.load()
        try await other.load()
        var changes = view.collection.allChanges().makeAsyncIterator()
        let bob = try await story.otherDevice()

        view.onHearing = { _ in view.collection.dispose() }
        try story.create("c")
        await other.shows("c b a")
        await view.until { view.heard.count == 1 }
        try await bob.perform(LeaveChannel("a"))
        await other.shows("c b")
        #expect(view.heard.count == 1)
        #expect(view.picture == "c b a")
        #expect(await changes.next()?.insertions.map(\.element.name) == ["c"])
        #expect(await changes.next() == nil)
        var none = view.collection.allChanges().makeAsyncIterator()
        #expect(await none.next() == nil)
        try await story.end()
    }

    @Test func releasedCollectionIsDeallocated() async throws {
        try story.create("a")
        try await story.sync()
        let view = story.list()
        weak var gone: GroupChannelCollection?
        var changes: AsyncStream<CollectionChange<GroupChannel>>.Iterator
        do {
            let collection = GroupChannelCollection(engine: story.engine)
            _ = try await collection.loadMore()
            changes = collection.allChanges().makeAsyncIterator()
            gone = collection
            #expect(gone?.channels.isEmpty == false)
        }
        #expect(gone == nil)
        #expect(await changes.next() == nil)
        try await view.load()
        try story.create("b")
        await view.shows("b a")
        try await story.end()
    }
}
