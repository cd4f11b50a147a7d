import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10))) struct OpenChannelStoryTests {
    /// Creates a story whose device is in an open channel with texts of alice, each of one word.
    private func story(_ words: String) async throws -> Story {
        let story = try await Story()
        _ = try await story.alice.perform(
            CreateOpenChannel(OpenChannelCreateParams("Hall", url: "hall")))
        _ = try await story.alice.perform(EnterOpenChannel("hall"))
        try await story.say(words, in: "hall")
        try await story.sync()
        _ = try await story.engine.perform(EnterOpenChannel("hall"))
        return story
    }

    private func startedView(
        _ story: Story, _ params: MessageListParams = MessageListParams()
    ) async throws -> View {
        let view = story.view(of: "hall", params)
        _ = try await view.collection.start().refreshed
        return view
    }

    @Test func openChannelHasTheWindowAndChangesOfAGroupChannel() async throws {
        let story = try await story("a b c d")
        let view = try await startedView(story, .sized(2))
        #expect(view.picture == "… c d")
        try await view.collection.loadPrevious()
        #expect(view.picture == "a b c d")
        #expect(view.collection.openChannel?.name == "Hall")

        let e = try await story.say("e", in: "hall")[0]
        await view.shows("a b c d e")
        await view.hears("added e: eventMessageReceived, succeeded")
        try await story.edit(e, to: "E")
        await view.shows("a b c d E")
        try await story.delete(e)
        await view.shows("a b c d")
        try await view.collection.send(NewMessage("f"))
        await view.shows("a b c d f")
        await view.hears("updated f: eventMessageSent, succeeded")
        try await story.alice.perform(ExitOpenChannel("hall"))
        await view.hears("open channel Hall: eventChannelChanged")
        await story.close()
    }

    @Test func messagesMissedAfterExitingAreFetchedOnEntering() async throws {
        let story = try await story("a b c")
        let view = try await startedView(story)
        #expect(view.picture == "a b c")
        let shown = view.collection.messages
        try await story.engine.perform(ExitOpenChannel("hall"))
        try await story.say("d e", in: "hall")
        try await story.edit(shown[0], to: "A")
        try await story.delete(shown[1])
        #expect(view.picture == "a b c")

        story.network.hold([.messages, .lookup])
        _ = try await story.engine.perform(EnterOpenChannel("hall"))
        try await story.say("f", in: "hall")
        await view.shows("a b c ~ f …")
        story.network.stopHolding()
        await view.shows("A c d e f")
        await story.close()
    }

    @Test func offlineAnOpenChannelShowsWhatIsCached() async throws {
        let story = try await story("a b")
        _ = try await startedView(story)
        try await story.engine.caughtUp("hall")
        await story.engine.disconnect()
        let view = story.view(of: "hall")
        let start = view.collection.start()
        #expect(try start.cached.map(\.text) == ["a", "b"])
        await expectError(.notConnected) { try await start.refreshed }
        try await view.collection.send(NewMessage("c"))
        #expect(view.picture == "a b (c)")
        await story.close()
    }

    @Test func clientEntersAgainAfterAReconnection() async throws {
        let story = try await ClientStory()
        _ = try await story.alice.perform(
            CreateOpenChannel(OpenChannelCreateParams("Hall", url: "hall")))
        _ = try await story.alice.perform(EnterOpenChannel("hall"))
        try await story.say("a", in: "hall")
        let client = try await story.connected()
        try await client.engine.caughtUp()
        try await client.enter("hall")
        let view = View(try client.makeMessageCollection(of: "hall"))
        _ = try await view.collection.start().refreshed
        #expect(view.picture == "a")

        await client.disconnect()
        try await story.say("b", in: "hall")
        try await client.connect(as: Credentials("bob"))
        await view.shows("a b")
        try await story.say("c", in: "hall")
        await view.shows("a b c")

        try await client.exit("hall")
        await client.disconnect()
        try await client.connect(as: Credentials("bob"))
        try await story.say("d", in: "hall")
        try await client.engine.caughtUp()
        #expect(try await story.alice.perform(FetchOpenChannel("hall")).participantCount == 1)
        #expect(view.picture == "a b c")
        await client.close()
    }
}
