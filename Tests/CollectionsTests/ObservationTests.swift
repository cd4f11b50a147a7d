import Collections
import EmbeddedServer
import Models
import Observation
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests that an event invalidates only the properties whose values it changes.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ObservationTests {
    @Test func eventInvalidatesOnlyWhatItChanges() async throws {
        let story = try await Story.caching("a b c d")
        try await story.engine.caughtUp()
        let view = try await story.startedView(.sized(2))
        let list = ChannelView(
            GroupChannelCollection(query: GroupChannelListQuery(), engine: story.engine))
        _ = try await list.collection.start().refreshed
        let counts = Counts(view.collection, list.collection)
        func isUpToDate() async throws -> [String] {
            try await view.isUpToDate()
            let url: ChannelURL = "general"
            await list.until { [store = story.store] in
                (try? store.snapshot().groupChannel(url)) == list.collection.channels.first
            }
            return counts.changed()
        }
        try story.store.emit(
            .typing([User(id: "alice")], in: "general"), source: .eventTypingStatusUpdated)
        #expect(try await isUpToDate() == ["typingUsers 1"])
        try await view.collection.setDraft("x")
        await list.until { list.collection.drafts == ["general": "x"] }
        #expect(try await isUpToDate() == ["draft 1", "list.drafts 1"])
        try story.store.write { try $0.setLabels(ChannelLabels(["work"]), of: "general") }
        while list.collection.labels.isEmpty { await Task.yield() }
        #expect(try await isUpToDate() == ["list.labels 1"])
        let receipt = view.collection.channel.readReceipts["alice"]
        story.clock.advance(by: .seconds(1))
        try await story.alice.perform(MarkAsRead("general"))
        await view.until { $0.collection.channel.readReceipts["alice"] != receipt }
        #expect(try await isUpToDate() == ["channel 1", "list.channels 1"])
        try await story.react("+1", to: view.collection.messages[1])
        await view.until { !$0.collection.messages[1].reactions.isEmpty }
        #expect(
            try await isUpToDate().filter { !$0.hasSuffix("channels 1") && $0 != "channel 1" }
                == ["items 1", "messages 1", "succeededMessages 1"])
        try await view.collection.loadPrevious()
        #expect(
            try await isUpToDate()
                == ["items 1", "messages 1", "succeededMessages 1", "hasPrevious 1"])
        await story.engine.disconnect()
        #expect(try await isUpToDate() == [])
        try await view.collection.send(NewMessage("e"))
        #expect(try await isUpToDate() == ["items 1", "messages 1", "pendingMessages 1"])
        try await story.connect()
        await view.shows("a b c d e")
        try await story.end()
    }
}

/// The numbers of invalidations of the properties of two collections.
@MainActor
private final class Counts {
    private var counts: [(name: String, count: Int)] = []

    init(_ messages: MessageCollection, _ channels: GroupChannelCollection) {
        count("items") { _ = messages.items }
        count("messages") { _ = messages.messages }
        count("succeededMessages") { _ = messages.succeededMessages }
        count("pendingMessages") { _ = messages.pendingMessages }
        count("failedMessages") { _ = messages.failedMessages }
        count("hasPrevious") { _ = messages.hasPrevious }
        count("hasNext") { _ = messages.hasNext }
        count("channel") { _ = messages.channel }
        count("typingUsers") { _ = messages.typingUsers }
        count("draft") { _ = messages.draft }
        count("draftReplyingTo") { _ = messages.draftReplyingTo }
        count("failedChanges") { _ = messages.failedChanges }
        count("uploadProgress") { _ = messages.uploadProgress }
        count("isChannelDeleted") { _ = messages.isChannelDeleted }
        count("list.channels") { _ = channels.channels }
        count("list.drafts") { _ = channels.drafts }
        count("list.labels") { _ = channels.labels }
        count("list.hasMore") { _ = channels.hasMore }
        count("list.isStale") { _ = channels.isStale }
    }

    private func count(_ name: String, _ read: @escaping @MainActor () -> Void) {
        counts.append((name, 0))
        track(counts.count - 1, read)
    }

    private func track(_ index: Int, _ read: @escaping @MainActor () -> Void) {
        withObservationTracking(read) { [weak self] in
            // Collections change on the main actor only.
            MainActor.assumeIsolated {
                self?.counts[index].count += 1
                self?.pending.append { self?.track(index, read) }
            }
        }
    }

    /// The properties to observe again, as a view does after the change.
    private var pending: [@MainActor () -> Void] = []

    /// Returns the properties that were invalidated since the last call, with the numbers of times.
    func changed() -> [String] {
        let again = pending
        pending = []
        for track in again { track() }
        defer { for index in counts.indices { counts[index].count = 0 } }
        return counts.filter { $0.count > 0 }.map { "\($0.name) \($0.count)" }
    }
}
