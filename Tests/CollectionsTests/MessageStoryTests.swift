import Collections
import EmbeddedServer
import Models
import ScrollbackTesting
import Sync
import Testing

/// What a view of a channel shows, from the first start to a day away.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct MessageStoryTests {
    @Test func aChannelThatWasNeverSeenComesFromTheServer() async throws {
        let story = try await Story()
        try await story.say("a b c")
        try await story.connect()
        let view = story.view()

        let api = view.collection.start(cacheResult: { cached in
            #expect((try? cached.get()) == [])
        })
        #expect(view.picture == "…")
        #expect(try await api.value.map(\.text) == ["a", "b", "c"])
        #expect(view.picture == "a b c")
        try await story.end()
    }

    @Test func aColdStartOfflineShowsWhatIsCached() async throws {
        let story = try await Story()
        try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()

        let view = story.view()
        var results: [String] = []
        let api = view.collection.start(
            cacheResult: { results.append("cache \((try? $0.get().map(\.text)) ?? [])") },
            apiResult: { result in
                guard case .failure(let error) = result else { return }
                results.append("server \(error.code)")
            })
        #expect(results == ["cache [\"a\", \"b\", \"c\"]"])
        #expect(view.picture == "a b c")
        await #expect(throws: CollectionError.self) { try await api.value }
        #expect(results.last == "server notConnected")
        #expect(results.count == 2)
        await story.close()
    }

    @Test func aLiveMessageComesAtTheEnd() async throws {
        let story = try await Story()
        try await story.say("a")
        try await story.open()
        let view = story.view()
        _ = try await view.collection.start().value

        try await story.say("b")
        await view.shows("a b")
        await view.hears("added b: eventMessageReceived, succeeded")
        try await story.end()
    }

    @Test func olderMessagesComeFromTheCacheAndThenFromTheServer() async throws {
        let story = try await Story()
        try await story.say("a b c d e f g")
        try await story.connect()
        let view = story.view(.sized(2))
        _ = try await view.collection.start().value
        #expect(view.picture == "… f g")

        #expect(try await view.collection.loadPrevious().map(\.text) == ["d", "e"])
        #expect(view.picture == "… d e f g")
        _ = try await view.collection.loadPrevious()
        #expect(try await view.collection.loadPrevious().map(\.text) == ["a"])
        #expect(view.picture == "a b c d e f g")
        #expect(!view.collection.hasPrevious)
        #expect(try await view.collection.loadPrevious() == [])
        try await story.end()
    }

    @Test func whatIsSentIsPendingAndThenThere() async throws {
        let story = try await Story()
        try await story.say("a")
        try await story.open()
        let view = story.view()
        _ = try await view.collection.start().value
        await story.engine.disconnect()

        try await view.collection.send(UserMessageCreateParams("b"))
        #expect(view.picture == "a (b)")
        #expect(view.news().suffix(1) == ["added b: localMessagePendingCreated, pending"])
        try await story.connect()
        await view.shows("a b")
        await view.hears("updated b: eventMessageSent, succeeded")
        #expect(view.collection.messages.count == 2)
        try await story.end()
    }

    @Test func aDayAwayLeavesAGapThatHealsInPlace() async throws {
        let story = try await Story()
        try await story.say("d e f")
        try await story.open()
        let view = story.view()
        _ = try await view.collection.start().value
        story.tellNewest(2)
        story.network.hold([.messages])

        try await story.sayAway("g h x y")
        await view.shows("d e f ~ x y …")
        story.network.stopHolding()
        await view.shows("d e f g h x y")
        try await story.end()
    }
}
