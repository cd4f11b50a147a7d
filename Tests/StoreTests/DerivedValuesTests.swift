import Models
import Testing

@testable import Store

/// Counts how often all rows are read, and how often readers reuse the result.
@Suite struct DerivedValuesTests {
    private let store: ChatStore

    /// Creates three channels, of which c is the newest.
    init() throws {
        store = try ChatStore.inMemory()
        try store.write { batch in
            for (url, time) in [("a", 1), ("b", 2), ("c", 3)] as [(ChannelURL, Timestamp)] {
                try batch.save(GroupChannel(url: url, name: url.rawValue, createdAt: time))
            }
        }
    }

    private var readingCount: Int {
        get throws { try store.view.version.latest.readingCount }
    }

    private func save(_ url: ChannelURL, at time: Timestamp) throws {
        try store.write { batch in
            try batch.save(GroupChannel(url: url, name: url.rawValue, createdAt: time))
        }
    }

    private func query(
        _ order: GroupChannelListOrder, key: String = ""
    ) -> GroupChannelListQuery {
        var query = GroupChannelListQuery()
        query.order = order
        query.metaDataOrderKeyFilter = key
        return query
    }

    @Test func resultOfASlowReaderIsCachedForLaterReaders() throws {
        let slow = try store.snapshot()
        try save("d", at: 4)
        try store.write { try $0.removeChannel("b") }
        #expect(try slow.groupChannels().urls == "c b a")
        #expect(try store.groupChannels().urls == "d c a")
        try save("e", at: 5)
        #expect(try store.groupChannels().urls == "e d c a")
        #expect(try slow.groupChannels().urls == "c b a")
        #expect(try readingCount == 1)
    }

    @Test func resultOfASlowReaderIsUpdatedWithAllLaterCommits() throws {
        let latest = try store.view.version.latest
        let slow = try store.view.version
        let keys = try latest.reading(asOf: slow.number) { () throws(StoreError) in
            let keys = try SortedKeys(Rows(snapshot: slow.cache, overlay: nil), by: .newest)
            // More changes than are remembered while no reader computes.
            for number in 10..<700 as Range<Int64> {
                do {
                    try save("x", at: Timestamp(milliseconds: number))
                } catch {
                    Issue.record(error)
                }
            }
            latest.keep(keys, by: .newest, asOf: slow.number)
            return keys
        }
        #expect(keys.count == 3)
        #expect(try store.groupChannels().map(\.createdAt) == [699, 3, 2, 1])
        #expect(try readingCount == 1)
    }

    @Test func oldStateIsRetainedOnlyByItsSnapshot() throws {
        let old = try store.snapshot()
        for number in 10..<700 as Range<Int64> {
            try save("x", at: Timestamp(milliseconds: number))
        }
        #expect(try old.groupChannels().urls == "c b a")
        #expect(try old.groupChannels().urls == "c b a")
        #expect(try readingCount == 1)
        #expect(try store.groupChannels().urls == "x c b a")
        #expect(try old.groupChannels().urls == "c b a")
        #expect(try readingCount == 2)
    }

    @Test func snapshotKeepsTheListOfItsCommit() throws {
        #expect(try store.groupChannelCount() == 3)
        try save("d", at: 4)
        let old = try store.snapshot()
        try save("e", at: 5)
        #expect(try old.groupChannels().urls == "d c b a")
        #expect(try store.groupChannels().urls == "e d c b a")
        #expect(try readingCount == 1)
    }

    @Test func messagesAreCountedOnceByASlowReader() throws {
        try store.write { try $0.save(Message("1", at: 1, in: "a")) }
        let slow = try store.snapshot()
        try store.write { batch in
            try batch.save(Message("2", at: 2, in: "a"))
            try batch.save(Message("3", at: 3, in: "b"))
        }
        #expect(try slow.messageCount() == 1)
        #expect(try store.messageCount() == 3)
        try store.write { try $0.clearMessages(in: "a") }
        #expect(try store.messageCount() == 1)
        #expect(try slow.messageCount() == 1)
        #expect(try readingCount == 1)
    }

    @Test func ephemeralEventsCostNoReads() throws {
        #expect(try store.groupChannels().urls == "c b a")
        let slow = try store.snapshot()
        try store.emit(.typing([], in: "a"))
        #expect(try store.groupChannels().urls == "c b a")
        try save("d", at: 4)
        try store.emit(.typing([], in: "a"))
        #expect(try store.groupChannels().urls == "d c b a")
        #expect(try store.messageCount() == 0)
        #expect(try slow.groupChannels().urls == "c b a")
        // One read for the list, one for the count.
        #expect(try readingCount == 2)
    }

    /// The numbers of the given channels that are cached for a reader.
    private func kept(for reader: some StoreReader) throws -> [ChannelNumber] {
        let version = try reader.view.version
        return (1...400).filter { version.latest.channel($0, asOf: version.number) != nil }
    }

    @Test func listedChannelsAreReadOnce() throws {
        #expect(try store.groupChannels(limit: 2).urls == "c b")
        #expect(try kept(for: store) == [2, 3])
        #expect(try store.groupChannels(limit: 2).urls == "c b")
        // A changed channel is read again, the others are not.
        try save("c", at: 9)
        #expect(try kept(for: store) == [2])
        #expect(try store.groupChannels(limit: 2).map(\.createdAt) == [9, 2])
        try store.write { try $0.removeChannel("b") }
        #expect(try kept(for: store) == [3])
        #expect(try store.groupChannels(limit: 2).urls == "c a")
        // The same channel gets another number.
        try store.write { try $0.clearMessages(in: "a") }
        #expect(try kept(for: store) == [3])
        #expect(try store.groupChannels(limit: 2).urls == "c a")
        #expect(try kept(for: store) == [3, 4])
    }

    @Test func olderSnapshotDoesNotUseTheChannelCache() throws {
        let old = try store.snapshot()
        try save("c", at: 9)
        #expect(try old.groupChannels(limit: 1).map(\.createdAt) == [3])
        #expect(try kept(for: store) == [])
        #expect(try store.groupChannels(limit: 1).map(\.createdAt) == [9])
        #expect(try kept(for: old) == [])
        #expect(try old.groupChannels(limit: 1).map(\.createdAt) == [3])
    }

    @Test func batchReadsItsOwnChannels() throws {
        _ = try store.groupChannels(limit: 1)
        try store.write { batch in
            try batch.save(GroupChannel(url: "c", name: "new", createdAt: 3))
            #expect(try batch.groupChannels(limit: 1).map(\.name) == ["new"])
        }
        #expect(try store.groupChannels(limit: 1).map(\.name) == ["new"])
    }

    @Test func channelThatBecameOpenIsCachedAsOpen() throws {
        _ = try store.groupChannels(limit: 3)
        try store.write { try $0.save(OpenChannel(url: "c", createdAt: 3)) }
        #expect(try store.groupChannels(limit: 3).urls == "b a")
        #expect(try store.openChannels(limit: 3).urls == "c")
        #expect(try store.openChannels(limit: 3).urls == "c")
        #expect(try store.groupChannels(limit: 3).urls == "b a")
    }

    @Test func excludedChannelsAreNotCached() throws {
        var query = GroupChannelListQuery()
        query.channelNameContainsFilter = "b"
        #expect(try store.groupChannels(matching: query, limit: 3).urls == "b")
        #expect(try kept(for: store) == [2])
    }

    @Test func channelCacheIsLimited() throws {
        let count = DerivedValues.keptChannelLimit + 20
        try store.write { batch in
            for number in 1...count {
                let url = ChannelURL("x\(number)")
                let time = Timestamp(milliseconds: Int64(1000 - number))
                try batch.save(GroupChannel(url: url, name: url.rawValue, createdAt: time))
            }
        }
        let expected = (1...count).map { "x\($0)" }.joined(separator: " ")
        #expect(try store.groupChannels(limit: count).urls == expected)
        #expect(try kept(for: store).count == 20)
        #expect(try store.groupChannels(limit: count).urls == expected)
    }

    @Test func eightMostRecentOrdersAreKept() throws {
        let keys = (1...8).map { "k\($0)" }
        for key in keys {
            _ = try store.groupChannels(matching: query(.metaDataValueAlphabetical, key: key))
        }
        #expect(try readingCount == 8)
        // The list is kept for the time of its last use.
        try save("d", at: 4)
        _ = try store.groupChannels(matching: query(.metaDataValueAlphabetical, key: "k1"))
        _ = try store.groupChannels(matching: query(.metaDataValueAlphabetical, key: "k9"))
        #expect(try readingCount == 9)
        try save("e", at: 5)
        _ = try store.groupChannels(matching: query(.metaDataValueAlphabetical, key: "k1"))
        #expect(try readingCount == 9)
        _ = try store.groupChannels(matching: query(.metaDataValueAlphabetical, key: "k2"))
        #expect(try readingCount == 10)
    }

    @Test func batchDoesNotRereadChannelsForItsLists() throws {
        #expect(try store.groupChannels().urls == "c b a")
        #expect(try store.messageCount() == 0)
        let before = try readingCount
        try store.write { batch in
            try batch.save(Message("1", at: 1, in: "a"))
            #expect(try batch.groupChannelCount() == 3)
            #expect(try batch.messageCount() == 1)
            try batch.save(GroupChannel(url: "d", createdAt: 4))
            try batch.removeChannel("b")
            try batch.save(OpenChannel(url: "c", createdAt: 9))
            #expect(try batch.groupChannels().urls == "d a")
            #expect(try batch.openChannels().urls == "c")
            try batch.clearMessages(in: "a")
            #expect(try batch.groupChannels().urls == "d a")
            #expect(try batch.messageCount() == 0)
        }
        // The open channels were not read before.
        #expect(try readingCount == before + 1)
        #expect(try store.groupChannels().urls == "d a")
    }
}

extension ChannelSorting {
    fileprivate static let newest = ChannelSorting.group(.latestLastMessage, metaDataKey: nil)
}
