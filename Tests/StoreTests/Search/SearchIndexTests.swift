import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Compares searches in the index with a search through a list of all messages, after each step of
/// random histories.
@Suite struct SearchIndexTests {
    private static let words = [
        "umbrella", "Umbra", "kitchen", "snake_case", "雨傘", "camelCase", "rain", "the", "in", "a",
        "don't", "Straße", "👍🏽", String(repeating: "longword", count: 8),
    ]
    private static let queries = [
        "um", "umbrella ", "umbrella kitchen ", "\"umbrella kitchen\"", "case ", "rain -um",
        "umbrella -rain", "雨", "傘 k", "snake_case rain", "\"the rain in\"", "strasse", "👍", "dont ",
        "the ", "the a ", String(repeating: "longword", count: 8), "longword", "\"in the",
    ]

    /// A store, and the messages that it should contain.
    private final class World {
        let directory: StoreDirectory
        var store: ChatStore
        var messages: [String: Message] = [:]
        var random: SeededRandom
        var time: Int64 = 0

        init(seed: Int) throws {
            directory = try StoreDirectory()
            random = SeededRandom(seed: seed)
            store = try World.open(directory, isIndexed: true)
        }

        static func open(_ directory: StoreDirectory, isIndexed: Bool) throws -> ChatStore {
            try ChatStore(at: directory.url, options: .searchIndexed(isIndexed))
        }

        func reopen(isIndexed: Bool = true) throws {
            store.close()
            store = try World.open(directory, isIndexed: isIndexed)
        }

        private func text() -> String {
            (0..<1 + random.number(below: 12)).map { _ in random.pick(SearchIndexTests.words) }
                .joined(separator: " ")
        }

        func save(_ batch: Batch, _ url: ChannelURL, _ id: Int) throws {
            // Several messages have the same time, even in different channels.
            var message = Message(
                MessageID("\(id)"), at: Timestamp(milliseconds: Int64(id / 3)), in: url)
            message.text = text()
            try batch.save(message)
            messages["\(url) \(id)"] = message
        }

        func step() throws {
            let url = ChannelURL(random.pick(["a", "b", "c"]))
            switch random.number(below: 12) {
            case 0:
                try store.write { try $0.clearMessages(in: url) }
                messages = messages.filter { $0.value.channelURL != url }
            case 1:
                let count = random.number(below: 60)
                try store.write { _ = try $0.evictOldestMessages(count, in: url) }
                let kept = try store.messages(in: url, before: .newest)
                let ids = Set(kept.compactMap(\.messageID))
                messages = messages.filter {
                    $0.value.channelURL != url || ids.contains($0.value.messageID ?? "")
                }
            case 2: try reopen()
            case 3: try store.purgeCleared()
            case 4: try store.indexMessages(atMost: 1 + random.number(below: 100))
            case 5 where random.oneIn(4): try store.rebuildSearchIndex()
            case 6 where random.oneIn(4):
                try reopen(isIndexed: false)
                try write(url, count: 5)
                #expect(try store.searchIndexStatus() == nil)
                try reopen()
            case 7 where random.oneIn(4):
                try store.clearCachedData()
                messages = [:]
            default: try write(url, count: random.oneIn(3) ? 200 : 6)
            }
        }

        private func write(_ url: ChannelURL, count: Int) throws {
            try store.write { batch in
                for _ in 0..<count {
                    let id = random.number(below: 600)
                    if random.oneIn(4) {
                        try batch.removeMessage(MessageID("\(id)"), in: url)
                        messages["\(url) \(id)"] = nil
                    } else {
                        try save(batch, url, id)
                    }
                }
            }
        }

        /// Compares all pages of a random query with a search through a list of all messages.
        func check(_ text: String) throws {
            var params = MessageSearchParams(text)
            if random.oneIn(4) { params.channelURLs = ["a", "unknown"] }
            if random.oneIn(4) { params.since = Timestamp(milliseconds: 50) }
            if random.oneIn(4) { params.until = Timestamp(milliseconds: 150) }
            let query = SearchQuery(text)
            let expected = messages.values.filter {
                params.includes($0) && query.hits(in: $0) != nil
            }
            .sorted {
                guard let left = $0.position, let right = $1.position else { return false }
                return left == right
                    ? $0.channelURL.rawValue < $1.channelURL.rawValue : left > right
            }
            let limit = 1 + random.number(below: 50)
            var found: [FoundMessage] = []
            while true {
                let page = try store.searchMessages(
                    params, after: found.last?.cursor, limit: limit)
                found += page
                if page.count < limit { break }
            }
            #expect(found.map(\.message) == expected, "\(text)")
            #expect(found.map(\.hits) == expected.map { query.hits(in: $0) }, "\(text)")
            #expect(store.cacheDamage == nil)
        }
    }

    @Test(arguments: Seeds.count(2, atNight: 100)) func pagesAgreeWithAListOfAllMessages(seed: Int)
        throws
    {
        let world = try World(seed: seed)
        for _ in 0..<40 {
            try world.step()
            try world.check(world.random.pick(SearchIndexTests.queries))
        }
        while try world.store.indexMessages() {}
        for query in SearchIndexTests.queries { try world.check(query) }
        #expect(try world.store.check() == [])
        #expect(try world.store.searchIndexStatus()?.fractionCompleted == 1)
    }

    // MARK: An existing cache

    private func fill(_ store: ChatStore, _ range: Range<Int>, _ text: String = "umbrella") throws {
        try store.write { batch in
            for id in range {
                var message = Message(
                    MessageID("\(id)"), at: Timestamp(milliseconds: Int64(id)), in: "general")
                message.text = "\(text) \(id)"
                try batch.save(message)
            }
        }
    }

    private func find(_ text: String, in store: ChatStore, limit: Int = 10) throws -> String {
        try store.searchMessages(MessageSearchParams(text), limit: limit).map(\.message).ids
    }

    @Test func messagesOfBeforeTheIndexAreIndexedInStepsThatContinueAfterReopening() throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: false)
        try fill(store, 0..<1000)
        #expect(try store.indexMessages() == false)
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(try store.searchIndexStatus()?.fractionCompleted == 0)
        #expect(try find("umbrella 777 ", in: store) == "777")
        #expect(try store.indexMessages(atMost: 600))
        #expect(try store.searchIndexStatus()?.documentCount == 600)
        // A message that arrives while the index is being built is also found.
        try fill(store, 1000..<1001)
        #expect(try find("umbrella", in: store, limit: 2) == "1000 999")
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(try store.indexMessages(atMost: 600) == false)
        let status = try #require(try store.searchIndexStatus())
        #expect(status.fractionCompleted == 1)
        #expect(status.documentCount + status.unsegmentedCount == 1001)
        #expect(try find("umbrella 777 ", in: store) == "777")
        #expect(try store.check() == [])
    }

    @Test func progressCountsTheIndexedMessages() throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: false)
        try store.write { batch in
            for (url, count) in [("a", 30), ("b", 70)] as [(ChannelURL, Int)] {
                for id in 0..<count {
                    try batch.save(Message("\(id)", at: 1, in: url))
                }
            }
        }
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(try store.searchIndexStatus()?.fractionCompleted == 0)
        #expect(try store.indexMessages(atMost: 40))
        #expect(try store.searchIndexStatus()?.fractionCompleted == 0.4)
        // A damaged cache would be replaced.
        #expect(store.cacheDamage == nil)
    }

    @Test func turningTheIndexOffRemovesAllOfItsRows() throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: true)
        try fill(store, 0..<1000)
        try fill(store, 1000..<1005)
        store.close()
        store = try World.open(directory, isIndexed: false)
        let rows = try Table.ofIndex.map {
            try store.describedRows(of: .cache, table: $0.name).count
        }
        #expect(rows == [0, 0, 0, 0])
        #expect(try store.searchIndexStatus() == nil)
        #expect(try find("umbrella", in: store, limit: 2) == "1004 1003")
        #expect(try store.check() == [])
    }

    // MARK: Unsegmented messages

    @Test func unsegmentedMessagesAreFoundAfterReopeningBeforeAndAfterAWrite() throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: true)
        try fill(store, 0..<20)
        try fill(store, 20..<30)
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(try find("umbrella", in: store, limit: 3) == "29 28 27")
        store.close()
        store = try World.open(directory, isIndexed: true)
        try fill(store, 30..<31)
        #expect(try find("umbrella", in: store, limit: 3) == "30 29 28")
        try fill(store, 31..<150)
        #expect(try store.searchIndexStatus()?.documentCount == 150)
        #expect(try store.searchIndexStatus()?.unsegmentedCount == 0)
        #expect(try find("umbrella 25 ", in: store) == "25")
        #expect(try store.check() == [])
    }

    @Test func aSnapshotIsSearchedWithItsOwnUnsegmentedMessages() throws {
        let directory = try StoreDirectory()
        let store = try World.open(directory, isIndexed: true)
        try fill(store, 0..<10)
        let snapshot = try store.snapshot()
        try fill(store, 0..<5, "kitchen")
        try fill(store, 10..<12)
        func find(_ text: String) throws -> String {
            try snapshot.searchMessages(MessageSearchParams(text), limit: 10).map(\.message).ids
        }
        #expect(try find("umbrella") == "9 8 7 6 5 4 3 2 1 0")
        #expect(try find("kitchen") == "")
        try fill(store, 12..<300)
        #expect(try store.searchIndexStatus()?.segmentCount == 2)
        #expect(try find("umbrella") == "9 8 7 6 5 4 3 2 1 0")
        #expect(try self.find("kitchen", in: store) == "4 3 2 1 0")
    }

    @Test func aFilterContainsItsTermsAndFewOthers() {
        func hashes(_ range: Range<Int>) -> [UInt64] {
            range.map { Array("term\($0)".utf8).withUnsafeBufferPointer { TermFilter.hash($0) } }
        }
        let filter = TermFilter(hashes(0..<1000))
        #expect(hashes(0..<1000).allSatisfy(filter.mayContain))
        #expect(hashes(1000..<11_000).filter(filter.mayContain).count < 200)
    }

    /// A search reads a large segment in portions: the newest 2,048 documents, then 8,192.
    @Test func wordsAreFoundInEachPortionOfASegment() throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: false)
        try fill(store, 0..<11_000)
        store.close()
        store = try World.open(directory, isIndexed: true)
        while try store.indexMessages(atMost: 11_000) {}
        #expect(try store.searchIndexStatus()?.segmentCount == 1)
        for index in [0, 2047, 2048, 2049, 4000, 10_239, 10_240, 10_999] {
            let id = "\(10_999 - index)"
            #expect(try find("umbrella \(id) ", in: store) == id)
        }
    }

    // MARK: Merging

    @Test func segmentsAreMergedByTheWritesThatFollow() throws {
        let store = try ChatStore.inMemory(options: .searchIndexed())
        for start in stride(from: 0, to: 20_000, by: 100) { try fill(store, start..<start + 100) }
        let status = try #require(try store.searchIndexStatus())
        #expect(status.segmentCount < 30)
        #expect(status.documentCount + status.unsegmentedCount == 20_000)
        #expect(try find("umbrella 12345 ", in: store) == "12345")
        #expect(try find("umbrella", in: store, limit: 3) == "19999 19998 19997")
        #expect(try store.check() == [])
    }

    @Test func anIndexOfEvictedMessagesDoesNotGrow() throws {
        let store = try ChatStore.inMemory(options: .searchIndexed())
        for start in stride(from: 0, to: 12_000, by: 200) {
            try fill(store, start..<start + 200)
            try store.write {
                _ = try $0.evictOldestMessages(start == 0 ? 0 : 200, in: "general")
            }
        }
        #expect(try store.messageCount() == 200)
        let status = try #require(try store.searchIndexStatus())
        #expect(status.documentCount < 6_000)
        #expect(try find("umbrella", in: store, limit: 2) == "11999 11998")
        while try store.indexMessages() {}
        #expect(try store.check() == [])
    }

    // MARK: Damage

    /// Replaces the value of a row of the index.
    private func damage(_ store: ChatStore, _ table: Table, _ value: [UInt8]) throws {
        let row = try #require(try store.describedRows(of: .cache, table: table.name).first)
        let overlay = Overlay()
        overlay.put({ $0.raw(row.key) }, { $0.raw(value) })
        try store.cache.write(overlay, isDurable: false)
        try store.write { try $0.save(User(id: "x")) }
    }

    private static let damagedValues: [[UInt8]] = [[], [0xFF], [0, 1, 0x30, 1, 0xFF]]

    /// The engine replaces a cache with such damage.
    @Test(arguments: [Table.documents, .terms], damagedValues)
    func damagedRowsAreDamageOfTheCache(_ table: Table, _ value: [UInt8]) throws {
        let store = try ChatStore.inMemory(options: .searchIndexed())
        try fill(store, 0..<1000)
        try damage(store, table, value)
        #expect(try store.check().map(\.kind).contains(.searchIndex))
        // The messages themselves are not damaged, so they are still found.
        #expect(try find("0 ", in: store) == "0")
        #expect(try find("umbrella 777 ", in: store) == "777")
        let damage = try #require(store.cacheDamage)
        #expect(damage.code == .corruption)
        // Until then, the store can be written.
        try fill(store, 1000..<1010)
        #expect(try find("umbrella 1005 ", in: store) == "1005")
        try store.replaceCache(reason: damage, at: 0, isRequested: true)
        try fill(store, 0..<10)
        while try store.indexMessages() {}
        #expect(try find("umbrella 7 ", in: store) == "7")
        #expect(try store.check() == [])
    }

    @Test(arguments: [Table.segment, .unsegmented], damagedValues)
    func cacheWithDamagedRowsThatAreReadAtOpeningIsReplaced(
        _ table: Table, _ value: [UInt8]
    ) throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: true)
        try fill(store, 0..<300)
        try fill(store, 300..<305)
        try damage(store, table, value)
        #expect(try store.check().map(\.kind).contains(.searchIndex))
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(store.openingReport.replacedCache?.code == .corruption)
        #expect(try store.messageCount() == 0)
        #expect(try store.searchIndexStatus()?.documentCount == 0)
        #expect(try store.check() == [])
    }

    /// A row with a great number, as any program can write it into a plain store.
    @Test(arguments: [0xFFFF_FFFF, 0xFFFF_FFFE, 0x7FFF_FFFF] as [UInt32])
    func cacheWithARowOfAGreatNumberIsReplaced(number: UInt32) throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: true)
        try fill(store, 0..<5)
        let overlay = Overlay()
        overlay.put(
            { $0.unsegmentedKey(number) }, { DocumentRow.write([][...], to: &$0) })
        try store.cache.write(overlay, isDurable: false)
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(store.openingReport.replacedCache?.code == .corruption)
        try fill(store, 0..<5)
        #expect(try find("umbrella 3 ", in: store) == "3")
    }

    /// The rules that divide texts into words may change with the format.
    @Test(arguments: [SearchIndex.format - 1, 99])
    func cacheWithAnIndexOfAnotherFormatIsReplaced(format: UInt8) throws {
        let directory = try StoreDirectory()
        var store = try World.open(directory, isIndexed: true)
        try fill(store, 0..<300)
        let overlay = Overlay()
        overlay.put({ $0.schemaKey(.searchIndex) }, { $0.raw([format, 1]) })
        try store.cache.write(overlay, isDurable: false)
        store.close()
        store = try World.open(directory, isIndexed: true)
        #expect(store.openingReport.isCacheNew && store.openingReport.replacedCache == nil)
        #expect(try store.messageCount() == 0)
        #expect(try store.check() == [])
    }

    @Test func messagesOfAChannelWithADamagedURLAreFound() throws {
        let store = try ChatStore.inMemory(options: .searchIndexed())
        try fill(store, 0..<1000)
        try damage(store, .url, [0xFF])
        #expect(try find("umbrella 777 ", in: store) == "777")
    }
}
