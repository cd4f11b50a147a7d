import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Testing

@testable import Sync

@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    /// Returns a device that has cached all messages of some channels.
    private func story(
        _ channels: [ChannelURL], count: Int, _ limits: CacheLimits = CacheLimits(),
        _ options: SyncOptions = .exact, store: ChatStore? = nil
    ) async throws -> Story {
        let story = try await Story(options, limits: limits, store: store)
        for url in channels where url != "general" { try story.createChannel(url) }
        for url in channels { try await fill(url, count, in: story) }
        try await story.connect()
        for url in channels {
            await story.engine.show(url, ShownRange(from: .beginning), viewer: 1)
            try await story.engine.caughtUp(url)
            await story.engine.hide(url, viewer: 1)
        }
        await story.engine.limited()
        return story
    }

    private func fill(_ url: ChannelURL, _ count: Int, in story: Story) async throws {
        let text = String(repeating: "what was said ", count: 20)
        let now = story.clock.now.milliseconds
        try story.server.importMessages(
            (1...count).map { number in
                var message = Message.sample(
                    number, text: "\(url) \(number) \(text)",
                    at: Timestamp(milliseconds: now + Int64(number)))
                message.messageID = MessageID("\(url).\(number)")
                message.channelURL = url
                return message
            }, isReported: true)
        story.clock.advance(by: .seconds(3600))
    }

    private func counts(_ story: Story) throws -> String {
        try story.store.cachedChannels().sorted { $0.url < $1.url }
            .filter { $0.url.rawValue.count == 1 }
            .map { "\($0.url) \($0.messageCount)" }.joined(separator: ", ")
    }

    /// Simulates that a channel is opened after the eviction was planned and before it is carried
    /// out.
    @Test func messagesShownInTheMeantimeAreNotEvicted() async throws {
        let story = try await story(["a"], count: 10)
        await story.engine.show("a", ShownRange(from: .beginning), viewer: 2)
        let evicted = try await story.engine.change { (core) throws(SyncError) in
            try core.evict(5, in: "a", from: .beginning)
        }
        #expect(evicted.removed == 0)
        #expect(try counts(story) == "a 10")
        await story.close()
    }

    private var small: SyncOptions {
        var options = SyncOptions.exact
        (options.pageSize, options.backgroundPages, options.backgroundChannels) = (10, 1, 0)
        return options
    }

    @Test func oldMessagesOfTheLeastRecentlyOpenedChannelAreEvictedFirst() async throws {
        let story = try await story(["a", "b", "c"], count: 40, .init(), small)
        // Opening `a` again makes it the most recently opened channel.
        await story.engine.show("a", nil, viewer: 2)
        await story.engine.hide("a", viewer: 2)
        let size = try story.store.cachedDataSize()
        let plan = try await story.engine.evictionPlan(to: size * 5 / 6)
        #expect(plan.parts.map(\.channelURL) == ["b"])
        #expect(try counts(story) == "a 40, b 40, c 40")
        let eviction = try await story.engine.shrinkCache(to: size * 5 / 6)
        #expect(eviction.parts.first == plan.parts.first)
        #expect(try story.store.cachedDataSize() <= size * 5 / 6)
        #expect(eviction.sizeAfter == (try story.store.cachedDataSize()))
        try await story.end()
    }

    @Test func evictionLeavesAGapThatIsBackfilledWhenShown() async throws {
        let story = try await story(["a"], count: 40, .init(), small)
        var events = await story.engine.events().makeAsyncIterator()
        let eviction = try await story.engine.shrinkCache(to: 0)
        #expect(eviction.messageCount == 40)
        while let event = await events.next() {
            guard case .evicted(let reported) = event else { continue }
            #expect(reported == eviction)
            break
        }
        #expect(try story.store.gaps(in: "a") == [Gap(in: "a")])
        await story.engine.show("a", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("a")
        #expect(try counts(story) == "a 40")
        #expect(try story.store.gaps(in: "a") == [])
        #expect(try await story.engine.verify("a").isEmpty)
        try await story.end()
    }

    @Test func shownPinnedAndUnsentMessagesAreNotEvicted() async throws {
        let story = try await story(["a", "b", "c"], count: 40, .init(), small)
        await story.engine.show("a", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.setKeptInCache(true, for: "b")
        await story.engine.disconnect()
        let item = try await story.engine.send(NewMessage("mine"), in: "c")
        try await story.engine.shrinkCache(to: 0)
        #expect(try counts(story) == "a 40, b 40, c 0")
        #expect(try story.store.outboxItems(in: "c").map(\.requestID) == [item.requestID])
        await story.engine.hide("a", viewer: 1)
        try await story.engine.setKeptInCache(false, for: "b")
        try await story.engine.shrinkCache(to: 0)
        #expect(try counts(story) == "a 0, b 0, c 0")
        try await story.connect()
        try await story.end()
    }

    @Test func theApplicationMayChooseTheOrder() async throws {
        var limits = CacheLimits()
        limits.clearOrder = .custom { $0.url > $1.url }
        let story = try await story(["a", "b", "c"], count: 40, limits, small)
        let size = try story.store.cachedDataSize()
        let plan = try await story.engine.evictionPlan(to: size * 2 / 3)
        #expect(plan.parts.map(\.channelURL) == ["c", "b"])
        try await story.end()
    }

    @Test func expiredMessagesAreEvicted() async throws {
        var limits = CacheLimits()
        limits.retention = { $0 == "a" ? .lasting(.seconds(3)) : .unlimited }
        let story = try await Story(small, limits: limits)
        try story.createChannel("a")
        try story.createChannel("b")
        story.device.now = story.clock.now
        try await story.connect()
        try await story.waitUntilNotified()
        try await story.say("1 2 3", in: "a")
        try await story.say("1 2 3", in: "b")
        try await story.waitUntilNotified()
        // The device's clock now equals the server's. Six seconds have passed, and the last message
        // in `a` is three seconds old.
        story.device.now = story.clock.now
        await story.engine.disconnect()
        try await story.connect()
        await story.engine.limited()
        #expect(try counts(story) == "a 1, b 3")
        try await story.end()
    }

    @Test func channelCanBeKeptOnlyWhileItIsShown() async throws {
        var limits = CacheLimits()
        limits.retention = { $0 == "a" ? .whileShown : .unlimited }
        let story = try await Story(small, limits: limits)
        try story.createChannel("a")
        let observed = try story.store.observe(.channel("a")).changes
        try await story.connect()
        try await story.waitUntilNotified()
        try await story.say("1 2", in: "a")
        try await story.waitUntilNotified()
        #expect(try counts(story) == "a 0")
        await story.engine.show("a", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("a")
        #expect(try story.picture("a") == "1 2")
        try await story.say("3", in: "a")
        try await story.waitUntilNotified()
        #expect(try story.picture("a") == "1 2 3")
        await story.engine.hide("a", viewer: 1)
        await story.engine.limited()
        #expect(try counts(story) == "a 0")
        #expect(try story.store.gaps(in: "a") == [Gap(in: "a")])
        // The eviction is a change that observers receive like any other.
        #expect(!observed.drain().isEmpty)
        try await story.end()
    }

    @Test func channelThatIsNeitherShownNorKeptIsNotFetched() async throws {
        var limits = CacheLimits()
        limits.retention = { _ in .whileShown }
        var options = small
        options.backgroundChannels = 20
        let story = try await Story(options, limits: limits)
        try await story.say("1 2 3")
        story.network.failAll(of: [.messages], with: BackendError(.refused, "nobody asks"))
        try await story.connect()
        try await story.engine.caughtUp()
        #expect(try story.store.messageCount() == 0)
        try await story.end()
    }

    @Test func cacheOnDiskStaysBelowItsLimit() async throws {
        var limits = CacheLimits()
        (limits.maximumByteCount, limits.minimumByteCount, limits.bytesBetweenChecks) = (
            3 << 20, 0, 256 << 10
        )
        var options = small
        options.pageSize = 100
        var storeOptions = StoreOptions()
        storeOptions.writeBufferByteCount = 64 << 10
        let temporary = try TemporaryStore(options: storeOptions)
        let store = temporary.store
        let story = try await story(
            (1...30).map { ChannelURL("channel \($0)") }, count: 600, limits, options, store: store)
        // While LevelDB compacts tables, the old and the new tables both count. Remove the old
        // ones.
        try store.purgeCleared()
        // The size may exceed the limit by the rows that were written since the engine last
        // measured it.
        #expect(try store.cachedDataSize() <= (3 << 20) + (512 << 10))
        #expect(try store.messageCount() > 2000)
        // The channels that were opened last keep all their messages.
        #expect(try store.messageCount(in: "channel 30") == 600)
        #expect(try store.messageCount(in: "channel 1") < 600)
        try await story.end()
    }

    @Test func sizeBelowTheMinimumIsReplacedByIt() {
        var limits = CacheLimits()
        #expect(limits.effectiveByteCount == 256 << 20)
        limits.maximumByteCount = 1
        #expect(limits.effectiveByteCount == 64 << 20)
        limits.maximumByteCount = .max
        #expect(limits.effectiveByteCount == .max)
    }

    @Test func closedEngineThrows() async throws {
        let story = try await Story(small)
        await story.close()
        await #expect(throws: SyncError.self) { try await story.engine.evictionPlan() }
        await #expect(throws: SyncError.self) { try await story.engine.shrinkCache() }
    }
}
