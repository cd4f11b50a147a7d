import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) @MainActor struct MessageListTests {
    private let server: EmbeddedServer
    private let client: ChatClient

    init() async throws {
        server = try EmbeddedServer.inMemory()
        try server.addUser(User(id: "bob", nickname: "Bob"))
        for url: ChannelURL in ["general", "ships"] {
            try server.createChannel(
                GroupChannelCreateParams(url.rawValue, userIDs: ["bob"], url: url), by: "alice")
        }
        client = try await Self.makeClient(of: server)
    }

    private var store: ChatStore { get throws { try client.engine.store } }

    private func texts(_ list: MessageList) -> [String] { list.rows.map(\.message.text) }

    private func wait(_ list: MessageList, for expected: [String]) async {
        while texts(list) != expected { await Task.yield() }
    }

    private struct NotSent: Error {}

    private func send(_ text: String, in url: ChannelURL = "general") async throws -> Message {
        let sending = try await client.send(NewMessage(text), in: url)
        guard case .sent(let message) = try await sending.result else { throw NotSent() }
        return message
    }

    /// Returns a stored message, with a link if its number is divisible by `step`.
    private func stored(
        _ number: Int, step: Int = 1, in url: ChannelURL = "general"
    ) -> Message {
        Message(
            id: MessageID("\(url)-\(number)"), channelURL: url,
            text: number.isMultiple(of: step) ? "www.a.de/\(number)" : "\(number)",
            createdAt: Timestamp(milliseconds: Int64(number)))
    }

    /// Stores messages as if they were the whole history of a channel.
    private func fill(_ numbers: ClosedRange<Int>, in url: ChannelURL = "general") throws {
        try store.write { batch in
            for number in numbers { try batch.save(stored(number, in: url)) }
            try batch.cover(url, from: .beginning, through: .end)
        }
    }

    /// Lets the server have messages, every `step`-th of which has a link.
    ///
    /// - Returns: A client with an empty history, whose server cannot filter by kind.
    private func serve(_ count: Int, step: Int) async throws -> ChatClient {
        server.conditions.missingCapabilities = [.kindFilter]
        let bob = server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        let texts = (1...count).map { stored($0, step: step).text }.joined(separator: " ")
        try await bob.say(texts, in: "general", ManualClock(at: 1), RequestIDs())
        let client = try await Self.makeClient(of: server)
        try client.engine.store.write { try $0.clearMessages(in: "general") }
        return client
    }

    private static func makeClient(of server: EmbeddedServer) async throws -> ChatClient {
        var options = ChatClientOptions()
        options.storage = .inMemory
        options.sync.backgroundChannels = 0
        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))
        try await client.engine.caughtUp()
        return client
    }

    // MARK: The cache

    @Test func theListFollowsNewEditedAndDeletedMessages() async throws {
        let first = try await send("https://a.de")
        let list = try client.makeMessageList(of: .link, in: "general")
        #expect(list.hasPrevious && list.rows.isEmpty)
        let changes = list.allChanges()
        #expect(try await list.start().map(\.message.text) == ["https://a.de"])
        #expect(try await list.start().isEmpty)
        var copy: [MessageList.Row] = []
        let second = try await send("plain")
        _ = try await send("http://ships.de", in: "ships")
        _ = try await client.update(second, with: .text("www.b.de"))
        await wait(list, for: ["www.b.de", "https://a.de"])
        _ = try await client.update(first, with: .text("no link"))
        await wait(list, for: ["www.b.de"])
        _ = try await client.delete(second)
        await wait(list, for: [])
        list.dispose()
        for await change in changes { copy = change.applied(to: copy) }
        #expect(copy.isEmpty)
        await expectError(.disposed) { try await list.loadPrevious() }
    }

    @Test func startReadsOnePageAndTheLastPageHasNoMore() async throws {
        try fill(1...5)
        let list = try client.makeMessageList(of: [.link, .image], in: "general", pageSize: 2)
        #expect(try await list.start().map(\.id.messageID) == ["general-5", "general-4"])
        #expect(list.hasPrevious && list.gap == nil)
        #expect(try await list.loadPrevious().count == 2 && list.hasPrevious)
        #expect(try await list.loadPrevious().map(\.id.messageID) == ["general-1"])
        #expect(!list.hasPrevious)
        #expect(try await list.loadPrevious().isEmpty)
        // A full last page is known to be the last one, too.
        let exact = try client.makeMessageList(of: .link, in: "general", pageSize: 5)
        #expect(try await exact.start().count == 5 && !exact.hasPrevious)
        #expect(try client.makeMessageList(of: .image, in: "general").kinds == .image)
    }

    @Test func messageThatIsOlderThanTheLoadedPagesIsListedWithItsPage() async throws {
        try fill(10...15)
        let list = try client.makeMessageList(of: .link, in: "general", pageSize: 2)
        try await list.start()
        try store.write { batch in
            try batch.save(stored(1))
            try batch.save(stored(20))
        }
        await wait(list, for: ["www.a.de/20", "www.a.de/15", "www.a.de/14"])
        while list.hasPrevious { try await list.loadPrevious() }
        #expect(texts(list) == [20, 15, 14, 13, 12, 11, 10, 1].map { "www.a.de/\($0)" })
    }

    @Test func allChannelsAreOneList() async throws {
        try store.write { batch in
            for number in 1...6 {
                let url: ChannelURL = number.isMultiple(of: 2) ? "general" : "ships"
                try batch.save(stored(number, in: url))
            }
            for url: ChannelURL in ["general", "ships"] {
                try batch.cover(url, from: .beginning, through: .end)
            }
        }
        let list = try client.makeMessageList(of: .link, pageSize: 4)
        #expect(try await list.start().map(\.message.createdAt) == [6, 5, 4, 3])
        #expect(list.gap == nil && list.gapIndex == nil && list.hasPrevious)
        try store.write { try $0.clearMessages(in: "ships") }
        while list.hasPrevious { try await list.loadPrevious() }
        await wait(list, for: [6, 4, 2].map { "www.a.de/\($0)" })
        #expect(!list.hasPrevious)
    }

    @Test func mentionsAreThoseOfTheUser() async throws {
        try store.write { batch in
            for (number, user) in ["alice", "bob", "carol"].enumerated() {
                var message = stored(number + 1)
                message.mentionedUserIDs = [UserID(user)]
                try batch.save(message)
            }
            var message = stored(9)
            message.mentionType = .channel
            try batch.save(message)
        }
        let list = try client.makeMessageList(of: .mention)
        #expect(try await list.start().map(\.message.createdAt) == [9, 1])
    }

    /// Scrolls from the newest to the oldest message while others arrive, change and go.
    @Test(arguments: Seeds.few) func scrollingNeitherOmitsNorRepeatsARow(seed: Int) async throws {
        var random = SeededRandom(seed: seed)
        try fill(1...400)
        let list = try client.makeMessageList(of: .link, in: "general", pageSize: 17)
        let changes = list.allChanges()
        try await list.start()
        var next = 401
        while list.hasPrevious {
            try store.write { batch in
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let number = Int.random(in: 1..<next, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try batch.removeMessage("general-\(number)", in: "general")
                    case 1: try batch.save(stored(number, step: next))
                    case 2: try batch.save(stored(number))
                    default:
                        try batch.save(stored(next))
                        next += 1
                    }
                }
                if random.oneIn(20) { try batch.evictOldestMessages(3, in: "general") }
                try batch.cover("general", from: .beginning, through: .end)
            }
            let before = Set(list.rows.map(\.id))
            let page = try await list.loadPrevious()
            #expect(before.isDisjoint(with: page.map(\.id)))
        }
        let expected = try store.messages(in: "general").filter { $0.kinds == .link }
        while list.rows.map(\.message) != expected { await Task.yield() }
        list.dispose()
        var copy: [MessageList.Row] = []
        for await change in changes { copy = change.applied(to: copy) }
        #expect(copy == list.rows)
    }

    // MARK: The rest of the history

    @Test func missingHistoryIsFetchedUntilItIsComplete() async throws {
        let client = try await serve(450, step: 150)
        let list = try client.makeMessageList(of: .link, in: "general", pageSize: 10)
        var pages = [try await list.start().map(\.message.text)]
        while list.hasPrevious {
            let upper = list.gap?.upper
            pages.append(try await list.loadPrevious().map(\.message.text))
            // Each load has listed rows or has moved the gap.
            #expect(pages.last?.isEmpty == false || list.gap?.upper != upper)
        }
        await wait(list, for: [450, 300, 150].map { "www.a.de/\($0)" })
        #expect(list.gap == nil && Set(texts(list)).isSuperset(of: pages.flatMap(\.self)))
        #expect(pages.flatMap(\.self).contains("www.a.de/150"))
        await client.close()
    }

    @Test func loadThatFindsNothingSaysHowFarItHasLooked() async throws {
        let client = try await serve(1_600, step: 2_000)
        let list = try client.makeMessageList(of: .link, in: "general")
        try await list.start()
        var loads = 0
        while list.hasPrevious {
            let upper = list.gap?.upper
            #expect(try await list.loadPrevious().isEmpty)
            #expect(list.gap?.upper != upper)
            loads += 1
        }
        #expect(loads >= 2 && list.gap == nil)
        await client.close()
    }

    @Test func backgroundLoadStopsAtTheCountOrAtTheEnd() async throws {
        let client = try await serve(450, step: 10)
        let list = try client.makeMessageList(of: .link, in: "general", pageSize: 5)
        try await list.loadPrevious(upTo: 12)
        #expect((12..<45).contains(list.rows.count) && list.hasPrevious)
        let loaded = list.rows
        try await list.loadPrevious(upTo: 12)
        #expect(list.rows == loaded)
        try await list.loadPrevious(upTo: .max)
        #expect(list.rows.count == 45 && !list.hasPrevious)
        await client.close()
    }

    @Test func withoutAConnectionTheGapStays() async throws {
        let client = try await serve(3, step: 1)
        await client.disconnect()
        let list = try client.makeMessageList(of: .link, in: "general")
        try await list.start()
        await expectError(.notConnected) { try await list.loadPrevious() }
        #expect(list.hasPrevious && list.gap != nil)
        await client.close()
    }

    @Test func pinnedMessagesAreFetchedIfTheCacheLacksThem() async throws {
        let late = try await serve(3, step: 1)
        let ids = try await late.engine.fetchMessages(
            in: "general", at: .newest, older: 3, newer: 0
        )
        .page.messages.compactMap(\.messageID)
        for id in [ids[0], ids[2]] { try await client.pinMessage(id, in: "general") }
        let store = try client.engine.store
        while try store.groupChannel("general")?.pinnedMessageIDs.count != 2 { await Task.yield() }
        try store.write { try $0.removeMessage(ids[2], in: "general") }
        await client.disconnect()
        var pinned = try await client.pinnedMessages(in: "general")
        #expect(pinned.messages.map(\.messageID) == [ids[0]] && pinned.missingIDs == [ids[2]])
        try await client.connect(as: Credentials("alice"))
        pinned = try await client.pinnedMessages(in: "general")
        #expect(pinned.messages.map(\.messageID) == [ids[0], ids[2]] && pinned.missingIDs == [])
        #expect(try await client.pinnedMessages(in: "ships").messages == [])
        await late.close()
    }

    @Test func gapIsShownBetweenTheRowsOnBothSides() async throws {
        try fill(1...6)
        let bounds = try store.messages(in: "general").compactMap(\.position)
        try store.write { batch in
            try batch.open(
                Gap(in: "general", from: .position(bounds[3]), to: .position(bounds[2])))
        }
        let list = try client.makeMessageList(of: .link, in: "general", pageSize: 2)
        try await list.start()
        #expect(list.gap?.upper == .position(bounds[2]))
        // The gap is older than the first page.
        #expect(list.gapIndex == nil)
        try await list.loadPrevious()
        #expect(list.rows.count == 4 && list.gapIndex == 3)
        try store.write { try $0.cover("general", from: .beginning, through: .end) }
        while list.gap != nil { await Task.yield() }
        #expect(list.gapIndex == nil)
    }

    @Test func clearedChannelIsAGap() async throws {
        try fill(1...3)
        let list = try client.makeMessageList(of: .link, in: "general")
        try await list.start()
        #expect(list.rows.count == 3 && !list.hasPrevious)
        try store.write { try $0.clearMessages(in: "general") }
        await wait(list, for: [])
        #expect(list.gap == Gap(in: "general") && list.hasPrevious)
        try fill(1...2)
        await wait(list, for: [2, 1].map { "www.a.de/\($0)" })
        try store.write { try $0.removeChannel("general") }
        await wait(list, for: [])
        #expect(list.gap == Gap(in: "general"))
    }

    @Test func droppedChangesAreReadAgain() async throws {
        try fill(1...3)
        let list = try client.makeMessageList(of: .link, in: "general", pageSize: 10)
        try await list.start()
        // This many changes exceed the buffer, because the main actor does not run in between.
        for number in 4...ObservedChanges.defaultLimit + 10 {
            try store.write { try $0.save(stored(number)) }
        }
        try store.write { try $0.removeMessage("general-1", in: "general") }
        while list.rows.last?.id.messageID != "general-2" || list.rows.count < 10 {
            if list.hasPrevious { _ = try? await list.loadPrevious() }
            await Task.yield()
        }
        #expect(list.rows.map(\.message) == (try store.messages(in: "general")))
    }

    @Test func serversListOfMentionsIsReadBeforeTheChannels() async throws {
        let bob = server.client()
        _ = try await bob.connect(as: Credentials("bob"))
        var sent: [MessageID?] = []
        for number in 1...6 {
            for mentioned: UserID in ["alice", "bob"] {
                var item = OutboxItem.sample(
                    "\(number)", in: number.isMultiple(of: 2) ? "general" : "ships",
                    requestID: RequestID("\(number) \(mentioned)"))
                item.message?.newMessage?.mentionedUserIDs = [mentioned]
                let id = try await bob.send(item).messageID
                if mentioned == "alice" { sent.append(id) }
            }
        }
        let client = try await Self.makeClient(of: server)
        try client.engine.store.write { batch in
            for url: ChannelURL in ["general", "ships"] { try batch.clearMessages(in: url) }
        }
        let list = try client.makeMessageList(of: .mention, pageSize: 4)
        #expect(try await list.start().isEmpty && list.hasPrevious)
        var pages: [[MessageID?]] = []
        while list.rows.count < 6 {
            pages.append(try await list.loadPrevious().map(\.message.messageID))
        }
        #expect(pages == [Array(sent.reversed().prefix(4)), Array(sent.reversed().suffix(2))])
        // The list of the server covers no history: the channels have the same gaps.
        #expect(try client.engine.store.gaps(in: "general") == [Gap(in: "general")])
        while list.hasPrevious { try await list.loadPrevious() }
        #expect(list.rows.map(\.message.messageID) == sent.reversed())
        await client.close()
    }

    // MARK: Searches without words

    @Test func searchWithoutWordsListsTheMessagesThatPassTheFilters() async throws {
        try store.write { batch in
            for number in 1...6 { try batch.save(stored(number, step: 2)) }
            try batch.save(stored(8, in: "ships"))
        }
        var params = MessageSearchParams(" ")
        #expect(try await client.search(params).messages.isEmpty)
        params.channelURLs = ["general"]
        #expect(try await client.search(params).messages.isEmpty)
        params.kinds = [.link, .image]
        let search = try client.makeMessageSearch(params, pageSize: 2)
        #expect(try await search.loadMore().map(\.message.createdAt) == [6, 4])
        #expect(try await search.loadMore().map(\.message.createdAt) == [2])
        try store.write { try $0.save(stored(10, step: 2)) }
        while search.messages.count < 4 { await Task.yield() }
        try store.write { try $0.save(stored(9, step: 2)) }
        #expect(search.messages.map(\.message.createdAt) == [10, 6, 4, 2])
        #expect(search.messages.map(\.hits.count) == [0, 0, 0, 0])
        // Filters that have no index.
        params.channelURLs = []
        params.kinds = []
        params.customTypes = [""]
        let times = try await client.search(params).messages.map(\.message.createdAt)
        #expect(times == [10, 9, 8, 6, 5, 4, 3, 2, 1])
        // The kinds are stored by name.
        params.kinds = [.link]
        let json = try JSONEncoder().encode(params)
        #expect(String(decoding: json, as: UTF8.self).contains("\"kinds\":[\"link\"]"))
        #expect(try JSONDecoder().decode(MessageSearchParams.self, from: json) == params)
    }

    // MARK: Counts and sections

    @Test func countSaysWhetherItIsComplete() async throws {
        try fill(1...3)
        var count = try await client.messageCount(of: .link, in: "general")
        #expect(count.count == 3 && count.isComplete)
        count = try await client.messageCount(of: [.image, .mention], in: "general")
        #expect(count.count == 0 && count.isComplete)
        // The history of the other channel is not stored.
        #expect(try await !client.messageCount(of: .link).isComplete)
        try store.write { batch in
            try batch.open(
                Gap(in: "general", to: .position(Position(createdAt: 1, messageID: "a"))))
        }
        #expect(try await !client.messageCount(of: .link, in: "general").isComplete)
        #expect(try await !client.messageCount(of: .link, in: "unknown").isComplete)
    }

    @Test func rowsAreGroupedByDayAndMonth() async throws {
        let days = [0, 1, 1, 20, 40]
        try store.write { batch in
            for (number, day) in days.enumerated() {
                var message = stored(number + 1)
                message.createdAt = Timestamp(milliseconds: Int64(day) * 86_400_000 + Int64(number))
                try batch.save(message)
            }
        }
        let list = try client.makeMessageList(of: .link, in: "general")
        try await list.start()
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        let byDay = list.sections(by: .day, in: calendar)
        #expect(byDay.map(\.rows.count) == [1, 1, 2, 1] && byDay.flatMap(\.rows) == list.rows)
        #expect(byDay.last?.id == Date(timeIntervalSince1970: 0))
        let byMonth = list.sections(by: .month, in: calendar)
        #expect(byMonth.map(\.rows.count) == [1, 4])
        #expect(byMonth[1].period.start == Date(timeIntervalSince1970: 0))
        // An hour to the west, midnight belongs to the day before.
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: -3600))
        #expect(list.sections(by: .month, in: calendar).map(\.rows.count) == [1, 3, 1])
    }
}
