import Collections
import EmbeddedServer
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// The stories of Docs/Collections.md, line by line: what a view shows is what the page draws.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct CollectionsPageStories {
    private let file = "Docs/Collections.md"

    @Test func aColdStart() async throws {
        var page = try PageStory(file, "A cold start")
        var options = SyncOptions.exact
        options.pageSize = 2
        let story = try await Story(options)
        try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()

        let view = story.view(.sized(2))
        let api = view.collection.start()
        #expect(
            try view.picture
                == page.next(
                    "offline, cached", "start() returns; the API result says notConnected"))
        let error = await #expect(throws: CollectionError.self) { try await api.value }
        #expect(error?.code == .notConnected)

        story.network.clearLog()
        try await story.open()
        try await view.isUpToDate()
        #expect(
            try view.picture == page.next("online", "the server's newest page: nothing new"))

        try await story.say("d")
        await view.shows(try page.next("alice says d"))

        try await view.collection.loadPrevious()
        #expect(
            try view.picture
                == page.next(
                    "loadPrevious",
                    "from the cache as far as it is complete, from the server beyond"))
        #expect(page.isOver)
        try await story.end()
    }

    @Test func aColdStartOfAListOfChannels() async throws {
        var page = try PageStory(file, "A cold start", block: 1)
        let story = try await Story()
        try story.create("a b")
        // The list is not whole: the feed was not heard to its end.
        story.network.hold([.feed])
        try await story.connect()
        _ = try await story.engine.fetchChannel("b")
        _ = try await story.engine.fetchChannel("a")
        await story.engine.disconnect()
        let view = story.list()
        try await view.load()
        #expect(
            try view.picture == page.next("offline, cached", "loadMore() shows what is held"))

        story.network.stopHolding()
        try await story.connect()
        await view.shows(try page.next("online", "all there is: hasMore is false by itself"))
        #expect(page.isOver && !view.collection.hasMore)
        try await story.end()
    }

    @Test func onTheWayToTheServer() async throws {
        var page = try PageStory(file, "On the way to the server")
        let story = try await Story.holding("d e")
        let view = try await story.startedView()
        await story.engine.disconnect()
        let f = try #require(
            try await view.collection.send(UserMessageCreateParams("f")).requestID)
        #expect(try view.picture == page.next("offline, send f"))

        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        try await story.connect()
        await view.shows(try page.next("the server says no"))

        await story.engine.disconnect()
        try await view.collection.resend(f)
        #expect(try view.picture == page.next("resend"))

        try await story.connect()
        await view.shows(try page.next("online"))
        #expect(page.isOver && view.collection.messages.last?.requestID == f)
        try await story.end()
    }

    @Test func whereTheWindowIs() async throws {
        var page = try PageStory(file, "Where the window is")
        let story = try await Story()
        let told = try await story.say("a b c d e f")
        try await story.open()
        let view = try await story.startedView(at: .time(told[2].createdAt), .sized(1, 2))
        #expect(try view.picture == page.next("start at c's time", "before and after it"))

        try await story.say("z")
        try await story.sees("a b c d e f z")
        try await view.isUpToDate()
        #expect(try view.picture == page.next("alice says z", "stored, and not shown"))

        try await view.collection.loadNext()
        #expect(try view.picture == page.next("loadNext"))
        try await view.collection.loadNext()
        #expect(
            try view.picture
                == page.next(
                    "loadNext", "the newest end: what comes is shown from now on"))
        #expect(!view.collection.hasNext)

        let collection = view.collection
        try await collection.restart(at: .time(told[0].createdAt))
        #expect(
            try view.picture
                == page.next(
                    "restart(at: a's time)", "the collection, its delegate and its followers stay"))
        #expect(page.isOver && collection.delegate === view)
        try await story.end()
    }

    @Test func whatIsMissing() async throws {
        var page = try PageStory(file, "What is missing")
        let story = try await Story.holding("d e f")
        let view = try await story.startedView()
        #expect(try view.picture == page.next("away for a day"))

        story.tellNewest(2)
        story.network.hold([.messages])
        try await story.sayAway("g h x y")
        await view.shows(
            try page.next("back: the feed told the newest, the middle is unknown"))

        story.network.stopHolding()
        await view.shows(
            try page.next("the engine has filled the gap, since it is in view"))
        #expect(page.isOver)
        try await story.end()
    }
}
