import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Replays the diagrams of Docs/Sync.md, line by line.
@Suite(.timeLimit(.minutes(10))) struct SyncPageStories {
    @Test func messageChangesAsThePageShows() async throws {
        var page = try PageStory("Docs/Sync.md", "Receiving, editing and deleting messages")
        let story = try await Story(.exact { $0.pageSize = 3 })
        let messages = try await story.say("z a b c")
        #expect(try story.picture() == page.next("empty cache"))

        try await story.open()
        #expect(try story.picture() == page.next("open the channel", "newest page"))

        try await story.say("d")
        try await story.sees(page.next("alice sends d", "feed event"))

        try await story.edit(messages[2], to: "B")
        try await story.sees(page.next("alice edits b", "event, whole message"))

        // The server reads the page before "c" is deleted, and the answer arrives after the
        // deletion.
        story.network.hold([.messages])
        async let old = story.engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
        try await story.held(1)
        try await story.delete(messages[3])
        try await story.sees(page.next("alice deletes c", "stays deleted"))

        story.network.stopHolding()
        #expect(try await old.page.messages.map(\.text) == ["B", "c", "d"])
        #expect(try story.picture() == page.next("an older page arrives", "its c is skipped"))
        #expect(page.isOver)
        try await story.end()
    }

    @Test func gapIsOpenedAndFilledAsThePageShows() async throws {
        var page = try PageStory("Docs/Sync.md", "Truncations and backfill")
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()
        #expect(try story.picture() == page.next("offline"))

        try await story.edit(messages[0], to: "A")
        try await story.delete(messages[2])
        try await story.say("t u v w x y")
        story.limitFeed(2)
        story.network.hold([.messageChanges, .messages], at: .beforeEffect)
        try await story.connect()
        try await story.sees(page.next("a day passes", "feed reports truncation"))

        try await story.release(.messageChanges)
        try await story.sees(page.next("changelog: a, b and c"))

        story.server.conditions.pageLimit = 4
        try await story.release(.messages)
        try await story.sees(page.next("a page", "newest part of the gap"))

        try await story.release(.messages)
        try await story.sees(page.next("another page", "it reaches b"))
        #expect(page.isOver)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func cursorExpiresAsThePageShows() async throws {
        var page = try PageStory("Docs/Sync.md", "Expired cursors and restored servers")
        let story = try await Story.caching("a b c")
        #expect(try story.picture() == page.next("live"))

        await story.engine.disconnect()
        try await story.say("v w x y z")
        try story.server.expireCursors()
        // The engine requests the feed twice: with the old cursor, which has expired, and without a
        // cursor.
        story.network.hold([.feed], at: .beforeEffect)
        try await story.connect()
        try await story.release(.feed)
        try await story.sees(page.next("away for long", "the cursor has expired"))

        story.network.stopHolding()
        try await story.engine { $0.isLive }
        #expect(
            try story.picture() == page.next("the feed restarts", "it reports all channels"))

        story.server.conditions.pageLimit = 3
        story.network.hold([.messages], at: .beforeEffect)
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.release(.messages)
        try await story.sees(page.next("the channel is shown", "newest page"))

        story.server.conditions.pageLimit = 5
        try await story.release(.messages)
        try await story.sees(page.next("another page", "it reaches c"))
        #expect(page.isOver)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func outboxItemIsSentAsThePageShows() async throws {
        var page = try PageStory("Docs/Sync.md", "Sending messages")
        let story = try await Story.caching("a b c")
        await story.engine.disconnect()
        let d = try #require(
            try await story.engine.send(NewMessage("d"), in: "general").requestID)
        #expect(try story.picture() == page.next("offline, bob sends d", "on disk"))

        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        try await story.connect()
        try await story.sees(page.next("the server fails", "failed, kept"))

        story.network.hold([.send], at: .beforeEffect)
        try await story.engine.resend(d)
        #expect(try story.picture() == page.next("bob resends it", "same request id"))

        story.network.stopHolding()
        try await story.sees(page.next("the server accepts it", "sent, item removed"))
        #expect(page.isOver)
        #expect(try story.store.messages(in: "general", limit: 1).map(\.requestID) == [d])
        #expect(try story.store.outboxItemCount() == 0)
        try await story.end()
    }

    @Test func evictionLeavesAGapAsThePageShows() async throws {
        var page = try PageStory("Docs/Sync.md", "Cache size and eviction")
        var options = SyncOptions.exact
        // By default, the engine would fetch the two newest messages of the evicted channel again
        // in the background.
        (options.pageSize, options.backgroundPages) = (2, 1)
        let story = try await Story(options)
        try await story.sendMany("a b c d e")
        try await story.connect()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        await story.engine.hide("general", viewer: 1)
        #expect(try story.picture() == page.next("the cache is too large"))

        let size = try story.store.cachedDataSize()
        let eviction = try await story.engine.shrinkCache(to: size * 11 / 20)
        let picture = try page.next("eviction leaves a gap")
        #expect(try story.picture() == picture, "\(eviction)")

        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees(page.next("viewing refetches them"))
        #expect(page.isOver)
        try await story.end()
    }

    @Test func pushInboxIsReadAsThePageShows() async throws {
        var page = try PageStory("Docs/Sync.md", "Push inbox")
        let temporary = try TemporaryStore()
        let story = try await Story.caching("a b c", store: temporary.store)
        try await story.engine.readPushInbox()
        await story.engine.disconnect()
        let messages = try await story.say("d")
        #expect(
            try story.picture() == page.next("the app is not running", "an extension gets d"))

        let box = try #require(try PushInbox(in: temporary.directory))
        try box.leave(messages)
        #expect(try story.picture() == page.next("it stores d", "in a file of its own"))

        try await story.engine.readPushInbox()
        #expect(try story.picture() == page.next("the app opens", "d is read"))

        await story.engine.show("general", nil, viewer: 1)
        try await story.connect()
        try await story.sees(page.next("shown and connected", "a page closes the gap"))
        #expect(page.isOver)
        try await story.end()
    }
}

extension Story {
    /// Releases the first held call of a kind, as soon as the network holds one.
    fileprivate func release(_ call: CallName) async throws {
        var calls: [HeldCall] = []
        repeat { calls = try await held(calls.count + 1) } while !calls.contains { $0.call == call }
        network.release(at: try #require(calls.firstIndex { $0.call == call }))
    }

    /// Sends messages of about twenty kilobytes.
    ///
    /// Each is one word in a picture.
    fileprivate func sendMany(_ words: String) async throws {
        let now = clock.now.milliseconds
        let messages = words.split(separator: " ").enumerated().map { index, word in
            var message = Message.sample(
                index + 1, text: String(word),
                at: Timestamp(milliseconds: now + Int64(index) + 1))
            message.data = String(repeating: "\(word) was said ", count: 2000)
            return message
        }
        try server.importMessages(messages, isReported: true)
        clock.advance(by: .seconds(3600))
    }
}
