import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Sync
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) @MainActor struct SearchTests {
    private let server: EmbeddedServer
    private let client: ChatClient

    init() async throws {
        server = try EmbeddedServer.inMemory()
        try server.addUser(User(id: "bob", nickname: "Robert"))
        try server.createChannel(
            GroupChannelCreateParams("Rainy days", userIDs: ["bob"], url: "general"), by: "alice")
        try server.createChannel(GroupChannelCreateParams("Ships", url: "ships"), by: "alice")
        var options = ChatClientOptions()
        options.storage = .inMemory
        options.store.isSearchIndexed = true
        client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.engine.caughtUp()
    }

    private func search(
        _ text: String, after cursor: SearchCursor? = nil, limit: Int = 20,
        _ change: (inout MessageSearchParams) -> Void = { _ in }
    ) async throws -> SearchPage {
        var params = MessageSearchParams(text)
        change(&params)
        return try await client.search(params, after: cursor, limit: limit)
    }

    @Test func unsentMessagesAreFoundUntilTheyAreSent() async throws {
        await client.disconnect()
        let sending = try await client.send(NewMessage("An umbrella"), in: "general")
        let page = try await search("umbr")
        #expect(page.messages.isEmpty)
        #expect(page.outboxItems.count == 1)
        #expect(page.outboxItems.first?.requestID == sending.message.requestID)
        #expect(try await search("umbr") { $0.channelURLs = ["ships"] }.outboxItems.isEmpty)
        try await client.connect(as: Credentials("alice"))
        _ = try await sending.result
        let later = try await search("umbr")
        #expect(later.messages.map(\.message.text) == ["An umbrella"])
        #expect(later.outboxItems.isEmpty)
    }

    @Test func purgedMessagesAreNotFound() async throws {
        let bob = server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        try await bob.say("umbrella", in: "general", ManualClock(at: 1), RequestIDs())
        _ = try await client.send(NewMessage("My umbrella"), in: "general").result
        let store = try client.engine.store
        try await store.until { try $0.messages(in: "general").count == 2 }
        #expect(try await search("umbrella").messages.count == 2)
        try server.deleteMessages(ofSender: "bob")
        try await store.until { try $0.messages(in: "general").count == 1 }
        #expect(try await search("umbrella").messages.map(\.message.text) == ["My umbrella"])
    }

    @Test func channelsAreFoundByTheirNamesAndMembers() async throws {
        #expect(try await search("rainy").channels.map(\.url) == ["general"])
        #expect(try await search("robert").channels.map(\.url) == ["general"])
        #expect(try await search("bob").channels.map(\.url) == ["general"])
        #expect(try await search("rainy") { $0.channelURLs = ["ships"] }.channels.isEmpty)
        #expect(try await search("rainy") { $0.senderUserIDs = ["bob"] }.channels.isEmpty)
        #expect(try await search("").channels.isEmpty)
    }

    @Test func rangesThatWereNotSearchedAreReported() async throws {
        for text in ["umbrella", "rain", "umbrella"] {
            _ = try await client.send(NewMessage(text), in: "general").result
        }
        let store = try client.engine.store
        let positions = try store.messages(in: "general", before: .newest).compactMap(\.position)
        try store.write { batch in
            try batch.cover("general", from: .beginning, through: .end)
            try batch.open(
                Gap(in: "general", from: .position(positions[1]), to: .position(positions[0])))
            try batch.open(Gap(in: "general", to: .position(positions[2])))
        }
        let page = try await search("umbrella") { $0.channelURLs = ["general"] }
        #expect(page.unsearched.map(\.reason) == [.gap, .gap])
        // The first page does not report gaps that are older than its last result. The next page
        // reports them.
        let first = try await search("umbrella", limit: 1) { $0.channelURLs = ["general"] }
        #expect(first.messages.count == 1 && first.unsearched.isEmpty)
        let earlier = try await search("umbrella") {
            ($0.channelURLs, $0.until) = (["general"], positions[1].createdAt)
        }
        #expect(earlier.unsearched.map(\.upper) == [.position(positions[2])])
        let recent = try await search("umbrella") {
            let next = positions[0].createdAt.milliseconds + 1
            ($0.channelURLs, $0.since) = (["general"], Timestamp(milliseconds: next))
        }
        #expect(recent.unsearched.isEmpty)
        #expect(try await search("").unsearched.isEmpty)
    }

    private func rebuildIndex() async throws {
        try await client.rebuildSearchIndex()
        while try await client.searchIndexStatus()?.fractionCompleted != 1 { await Task.yield() }
    }

    @Test func pagesContinueAtTheCursor() async throws {
        try await sendUmbrellas(5)
        let first = try await search("umbrella", limit: 3)
        #expect(first.messages.map(\.message.text) == ["umbrella 5", "umbrella 4", "umbrella 3"])
        let cursor = try #require(first.cursor)
        let second = try await search("umbrella", after: cursor, limit: 3)
        #expect(second.messages.map(\.message.text) == ["umbrella 2", "umbrella 1"])
        #expect(second.cursor == nil && second.channels.isEmpty)
    }

    @Test func theIndexIsBuiltAgainInTheBackground() async throws {
        try await sendUmbrellas(5)
        try await rebuildIndex()
        #expect(try await client.searchIndexStatus()?.documentCount == 5)
        #expect(try await search("umbrella 3 ").messages.count == 1)
    }

    @Test func aDamagedIndexMakesTheClientReplaceTheCache() async throws {
        try await sendUmbrellas(5)
        try await rebuildIndex()
        let store = try client.engine.store
        let row = try #require(
            try store.describedRows(of: .cache, table: Table.terms.name).first)
        let overlay = Overlay()
        overlay.put({ $0.raw(row.key) }, { $0.raw([0xFF]) })
        try store.cache.write(overlay, isDurable: false)
        try store.write { try $0.save(User(id: "x")) }
        #expect(try await search("umbrella").messages.count == 5)
        while client.storageDamage.replacedCache == nil { await Task.yield() }
        #expect(try store.check().isEmpty)
    }

    @Test func listDropsDeletedMessagesWhenTheCacheIsReplaced() async throws {
        try await sendUmbrellas(2)
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        try await search.loadMore()
        #expect(texts(search) == ["umbrella 2", "umbrella 1"])
        let newest = try #require(search.messages.first?.message.messageID)
        await client.disconnect()
        try server.deleteMessage(newest, in: "general")
        let changes = search.allChanges()
        try await client.connect(as: Credentials("bob"))
        let store = try client.engine.store
        let reason = StoreError(.corruption, "damaged", path: store.cache.path)
        try store.replaceCache(reason: reason, at: 0, isRequested: true)
        for await _ in changes where search.messages.isEmpty { break }
    }

    // MARK: A live list

    private struct NotSent: Error {}

    private func texts(_ search: MessageSearch) -> [String] { search.messages.map(\.message.text) }

    private func send(_ text: String) async throws -> Message {
        let sending = try await client.send(NewMessage(text), in: "general")
        guard case .sent(let message) = try await sending.result else {
            throw NotSent()
        }
        return message
    }

    /// Sends "umbrella 1", "umbrella 2" and so on, and waits until the feed has delivered them.
    private func sendUmbrellas(_ count: Int) async throws {
        let store = try client.engine.store
        // Before the feed has reported the channel, the cache does not keep its messages.
        while try store.groupChannel("general") == nil { await Task.yield() }
        for number in 1...count { _ = try await send("umbrella \(number)") }
        try server.createChannel(GroupChannelCreateParams("Last", url: "last"), by: "alice")
        while try store.groupChannel("last") == nil { await Task.yield() }
    }

    /// Waits until a search shows exactly the expected texts.
    private func wait(_ search: MessageSearch, for expected: [String]) async {
        for await _ in search.allChanges() where texts(search) == expected { return }
    }

    @Test func theListFollowsNewEditedAndDeletedMessages() async throws {
        let first = try await send("umbrella 1")
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        #expect(search.hasMore)
        #expect(try await search.loadMore().map(\.message.text) == ["umbrella 1"])
        #expect(!search.hasMore)
        let changes = search.allChanges()
        var list = search.messages
        let second = try await send("umbrella 2")
        _ = try await send("rain")
        _ = try await client.update(second, with: .text("An umbrella"))
        _ = try await client.delete(first)
        for await change in changes {
            list = change.applied(to: list)
            if list.map(\.message.text) == ["An umbrella"] { break }
        }
        #expect(texts(search) == ["An umbrella"])
        let hit = try #require(search.messages.first?.hits.first)
        #expect(hit.field == .text)
        search.dispose()
        await #expect(throws: SyncError.self) { try await search.loadMore() }
    }

    @Test func olderMessagesThanTheLastPageAreNotListedUntilTheyAreLoaded() async throws {
        try await sendUmbrellas(5)
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"), pageSize: 2)
        try await search.loadMore()
        #expect(texts(search) == ["umbrella 5", "umbrella 4"])
        let store = try client.engine.store
        var old = try #require(try store.messages(in: "general", before: .newest).last)
        old.text = "An old umbrella"
        try store.write { try $0.save(old) }
        try await search.loadMore()
        #expect(texts(search) == ["umbrella 5", "umbrella 4", "umbrella 3", "umbrella 2"])
        try await search.loadMore()
        #expect(texts(search).last == "An old umbrella")
        #expect(!search.hasMore)
        #expect(try await search.loadMore().isEmpty)
        try store.write { try $0.clearMessages(in: "general") }
        if !search.messages.isEmpty { await wait(search, for: []) }
        #expect(search.messages.isEmpty)
    }

    @Test func backfillFetchesTheGapsAndListsWhatMatches() async throws {
        try await sendUmbrellas(3)
        try client.engine.store.write { try $0.clearMessages(in: "general") }
        var params = MessageSearchParams("umbrella")
        params.channelURLs = ["general"]
        let search = try client.makeMessageSearch(params)
        try await search.loadMore()
        #expect(search.messages.isEmpty)
        #expect(search.unsearched.map(\.reason) == [.gap])
        try await search.backfill()
        #expect(search.unsearched.isEmpty)
        if search.messages.count < 3 {
            await wait(search, for: ["umbrella 3", "umbrella 2", "umbrella 1"])
        }
        #expect(texts(search) == ["umbrella 3", "umbrella 2", "umbrella 1"])
    }

    @Test(arguments: [false, true])
    func channelThatCannotBeFetchedDoesNotPreventTheOthers(isInvitation: Bool) async throws {
        try server.createChannel(GroupChannelCreateParams("A", url: "a"), by: "alice")
        let (client, network) = try await makeEmptyClient()
        if isInvitation {
            try client.engine.store.write { batch in
                var channel = try #require(try batch.groupChannel("a"))
                channel.myMemberState = .invited
                try batch.save(channel)
            }
        }
        var params = MessageSearchParams("umbrella")
        params.channelURLs = ["a", "general"]
        let search = try client.makeMessageSearch(params)
        try await search.loadMore()
        network.failNext(of: [.messages], with: BackendError(.refused, "no"))
        if isInvitation {
            try await search.backfill()
        } else {
            await expectError(.refused) { try await search.backfill() }
        }
        #expect(search.unsearched.map(\.channelURL) == ["a"])
        if search.messages.count < 5 {
            await wait(search, for: (1...5).reversed().map { "umbrella \($0)" })
        }
        #expect(search.messages.count == 5)
        await client.close()
    }

    // MARK: The server

    /// Returns a client with an empty history of `general`, in which the server has five umbrellas.
    private func makeEmptyClient() async throws -> (ChatClient, ConditionedBackend) {
        try await sendUmbrellas(5)
        let network = ConditionedBackend(server.client())
        var options = ChatClientOptions()
        options.storage = .inMemory
        options.sync.backgroundChannels = 0
        let client = try await ChatClient.open(backend: network, options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.engine.caughtUp()
        return (client, network)
    }

    @Test func theServerFindsMessagesThatTheCacheDoesNotHave() async throws {
        let (client, _) = try await makeEmptyClient()
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"), pageSize: 2)
        let changes = search.allChanges()
        #expect(try await search.loadMore().isEmpty && !search.hasMore)
        #expect(search.serverSearch.searchedAfter == nil && !search.serverSearch.isComplete)
        var found = try await search.searchServer()
        #expect(found.map(\.message.text) == ["umbrella 5", "umbrella 4"])
        #expect(found[0].hits.map { found[0].message.text[$0.range] } == ["umbrella"])
        #expect(search.serverSearch.searchedAfter == found[1].message.createdAt)
        #expect(!search.serverSearch.isComplete)
        found = try await search.searchServer()
        #expect(found.map(\.message.text) == ["umbrella 3", "umbrella 2"])
        found = try await search.searchServer()
        #expect(found.map(\.message.text) == ["umbrella 1"])
        #expect(search.serverSearch.isComplete && search.serverSearch.searchedAfter == nil)
        #expect(try await search.searchServer().isEmpty)
        #expect(texts(search) == (1...5).reversed().map { "umbrella \($0)" })
        search.dispose()
        var list: [FoundMessage] = []
        for await change in changes { list = change.applied(to: list) }
        #expect(list == search.messages)
        // The messages are stored, and the gaps between them stay.
        let page = try await client.search(MessageSearchParams("umbrella"))
        #expect(page.messages.count == 5 && page.unsearched.count > 0)
        await client.close()
    }

    @Test func messagesThatAreListedAlreadyAreNotRepeated() async throws {
        let (client, _) = try await makeEmptyClient()
        _ = try await client.engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"), pageSize: 2)
        // The first call lists the first page of stored messages, too.
        #expect(try await search.searchServer().isEmpty)
        #expect(texts(search) == ["umbrella 5", "umbrella 4"])
        try await search.searchServer()
        // Messages that are older than the loaded pages are listed with their page.
        #expect(texts(search) == ["umbrella 5", "umbrella 4"])
        try await search.loadMore()
        #expect(texts(search) == ["umbrella 5", "umbrella 4", "umbrella 3", "umbrella 2"])
        await client.close()
    }

    @Test func aFailedSearchOfTheServerLeavesTheListAndItsReason() async throws {
        let (client, network) = try await makeEmptyClient()
        _ = try await client.engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        try await search.loadMore()
        await client.disconnect()
        await expectError(.notConnected) { try await search.searchServer() }
        #expect(search.serverSearch.error?.code == .notConnected)
        #expect(texts(search) == ["umbrella 5", "umbrella 4", "umbrella 3"])
        try await client.connect(as: Credentials("alice"))
        #expect(try await search.searchServer().count == 2)
        #expect(search.serverSearch.error == nil && search.serverSearch.isComplete)

        let second = try client.makeMessageSearch(MessageSearchParams("umbrella"), pageSize: 1)
        try await second.searchServer()
        network.failNext(
            of: [SearchMessages.name], with: BackendError(.expired, "the cursor is too old"))
        await #expect(throws: SyncError.self) { try await second.searchServer() }
        #expect(second.serverSearch.searchedAfter == second.messages[0].message.createdAt)
        // The next call starts again at the newest message.
        #expect(try await second.searchServer().isEmpty)
        #expect(second.serverSearch.error == nil)
        await client.close()
    }

    @Test func oneSearchOfTheServerRunsAtATime() async throws {
        let (client, network) = try await makeEmptyClient()
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        network.hold([SearchMessages.name])
        let first = Task { try await search.searchServer() }
        _ = await network.held(atLeast: 1)
        await expectError(.queryInProgress) { try await search.searchServer() }
        network.stopHolding()
        #expect(try await first.value.count == 5)
        search.dispose()
        await #expect(throws: SyncError.self) { try await search.searchServer() }
        await client.close()
    }

    /// Its members could otherwise prevent the search of all channels.
    @Test func searchOfAChannelThatChangesAllTheTimeEnds() async throws {
        let (client, network) = try await makeEmptyClient()
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        network.hold([SearchMessages.name])
        let found = Task { try await search.searchServer() }
        for _ in 0..<5 {
            _ = await network.held(atLeast: 1)
            try await client.engine.repair("general")
            network.release()
        }
        #expect(try await found.value.count == 5)
        await client.close()
    }

    @Test func clearingTheCacheForgetsWhatTheServerHasSearched() async throws {
        let (client, _) = try await makeEmptyClient()
        let search = try client.makeMessageSearch(MessageSearchParams("umbrella"))
        #expect(try await search.searchServer().count == 5)
        let changes = search.allChanges()
        try await client.clearCachedData()
        if !search.messages.isEmpty {
            for await _ in changes where search.messages.isEmpty { break }
        }
        #expect(!search.serverSearch.isComplete)
        #expect(try await search.searchServer().count == 5)
        await client.close()
    }
}
