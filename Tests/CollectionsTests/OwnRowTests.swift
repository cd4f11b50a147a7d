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

/// Tests that a row that the user wrote never leaves a list while it is sent.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct OwnRowTests {
    private func releaseHeld(_ call: CallName, of story: Story) throws {
        let index = try #require(story.network.held.firstIndex { $0.call == call })
        story.network.release(at: index)
    }

    /// Waits until a number of calls of a kind are held.
    private func waitUntilHeld(
        _ call: CallName, _ count: Int = 1, of story: Story
    ) async throws {
        while true {
            let held = story.network.held
            if held.count(where: { $0.call == call }) >= count { return }
            try await story.held(held.count + 1)
        }
    }

    /// The engine connects to a restored server, sends a message while its feed begins, and
    /// receives the answer afterwards.
    @Test func sentRowStaysIfTheFeedBeginsBeforeTheAnswer() async throws {
        let story = try await Story()
        try await story.say("a")
        let backup = try story.server.backup()
        try await story.open()
        let view = try await story.startedView()
        await story.engine.disconnect()
        try story.server.restore(backup)
        story.network.hold([.feed], at: .beforeEffect)
        story.network.hold([.send, .messages, .lookup, .messageChanges])
        try await story.connect()
        _ = view.notifications()
        try await view.collection.send(NewMessage("b"))
        _ = await story.network.held(atLeast: 2)
        story.network.hold([], at: .beforeEffect)
        try releaseHeld(.feed, of: story)
        try await story.waitUntilNotified()
        try releaseHeld(.send, of: story)
        await view.hears("updated b: eventMessageSent, succeeded")
        try await view.isUpToDate()
        #expect(view.items.last?.message?.text == "b")
        story.network.stopHolding()
        await view.shows("a b")
        try await view.isUpToDate()
        #expect(!view.notifications().contains { $0.hasPrefix("deleted b") })
        try await story.end()
    }

    /// The restored server, which has lost "a", answers the request for the first page before its
    /// feed begins.
    ///
    /// Only the second page shows that "a" is lost.
    @Test func refreshedRowsAreThoseOfTheServer() async throws {
        let story = try await Story()
        let backup = try story.server.backup()
        try await story.say("a")
        try await story.open()
        await story.engine.disconnect()
        try story.server.restore(backup)
        story.network.hold([.feed, .messages, .lookup])
        try await story.connect()
        let view = story.view()
        let start = view.collection.start()
        try await waitUntilHeld(.feed, of: story)
        try await waitUntilHeld(.messages, of: story)
        try releaseHeld(.messages, of: story)
        try await waitUntilHeld(.messages, of: story)
        try releaseHeld(.feed, of: story)
        // The engine requests the page again, because the feed has begun.
        try await waitUntilHeld(.messages, 2, of: story)
        try releaseHeld(.messages, of: story)
        try releaseHeld(.messages, of: story)
        try await waitUntilHeld(.lookup, of: story)
        try await view.isUpToDate()
        story.network.stopHolding()
        #expect(try await start.refreshed == [])
        #expect(view.picture == "")
        try await story.end()
    }

    /// The server answers the request for the first page before its feed begins, and then the
    /// engine itself requests the page again.
    ///
    /// The restored server has lost "a" and "x". The id of "a" belongs to "b" now.
    @Test func refreshedRowsAreThoseOfTheServerAfterAPageOfTheEngine() async throws {
        let story = try await Story()
        let backup = try story.server.backup()
        try await story.say("a x")
        try await story.open()
        await story.engine.disconnect()
        try story.server.restore(backup)
        try await story.say("b")
        story.network.hold([.feed, .messages, .lookup])
        try await story.connect()
        let view = story.view()
        let start = view.collection.start()
        try await waitUntilHeld(.feed, of: story)
        try await waitUntilHeld(.messages, of: story)
        // The collection continues only when this test awaits something.
        try releaseHeld(.messages, of: story)
        while try !story.picture().contains("b") { sched_yield() }
        try releaseHeld(.feed, of: story)
        while !story.network.held.contains(where: { $0.call == .messages }) { sched_yield() }
        try releaseHeld(.messages, of: story)
        while try story.picture().contains("~") { sched_yield() }
        try await waitUntilHeld(.lookup, of: story)
        try await view.isUpToDate()
        story.network.stopHolding()
        #expect(try await start.refreshed.map(\.text) == ["b"])
        #expect(view.picture == "b")
        try await story.end()
    }

    /// The restored server has lost "a", and its id belongs to the message that the user sends.
    ///
    /// One lookup or two find out that "a" is lost.
    @Test(arguments: [1, 2])
    func deletionOfAMessageOfAFormerEpochRemovesNoSentRow(lookups: Int) async throws {
        let story = try await Story()
        let backup = try story.server.backup()
        let lost = try await story.say("a").compactMap(\.messageID)
        try await story.open()
        await story.engine.disconnect()
        try story.server.restore(backup)
        story.network.hold([.lookup, .send])
        try await story.connect()
        let view = story.view()
        view.collection.start()
        try await waitUntilHeld(.lookup, of: story)
        let again = Task {
            if lookups == 2 { _ = try await story.engine.fetchMessages(lost, in: "general") }
        }
        try await waitUntilHeld(.lookup, lookups, of: story)
        // No page may deliver the message before the answer to its request.
        story.network.hold([.lookup, .send, .feed, .messages])
        try await view.collection.send(NewMessage("b"))
        try await waitUntilHeld(.send, of: story)
        // A lookup that begins later stays held: its answer would contain "b".
        for _ in 0..<lookups { try releaseHeld(.lookup, of: story) }
        // Without a page, the list does not know whether older messages exist.
        await view.until { ["(b)", "… (b)"].contains($0.picture) }
        try releaseHeld(.send, of: story)
        await view.hears("updated b: eventMessageSent, succeeded")
        #expect(["b", "… b"].contains(view.picture))
        story.network.stopHolding()
        try await again.value
        try await story.end()
        #expect(!view.notifications().contains { $0.hasPrefix("deleted b") })
    }

    @Test func reactionToAnUnsentMessageIsShownAtOnce() async throws {
        let story = try await Story.caching("a")
        let view = try await story.startedView()
        await story.engine.disconnect()
        let message = try await view.collection.send(NewMessage("b")).message
        let id = try #require(message.requestID)
        func reactions() -> [String] {
            (view.items.last?.message?.reactions ?? []).map { "\($0.key) \($0.userIDs)" }
        }
        try await story.engine.addReaction("+1", to: .written(id), in: "general")
        try await view.isUpToDate()
        #expect(view.picture == "a (b)")
        #expect(reactions() == ["+1 [bob]"])
        #expect(
            try story.store.read { try $0.pendingMessages(in: "general") }.map {
                $0.reactions.count
            }
                == [1])
        try await story.engine.deleteReaction("+1", from: .written(id), in: "general")
        try await view.isUpToDate()
        #expect(reactions() == [])
        try await story.engine.addReaction("!", to: .written(id), in: "general")
        try await story.connect()
        await view.shows("a b")
        await view.until { _ in reactions() == ["! [bob]"] }
        try await story.until { try $0.outboxItems().isEmpty }
        try await story.end()
    }

    /// The program of the README, started again and again with one cache and a new server each.
    @Test func firstProgramPrintsItsMessageTwice() async throws {
        let rounds = ProcessInfo.processInfo.environment["SCROLLBACK_RUNS"].flatMap { Int($0) }
        let directory = ScratchDirectory()
        for round in 0..<(rounds ?? 20) {
            let server = try EmbeddedServer.inMemory()
            try server.createChannel(
                GroupChannelCreateParams("General", url: "general"), by: "alice")
            var options = ChatClientOptions()
            options.storage = .directory(directory.url)
            let client = try await ChatClient.open(backend: server.client(), options: options)
            try await client.connect(as: Credentials("alice"))
            let messages = try client.makeMessageCollection(of: "general")
            _ = try await messages.start().refreshed
            var rows = messages.items
            let changes = messages.allChanges()
            try await messages.send("Hello!")
            var printed: [String] = []
            var seen: [CollectionChange<MessageItem>] = []
            for await change in changes {
                rows = change.applied(to: rows)
                seen.append(change)
                for message in rows.compactMap(\.message) {
                    printed.append("\(message.sendingStatus) \(message.text)")
                }
                if !rows.contains(where: { $0.message?.sendingStatus == .pending }) { break }
            }
            #expect(printed == ["pending Hello!", "succeeded Hello!"], "round \(round): \(seen)")
            await client.close()
        }
    }
}
