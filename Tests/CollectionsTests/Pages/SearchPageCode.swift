import Collections
import EmbeddedServer
import Models
import Store
import Sync
import Testing

/// The code of Docs/Search.md, verbatim.
@Suite(.timeLimit(.minutes(10))) struct SearchPageCode {
    @Test @MainActor func searchFindsStoredMessagesAndReportsMissingRanges() async throws {
        let server = try EmbeddedServer.inMemory()
        var options = ChatClientOptions()
        options.storage = .inMemory
        options.store.isSearchIndexed = true
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.createChannel(GroupChannelCreateParams("General", url: "general"))
        for text in ["The umbrella is by the door.", "Umbrella? Door?", "An umbrella"] {
            _ = try await client.send(NewMessage(text), in: "general").result
        }

        var params = MessageSearchParams("umbrella do")
        params.channelURLs = ["general"]
        let page = try await client.search(params)
        for found in page.messages {
            print(found.message.text, found.hits.map { found.message.text[$0.range] })
        }
        if let cursor = page.cursor {
            _ = try await client.search(params, after: cursor)  // the next page
        }
        print(page.unsearched.count)  // gaps and stale ranges: the cache does not have all messages

        #expect(
            page.messages.map(\.message.text) == [
                "Umbrella? Door?", "The umbrella is by the door.",
            ])
        #expect(page.cursor == nil)
        await client.close()
    }

    @Test @MainActor func aLiveSearchFetchesWhatIsMissing() async throws {
        let server = try EmbeddedServer.inMemory()
        var options = ChatClientOptions()
        options.storage = .inMemory
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))

        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        try await search.loadMore()
        print(search.messages.map(\.message.text))
        try await search.backfill()  // fetches the missing ranges; matching messages are added

        #expect(search.messages.isEmpty && search.unsearched.isEmpty)
        await client.close()
    }

    @Test @MainActor func theServerIsSearched() async throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(GroupChannelCreateParams("General", url: "general"), by: "bob")
        let bob = server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        for text in ["An umbrella", "Rain", "Umbrellas"] {
            var message = Message(id: nil, channelURL: "general", text: text, createdAt: 0)
            message.newMessage = NewMessage(text)
            _ = try await bob.send(OutboxItem(message, requestID: RequestID(text)))
        }
        try await bob.perform(InviteUsers(["alice"], to: "general"))
        var options = ChatClientOptions()
        options.storage = .inMemory
        options.sync.backgroundChannels = 0
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.acceptInvitation(to: "general")

        let results = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        try await results.loadMore()  // immediately, from the cache
        do {
            try await results.searchServer()  // adds a page of the server's results
        } catch {
            print("the server was not searched: \(error)")  // the list stays as it is
        }
        if !results.serverSearch.isComplete {
            print(results.serverSearch.searchedAfter as Any)  // where the next call continues
        }

        #expect(results.messages.map(\.message.text) == ["Umbrellas", "An umbrella"])
        #expect(results.serverSearch.isComplete)
        await client.close()
    }

    @Test func theOptionTurnsTheIndexOn() {
        var options = ChatClientOptions()
        options.store.isSearchIndexed = true
        #expect(options.store.isSearchIndexed)
    }
}
