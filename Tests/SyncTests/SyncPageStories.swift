import EmbeddedServer
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// The stories of Docs/Sync.md, line by line: what the device holds is what the page draws.
@Suite(.timeLimit(.minutes(10))) struct SyncPageStories {
    @Test func theLifeOfAMessage() async throws {
        var page = try PageStory("Docs/Sync.md", "The life of a message")
        var options = SyncOptions.exact
        options.pageSize = 3
        let story = try await Story(options)
        let messages = try await story.say("z a b c")
        #expect(try story.picture() == page.next("nothing is known"))

        try await story.open()
        #expect(try story.picture() == page.next("open the channel", "the newest page"))

        try await story.say("d")
        try await story.sees(page.next("alice says d", "the feed tells it"))

        try await story.edit(messages[2], to: "B")
        try await story.sees(page.next("alice edits b", "told whole, as it is now"))

        // Asked for before c is deleted, and answered afterwards.
        story.network.hold([.messages])
        async let old = story.engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
        try await story.held(1)
        try await story.delete(messages[3])
        try await story.sees(page.next("alice deletes c", "gone, and it stays so"))

        story.network.stopHolding()
        #expect(try await old.page.messages.map(\.text) == ["B", "c", "d"])
        #expect(try story.picture() == page.next("an old page comes", "it has c: left out"))
        #expect(page.isOver)
        try await story.end()
    }

    @Test func theLifeOfAGap() async throws {
        var page = try PageStory("Docs/Sync.md", "The life of a gap")
        let story = try await Story()
        let messages = try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()
        #expect(try story.picture() == page.next("offline"))

        try await story.edit(messages[0], to: "A")
        try await story.delete(messages[2])
        try await story.say("t u v w x y")
        story.tellNewest(2)
        story.network.hold([.messageChanges, .messages], at: .beforeEffect)
        try await story.connect()
        try await story.sees(page.next("a day passes", "the feed tells a hole"))

        try await story.release(.messageChanges)
        try await story.sees(page.next("what became of a, b, c"))

        story.server.conditions.pageLimit = 2
        try await story.release(.messages)
        try await story.sees(page.next("a page", "from the hole backwards"))

        story.server.conditions.pageLimit = 4
        try await story.release(.messages)
        try await story.sees(page.next("another page", "it meets b"))
        #expect(page.isOver)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func theLifeOfACursor() async throws {
        var page = try PageStory("Docs/Sync.md", "The life of a cursor")
        let story = try await Story()
        try await story.say("a b c")
        try await story.open()
        #expect(try story.picture() == page.next("the feed goes on"))

        await story.engine.disconnect()
        try await story.say("v w x y z")
        try story.server.expireCursors()
        // The feed is asked twice: from the old cursor, which has expired, and from none.
        story.network.hold([.feed], at: .beforeEffect)
        try await story.connect()
        try await story.release(.feed)
        try await story.sees(page.next("away for long", "the cursor has expired"))

        story.network.stopHolding()
        try await story.engine { $0.isLive }
        #expect(
            try story.picture() == page.next("the feed begins anew", "all channels are told"))

        story.server.conditions.pageLimit = 3
        story.network.hold([.messages], at: .beforeEffect)
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.release(.messages)
        try await story.sees(page.next("the channel is shown", "its newest page"))

        story.server.conditions.pageLimit = 5
        try await story.release(.messages)
        try await story.sees(page.next("another page", "it meets what is held"))
        #expect(page.isOver)
        story.network.stopHolding()
        try await story.end()
    }

    @Test func theLifeOfADraft() async throws {
        var page = try PageStory("Docs/Sync.md", "The life of a draft")
        let story = try await Story()
        try await story.say("a b c")
        try await story.open()
        await story.engine.disconnect()
        let d = try #require(
            try await story.engine.send(UserMessageCreateParams("d"), in: "general").requestID)
        #expect(try story.picture() == page.next("offline, bob says d", "on the disk"))

        story.network.failNext(of: [.send], with: BackendError(.serverFailure, "no"))
        try await story.connect()
        try await story.sees(page.next("the server says no", "failed, and kept"))

        story.network.hold([.send], at: .beforeEffect)
        try await story.engine.resend(d)
        #expect(try story.picture() == page.next("bob sends it again", "under the same name"))

        story.network.stopHolding()
        try await story.sees(page.next("the server takes it", "sent, told, taken out"))
        #expect(page.isOver)
        #expect(try story.store.messages(in: "general", limit: 1).map(\.requestID) == [d])
        #expect(try story.store.draftCount() == 0)
        try await story.end()
    }

    @Test func whatIsKept() async throws {
        var page = try PageStory("Docs/Sync.md", "What is kept")
        var options = SyncOptions.exact
        // The newest two of a channel are what the engine would fetch again by itself.
        (options.pageSize, options.backgroundPages) = (2, 1)
        let story = try await Story(options)
        try await story.sayMuch("a b c d e")
        try await story.connect()
        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.engine.caughtUp("general")
        await story.engine.hide("general", viewer: 1)
        #expect(try story.picture() == page.next("the cache is larger than it may be"))

        let size = try story.store.cachedDataSize()
        let eviction = try await story.engine.shrinkCache(to: size * 11 / 20)
        let picture = try page.next("the oldest go, and leave a gap")
        #expect(try story.picture() == picture, "\(eviction)")

        await story.engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees(page.next("who looks at it again fetches them"))
        #expect(page.isOver)
        try await story.end()
    }

    @Test func theDropBox() async throws {
        var page = try PageStory("Docs/Sync.md", "The drop box")
        let temporary = try TemporaryStore()
        let story = try await Story(store: temporary.store)
        try await story.say("a b c")
        try await story.open()
        try await story.engine.absorbDrops()
        await story.engine.disconnect()
        let messages = try await story.say("d")
        #expect(
            try story.picture() == page.next("the app is not there", "a push extension has d"))

        let box = try #require(try DropBox(in: temporary.directory))
        try box.leave(messages)
        #expect(try story.picture() == page.next("it leaves d", "in a file of its own"))

        try await story.engine.absorbDrops()
        #expect(try story.picture() == page.next("the app opens", "d is taken in"))

        await story.engine.show("general", nil, viewer: 1)
        try await story.connect()
        try await story.sees(page.next("shown, and connected", "a page closes the gap"))
        #expect(page.isOver)
        try await story.end()
    }
}

extension Story {
    /// Lets one call go on its way, the first of its kind, as soon as it is held.
    fileprivate func release(_ call: BackendCall) async throws {
        var calls: [HeldCall] = []
        repeat { calls = try await held(calls.count + 1) } while !calls.contains { $0.call == call }
        network.release(at: try #require(calls.firstIndex { $0.call == call }))
    }

    /// Has messages of twenty kilobytes on the server, a word each to be shown.
    fileprivate func sayMuch(_ words: String) async throws {
        let now = clock.now.milliseconds
        let messages = words.split(separator: " ").enumerated().map { index, word in
            var message = Message.sample(
                index + 1, text: String(word),
                at: Timestamp(milliseconds: now + Int64(index) + 1))
            message.data = String(repeating: "\(word) was said ", count: 2000)
            return message
        }
        try server.importMessages(messages, tellsFeed: true)
        clock.advance(by: .seconds(3600))
    }
}
