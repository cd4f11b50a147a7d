import Collections
import EmbeddedServer
import Foundation
import Models
import Observation
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10))) struct DraftStoryTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    @Test func draftIsShownByAllViewsAndAfterARestart() async throws {
        var client = try await story.connected()
        try await client.engine.caughtUp()
        let view = View(try client.makeMessageCollection(of: "general"))
        let list = ChannelView(try client.makeGroupChannelCollection())
        _ = try await view.collection.start().refreshed
        try await list.load()
        #expect(view.collection.draft == "" && list.collection.drafts.isEmpty)

        try await view.collection.setDraft("See you")
        #expect(view.collection.draft == "See you")
        await list.until { list.collection.drafts == ["general": "See you"] }
        try await client.setDraft("See you at", of: "general")
        await view.until { $0.collection.draft == "See you at" }
        // Neither sending a message nor closing the view changes the draft.
        try await view.collection.send(NewMessage("Hello"))
        view.collection.dispose()
        await client.close()

        client = try await story.open()
        let again = View(try client.makeMessageCollection(of: "general"))
        again.collection.start(.cacheOnly)
        #expect(again.collection.draft == "See you at")
        try await again.collection.setDraft("")
        #expect(again.collection.draft == "")
        await client.close()
    }

    @Test func threadHasADraftOfItsOwn() async throws {
        let client = try await story.connected()
        try await client.engine.caughtUp()
        let channel = try client.makeMessageCollection(of: "general")
        channel.start(.cacheOnly)
        let message = try await channel.send("a").message
        let parent = MessageID("1")
        let thread = try client.makeThreadCollection(ofRepliesTo: parent, in: "general")
        thread.start(.cacheOnly)
        try await channel.setDraft("channel", replyingTo: "7")
        try await thread.setDraft("thread", replyingTo: "8")
        #expect(channel.draft == "channel" && channel.draftReplyingTo == "7")
        #expect(thread.draft == "thread" && thread.draftReplyingTo == "8")
        #expect(message.text == "a")

        let again = View(
            try client.makeThreadCollection(ofRepliesTo: parent, in: "general"))
        again.collection.start(.cacheOnly)
        #expect(again.collection.draft == "thread" && again.collection.draftReplyingTo == "8")
        try await client.setDraft("other", of: "general", inThreadOf: parent)
        await again.until { $0.collection.draft == "other" && $0.collection.draftReplyingTo == nil }
        #expect(channel.draft == "channel")
        let list = try client.makeGroupChannelCollection()
        list.start()
        #expect(list.drafts == ["general": "channel"])
        await client.close()
    }

    @Test(arguments: [ChatClient.Wiping.cachedData, .everything])
    func draftIsRemovedByALogOutThatRemovesTheOutbox(_ wiping: ChatClient.Wiping) async throws {
        var client = try await story.connected()
        try await client.engine.caughtUp()
        try await client.setDraft("canary", of: "general")
        try await client.clearCachedData()
        #expect(try client.engine.store.draft(of: "general") == "canary")
        try await client.logOut(wiping: wiping)
        try await client.connect(as: Credentials("bob"))
        let draft = try client.engine.store.draft(of: "general")
        #expect(draft == (wiping == .everything ? nil : "canary"))
        await client.close()
        client = try await story.open()
        await client.close()
        let files = FileManager.default.enumerator(
            at: story.directory, includingPropertiesForKeys: nil)
        var isFound = false
        for case let url as URL in files! {
            isFound = isFound || (try? Data(contentsOf: url))?.range(of: Data("canary".utf8)) != nil
        }
        #expect(isFound == (wiping == .cachedData))
    }

    @Test func draftOfAnotherUserIsNotShown() async throws {
        let client = try await story.connected()
        try await client.setDraft("bob's", of: "general")
        try await client.connect(as: Credentials("alice"))
        #expect(try client.engine.store.drafts().isEmpty)
        await client.close()
    }

    @Test func draftMovesToTheEncryptedStore() async throws {
        var client = try await story.connected()
        try await client.setDraft("canary", of: "general")
        await client.close()
        let options = story.options.encrypted(with: EncryptionKey())
        try await ChatClient.encryptStoredData(of: "bob", options: options)
        client = try await story.connected(options)
        #expect(try client.engine.store.drafts() == ["general": "canary"])
        await client.close()
    }
}
