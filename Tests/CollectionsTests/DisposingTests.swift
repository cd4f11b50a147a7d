import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10))) struct DisposingTests {
    @Test func noChangeIsReportedAfterTheEnd() async throws {
        let story = try await Story.caching("a")
        let (view, other) = (story.view(), story.view())
        _ = try await view.collection.start().refreshed
        _ = try await other.collection.start().refreshed
        var changes = view.collection.allChanges().makeAsyncIterator()
        view.collection.dispose()
        view.collection.dispose()
        _ = view.notifications()

        try await story.say("b")
        await other.shows("a b")
        try await view.collection.engine.store.emit(.typing([], in: "general"))
        #expect(view.notifications() == [])
        #expect(view.picture.hasPrefix("a"))
        #expect(await changes.next() == nil)
        try await story.end()
    }

    @Test func collectionCanBeDisposedInACallback() async throws {
        let story = try await Story.caching("a")
        let (view, other) = (story.view(), story.view())
        _ = try await view.collection.start().refreshed
        _ = try await other.collection.start().refreshed
        _ = view.notifications()
        view.onHearing = { _ in view.collection.dispose() }
        try story.server.importMessages(
            [.sample(10_001, text: "b", at: 9000), .sample(10_002, text: "c", at: 9001)],
            isReported: true)
        await other.until { $0.items.count == 3 }
        await view.until { $0.collection.isDisposed }
        #expect(view.notifications().count == 1)
        try await story.end()
    }

    @Test func methodsCanBeCalledInACallback() async throws {
        let story = try await Story.caching("a b c d")
        let view = try await story.startedView(.sized(1))
        var loads: [Task<[Message], any Error>] = []
        view.onHearing = { line in
            guard line.hasPrefix("added e") else { return }
            #expect(view.collection.messages.last?.text == "e")
            loads.append(
                Task {
                    #expect(try await view.collection.coverage().isComplete)
                    return try await view.collection.loadPrevious()
                })
            let again = view.collection.start()
            loads.append(Task { try await again.refreshed })
        }
        try await story.say("e")
        await view.until { $0.items.count == 3 }
        #expect(try await loads[0].value.map(\.text) == ["c"])
        await #expect(throws: SyncError.self) { try await loads[1].value }
        #expect(view.picture == "… c d e")
        try await story.end()
    }

    @Test func releasedCollectionLeavesNoTasks() async throws {
        let story = try await Story.caching("a")
        weak var gone: MessageCollection?
        do {
            let view = story.view()
            _ = try await view.collection.start().refreshed
            gone = view.collection
        }
        // The collection's tasks release it when they receive the end of the observation.
        while gone != nil, !Task.isCancelled { await Task.yield() }
        #expect(gone == nil)
        let other = story.view()
        _ = try await other.collection.start().refreshed
        try await story.say("b")
        await other.shows("a b")
        try await story.end()
    }

    @Test func releasingACollectionFinishesItsSequences() async throws {
        let story = try await Story.caching("a")
        var collection: MessageCollection? = story.view().collection
        var list: GroupChannelCollection? = story.list().collection
        var changes = try #require(collection?.allChanges()).makeAsyncIterator()
        var listChanges = try #require(list?.allChanges()).makeAsyncIterator()
        // The last references may be released on another thread.
        Task.detached { [collection, list] in _ = (collection, list) }
        (collection, list) = (nil, nil)
        while await changes.next() != nil {}
        while await listChanges.next() != nil {}
        try await story.end()
    }

    @Test(arguments: [true, false])
    func disposalEndsTheWaitForTheServer(disposes: Bool) async throws {
        let story = try await Story()
        try await story.say("a b c")
        try await story.sync()
        story.network.hold([.messages])
        var collection: MessageCollection? = story.view().collection
        let page = collection?.start()
        try await story.held(1)
        if disposes { collection?.dispose() }
        weak var gone: MessageCollection?
        gone = collection
        collection = nil
        await expectError(.disposed) { try await page?.refreshed }
        while gone != nil, !Task.isCancelled { await Task.yield() }
        #expect(gone == nil)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func restartDoesNotWaitForTheServerAfterDisposing() async throws {
        let story = try await Story()
        try story.store.write { try $0.save(GroupChannel.sample()) }
        let view = story.view()
        view.collection.start(.cacheOnly)
        story.network.hold([.connect])
        let connecting = Task { try await story.connect() }
        try await story.held(1)
        let page = Task { try await view.collection.restart(at: .latest) }
        for _ in 0..<100 { await Task.yield() }
        view.collection.dispose()
        await expectError(.disposed) { try await page.value }
        story.network.stopHolding()
        try await connecting.value
        await story.close()
    }

    @Test func disposalEndsTheWaitForAPageOfChannels() async throws {
        let story = try await Story()
        story.network.hold([.feed, .channels])
        try await story.connect()
        let view = story.list()
        let page = Task { try await view.load() }
        try await story.held(2)
        view.collection.dispose()
        await expectError(.disposed) { try await page.value }
        await story.holds(1)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func collectionDisposedDuringItsStartThrows() async throws {
        let story = try await Story()
        try await story.say("a")
        // A batch of the feed that arrives during the start would be reported before the end.
        try await story.sync()
        story.network.hold([.messages])
        let view = story.view()
        let api = view.collection.start()
        view.collection.dispose()
        await expectError(.disposed) { try await api.refreshed }
        #expect(view.notifications() == [])
        story.network.stopHolding()
        try await story.end()
    }

    @Test func manyChangesAreOneReset() async throws {
        let story = try await Story()
        try await story.open()
        let view = try await story.startedView()
        let changes = view.collection.allChanges()
        let store = story.store
        try store.write { batch in
            for number in 1...201 { try batch.save(Message.sample(number)) }
        }
        try store.write { batch in
            for number in 301...500 { try batch.save(Message.sample(number)) }
        }
        await view.until { $0.items.count == 401 }
        view.collection.dispose()
        var kinds: [String] = []
        for await change in changes {
            kinds.append(change.reset == nil ? "\(change.insertions.count) rows" : "reset")
        }
        #expect(kinds == ["reset", "200 rows"])
        await story.close()
    }

    @Test func rowsAreReadAgainAfterMissedChanges() async throws {
        let story = try await Story()
        try await story.open()
        let view = try await story.startedView()
        let store = story.store
        // The store makes more changes than an observation buffers, before the main actor runs.
        for start in stride(from: 0, to: 12_000, by: 1_000) {
            try store.write { batch in
                for number in start..<start + 1_000 {
                    try batch.save(Message.sample(number % 50 + 1, text: "\(number)"))
                }
            }
        }
        await view.until { $0.items.count == 50 && $0.items.last?.message?.text == "11999" }
        await story.close()
    }
}

extension Story {
    /// Waits until the network holds `count` calls.
    ///
    /// A canceled call needs some time to end.
    fileprivate func holds(_ count: Int) async {
        while network.held.count != count, !Task.isCancelled { await Task.yield() }
    }
}
