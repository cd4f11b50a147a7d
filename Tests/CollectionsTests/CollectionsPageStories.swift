import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Replays the diagrams of Docs/Collections.md, line by line.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct CollectionsPageStories {
    private let file = "Docs/Collections.md"

    @Test func offlineStartShowsTheCache() async throws {
        var page = try PageStory(file, "Cold start")
        let story = try await Story.caching("a b c", .exact { $0.pageSize = 2 })
        await story.engine.disconnect()

        let view = story.view(.sized(2))
        let api = view.collection.start()
        #expect(
            try view.picture
                == page.next(
                    "offline, cached", "start() returns; the API result is notConnected"))
        await expectError(.notConnected) { try await api.refreshed }

        story.network.clearLog()
        try await story.open()
        try await view.isUpToDate()
        #expect(
            try view.picture == page.next("online", "the server's newest page: no changes"))

        try await story.say("d")
        await view.shows(try page.next("alice sends d"))

        try await view.collection.loadPrevious()
        #expect(
            try view.picture
                == page.next(
                    "loadPrevious",
                    "from the cache while it is complete, then from the server"))
        #expect(page.isOver)
        try await story.end()
    }

    @Test func offlineStartShowsTheCachedChannelList() async throws {
        var page = try PageStory(file, "Cold start", block: 1)
        let story = try await Story()
        try story.create("a b")
        // The list is not complete yet, because the network holds the feed.
        story.network.hold([.feed])
        try await story.connect()
        _ = try await story.engine.fetchChannel("b")
        _ = try await story.engine.fetchChannel("a")
        await story.engine.disconnect()
        let view = story.list()
        try await view.load()
        #expect(
            try view.picture == page.next("offline, cached", "loadMore() shows the cached channels")
        )

        story.network.stopHolding()
        try await story.connect()
        await view.shows(try page.next("online", "complete: hasMore becomes false"))
        #expect(page.isOver && !view.collection.hasMore)
        try await story.end()
    }

    @Test func sentMessageChangesItsStatus() async throws {
        var page = try PageStory(file, "Sending messages")
        let story = try await Story.caching("d e")
        let view = try await story.startedView()
        await story.engine.disconnect()
        let f = try await view.collection.send(NewMessage("f")).delivery.requestID
        #expect(try view.picture == page.next("offline, send f"))

        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        try await story.connect()
        await view.shows(try page.next("the server fails"))

        await story.engine.disconnect()
        try await view.collection.resend(f)
        #expect(try view.picture == page.next("resend"))

        try await story.connect()
        await view.shows(try page.next("online"))
        #expect(page.isOver && view.collection.messages.last?.requestID == f)
        try await story.end()
    }

    @Test func windowMovesAsThePageShows() async throws {
        var page = try PageStory(file, "Position and size of the window")
        let story = try await Story()
        let sent = try await story.say("a b c d e f")
        try await story.open()
        let view = try await story.startedView(at: .time(sent[2].createdAt), .sized(1, 2))
        #expect(
            try view.picture == page.next("start at c's time", "older and newer messages exist"))

        try await story.say("z")
        try await story.sees("a b c d e f z")
        try await view.isUpToDate()
        #expect(try view.picture == page.next("alice sends z", "stored, not shown"))

        await story.engine.disconnect()
        try await view.collection.send(NewMessage("y"))
        #expect(
            try view.picture == page.next("offline, send y", "unsent messages are always shown"))
        try await story.connect()
        await view.shows(try page.next("online", "sent: y is newer than the window"))

        try await view.collection.loadNext()
        #expect(try view.picture == page.next("loadNext"))
        try await view.collection.loadNext()
        #expect(
            try view.picture
                == page.next(
                    "loadNext", "newest end: live messages are shown from now on"))
        #expect(!view.collection.hasNext)

        let collection = view.collection
        try await collection.restart(at: .time(sent[0].createdAt))
        #expect(
            try view.picture
                == page.next(
                    "restart(at: a's time)", "the collection and its delegate stay"))
        #expect(page.isOver && collection.delegate === view)
        try await story.end()
    }

    @Test func gapsAreFilledAsThePageShows() async throws {
        var page = try PageStory(file, "Gaps")
        let story = try await Story.caching("d e f")
        let view = try await story.startedView()
        #expect(try view.picture == page.next("offline for a day"))

        story.limitFeed(2)
        story.network.hold([.messages])
        try await story.sendWhileOffline("g h x y")
        await view.shows(
            try page.next("online: the feed delivered the newest messages"))

        story.network.stopHolding()
        await view.shows(
            try page.next("the engine has backfilled the visible gap"))
        #expect(page.isOver)
        try await story.end()
    }
}
