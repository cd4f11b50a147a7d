import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests that every read sees exactly one commit.
///
/// Each commit writes its number into all of its rows.
@Suite struct ThreadTests {
    private static let channels: [ChannelURL] = ["a", "b", "c"]
    private static let rowsInEach = 12

    /// Writes commit `number`.
    ///
    /// Its rows, replies, lists, gaps, tokens and outbox items all contain the number.
    private static func write(_ number: Int, to store: ChatStore) throws {
        try store.write { batch in
            let text = "\(number)"
            let time = Timestamp(milliseconds: Int64(number))
            for url in channels {
                // Old rows are removed in different ways: all at once, together with their channel,
                // or one by one.
                switch number % 12 {
                case 3: try batch.clearMessages(in: url)
                case 7: try batch.removeChannel(url)
                case 9: try batch.removeMessages(in: url)
                default: try batch.removeMessage(MessageID("new\(number - 1)"), in: url)
                }
                for row in 0..<rowsInEach - 1 {
                    var message = Message(
                        MessageID("\(row)"), at: Timestamp(milliseconds: Int64(row - 100)),
                        in: url, to: row % 2 == 0 ? "parent" : nil)
                    message.text = text
                    try batch.save(message)
                }
                var newest = Message(
                    MessageID("new\(number)"), at: time, in: url, request: "request")
                newest.text = text
                try batch.save(newest)
                var channel = GroupChannel(url: url, name: text, createdAt: 1)
                channel.lastMessage = newest
                try batch.save(channel)
                try batch.cover(url, from: .beginning, through: .end)
                let bound = Gap.Bound.position(Position(createdAt: time, messageID: "bound"))
                try batch.open(
                    Gap(in: url, from: bound, changesSince: FeedPoint(FeedCursor(text), number: 1)))
                try batch.markStale(StaleRange(in: url, to: bound, lossNumber: Int64(number)))
            }
            batch.setToken(Array(text.utf8), for: "feed")
            try batch.save(User(id: "me", nickname: text))
            try batch.save(OutboxItem(text, request: "item", in: "a"))
            try batch.save(OutboxItem(text, request: number % 2 == 0 ? "even" : "odd", in: "b"))
        }
    }

    /// Returns the commit number in each value that a reader returns.
    ///
    /// The name of the read precedes it.
    private static func numbers(_ reader: some StoreReader, _ url: ChannelURL) throws -> [String] {
        var texts = try reader.messages(in: url).map(\.text)
        texts += try reader.messages(in: url, after: .time(-95)).map(\.text)
        texts += try reader.replies(to: "parent", in: url).map(\.text)
        texts += try [reader.message("4", in: url)].compactMap { $0?.text }
        texts += try [reader.message(requestID: "request", in: url)].compactMap { $0?.text }
        texts += try [reader.groupChannel(url)].compactMap { $0?.name }
        texts += try reader.groupChannels().flatMap { [$0.name, $0.lastMessage?.text ?? "none"] }
        texts += try reader.gaps(in: url).compactMap(\.changesSince?.cursor.rawValue)
        texts += try reader.staleRanges(in: url).map { String($0.lossNumber) }
        texts += try [reader.token("feed")].compactMap { $0 }.map {
            String(decoding: $0, as: UTF8.self)
        }
        texts += try [reader.user("me")].compactMap { $0?.nickname }
        texts += try reader.outboxItems(in: "a").compactMap { $0.message?.text }
        return texts
    }

    private static let valuesInEachSnapshot =
        rowsInEach + 6 + rowsInEach / 2 + 3 + 2 * channels.count + 5

    /// A read that must see one commit.
    ///
    /// It returns the commit number of each value.
    private struct Read: Sendable {
        let name: String
        let count: Int
        let values: @Sendable (ChatStore, ChannelURL) throws -> [String]
    }

    private static let reads: [Read] = [
        Read(name: "newest page", count: 5) {
            try $0.messages(in: $1, limit: 5).map(\.text)
        },
        Read(name: "all messages", count: rowsInEach) { try $0.messages(in: $1).map(\.text) },
        Read(name: "page after", count: 5) {
            try $0.messages(in: $1, after: .time(-96), limit: 5).map(\.text)
        },
        Read(name: "around", count: 8) {
            var params = MessageListParams()
            params.replyType = .all
            params.previousResultSize = 4
            params.nextResultSize = 4
            return try $0.messages(in: $1, around: .time(-95), params: params).map(\.text)
        },
        Read(name: "replies", count: rowsInEach / 2) {
            try $0.replies(to: "parent", in: $1).map(\.text)
        },
        Read(name: "channels", count: channels.count) { store, _ in
            try store.groupChannels().map(\.name)
        },
        Read(name: "channels by last message", count: channels.count) { store, _ in
            var query = GroupChannelListQuery()
            query.order = .latestLastMessage
            return try store.groupChannels(matching: query).map { $0.lastMessage?.text ?? "none" }
        },
        Read(name: "one message", count: 1) {
            try [$0.message("4", in: $1)].compactMap { $0?.text }
        },
        Read(name: "by request", count: 1) {
            try [$0.message(requestID: "request", in: $1)].compactMap { $0?.text }
        },
        Read(name: "gaps", count: 1) {
            try $0.gaps(in: $1).map { $0.changesSince?.cursor.rawValue ?? "none" }
        },
        Read(name: "stale ranges", count: 1) {
            try $0.staleRanges(in: $1).map { "\($0.lossNumber)" }
        },
        Read(name: "count", count: 0) { (store, url) throws in
            #expect(try store.messageCount(in: url) == rowsInEach)
            #expect(try store.messageCount() == rowsInEach * channels.count)
            #expect(try store.groupChannelCount() == channels.count)
            #expect(try Set(store.channelURLs()) == Set(channels))
            return []
        },
        Read(name: "outbox", count: 1) { store, _ in
            try store.outboxItems(in: "a").compactMap { $0.message?.text }
        },
        Read(name: "snapshot", count: valuesInEachSnapshot) { store, url in
            try store.read { try numbers($0, url) }
        },
    ]

    private func readWhileWriting(_ store: ChatStore, commits: Int, threads: Int = 8) throws {
        try Self.write(1, to: store)
        let isDone = Locked(false)
        onThreads(threads + 1) { thread in
            do {
                if thread == 0 {
                    defer { isDone.withLock { $0 = true } }
                    for number in 2...commits { try Self.write(number, to: store) }
                    return
                }
                var random = SeededRandom(seed: thread)
                var last = 0
                // This snapshot is kept while later commits are made.
                var kept: (snapshot: Snapshot, values: [String])?
                while !isDone.withLock({ $0 }) {
                    let read = Self.reads[random.number(below: Self.reads.count)]
                    let url = Self.channels[random.number(below: Self.channels.count)]
                    let values = try read.values(store, url)
                    #expect(values.count == read.count, "\(read.name): \(values)")
                    #expect(Set(values).count <= 1, "\(read.name): \(values)")
                    if let number = values.first.flatMap({ Int($0) }) {
                        #expect(number >= last, "\(read.name) is older than what was read before")
                        last = number
                    }
                    if let kept, random.oneIn(3) {
                        #expect(try Self.numbers(kept.snapshot, "a") == kept.values)
                    } else if random.oneIn(3) {
                        let snapshot = try store.snapshot()
                        let values = try Self.numbers(snapshot, "a")
                        #expect(Set(values) == ["\(snapshot.number)"])
                        kept = (snapshot, values)
                    }
                }
            } catch { Issue.record(error) }
        }
        #expect(try Set(Self.numbers(store, "b")) == ["\(commits)"])
    }

    @Test func everyReadSeesAWholeCommit() throws {
        try readWhileWriting(try ChatStore.inMemory(), commits: 150)
    }

    @Test func readsOnDiskSeeWholeCommits() throws {
        let directory = ScratchDirectory()
        var options = StoreOptions()
        // The write buffer is small, so that LevelDB writes and merges tables during the test.
        options.writeBufferByteCount = 64 << 10
        let store = try ChatStore(at: directory.url, options: options)
        try readWhileWriting(store, commits: 80)
        store.close()
        let again = try ChatStore(at: directory.url)
        #expect(try Set(Self.numbers(again, "c")) == ["80"])
    }

    /// A reader of a store's current state that counts how often it is asked for the state.
    private final class Onlooker: StoreReader {
        let store: ChatStore
        private(set) var count = 0

        init(_ store: ChatStore) { self.store = store }

        var view: StoreView {
            get throws(StoreError) {
                count += 1
                return try store.view
            }
        }
    }

    @Test func eachCallReadsOneStateOfTheStore() throws {
        let store = try ChatStore.inMemory()
        try Self.write(1, to: store)
        func looks(_ body: (Onlooker) throws -> Void) throws -> Int {
            let onlooker = Onlooker(store)
            try body(onlooker)
            return onlooker.count
        }
        let position = Position(createdAt: 1, messageID: "new1")
        let calls: [(Onlooker) throws -> Void] = [
            { _ = try $0.messages(in: "a") },
            { _ = try $0.messages(in: "a", after: .oldest) },
            { _ = try $0.messages(in: "a", around: .time(-95), params: MessageListParams()) },
            { _ = try $0.message("4", in: "a") },
            { _ = try $0.message(requestID: "request", in: "a") },
            { _ = try $0.replies(to: "parent", in: "a") },
            { _ = try $0.replies(to: "parent", in: "a", after: .oldest) },
            { _ = try $0.messageCount(in: "a") },
            { _ = try $0.messageCount() },
            { _ = try $0.groupChannel("a") },
            { _ = try $0.openChannel("a") },
            { _ = try $0.groupChannels() },
            { _ = try $0.openChannels() },
            { _ = try $0.groupChannelCount() },
            { _ = try $0.openChannelCount() },
            { _ = try $0.channelURLs() },
            { _ = try $0.channelURLsByAccess() },
            { _ = try $0.isKeptInCache("a") },
            { _ = try $0.user("me") },
            { _ = try $0.gaps(in: "a") },
            { _ = try $0.gap(around: position, in: "a") },
            { _ = try $0.gaps(in: "a", from: .beginning, to: .end) },
            { _ = try $0.staleRanges(in: "a") },
            { _ = try $0.staleRanges(in: "a", from: .beginning, to: .end) },
            { _ = try $0.tombstone(of: "4", in: "a") },
            { _ = try $0.tombstones(in: "a") },
            { _ = try $0.token("feed") },
            { _ = try $0.outboxItems() },
            { _ = try $0.outboxItems(in: "a") },
            { _ = try $0.outboxItem("item") },
        ]
        for (index, call) in calls.enumerated() { #expect(try looks(call) == 1, "call \(index)") }
    }

    @Test func eachWriterSeesThePreviousCommit() throws {
        let store = try ChatStore.inMemory()
        let (_, changes) = try store.observe(.everything)
        let numbers = Locked<[Int]>([])
        onThreads(8) { thread in
            do {
                for _ in 0..<25 {
                    let (_, change) = try store.commit { batch in
                        let count = try batch.messageCount(in: "general")
                        try batch.save(
                            Message(
                                MessageID("\(count)"),
                                at: Timestamp(milliseconds: Int64(count))))
                        batch.setToken([UInt8(truncatingIfNeeded: count + 1)], for: "count")
                    }
                    numbers.withLock { $0.append(change.number) }
                }
            } catch { Issue.record(error) }
        }
        #expect(numbers.withLock { $0.sorted() } == Array(1...200))
        #expect(
            try store.messages(in: "general", after: .oldest).map(\.text)
                == (0..<200).map(String.init))
        #expect(try store.token("count") == [200])
        #expect(changes.drain().map(\.number) == Array(1...200))
    }

    @Test func concurrentFirstReadsOfAListAreComplete() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for number in 0..<50 {
                try batch.save(GroupChannel(url: ChannelURL("c\(number)"), createdAt: 1))
            }
        }
        onThreads(8) { thread in
            do {
                for round in 0..<40 {
                    if thread == 0 {
                        try store.write { batch in
                            // Each commit removes one channel and adds another.
                            try batch.removeChannel(ChannelURL("c\(round)"))
                            try batch.save(GroupChannel(url: ChannelURL("d\(round)"), createdAt: 1))
                        }
                        continue
                    }
                    var query = GroupChannelListQuery()
                    query.order = .metaDataValueAlphabetical
                    query.metaDataOrderKeyFilter = "\(round % 4)"
                    let urls = try store.groupChannels(matching: query).map(\.url)
                    #expect(urls.count == 50)
                    #expect(urls == urls.sorted())
                }
            } catch { Issue.record(error) }
        }
    }
}
