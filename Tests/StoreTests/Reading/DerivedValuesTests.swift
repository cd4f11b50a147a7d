import Models
import Testing

@testable import Store

/// Tests which lists, counts and channels stay in memory from commit to commit.
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

    private func save(_ url: ChannelURL, at time: Timestamp) throws {
        try store.write { batch in
            try batch.save(GroupChannel(url: url, name: url.rawValue, createdAt: time))
        }
    }

    private func values(for reader: some StoreReader) throws -> DerivedValues {
        try reader.view.committed.derived.withLock { $0 }
    }

    /// Returns the numbers of the channels that are cached for a reader.
    private func kept(for reader: some StoreReader) throws -> [ChannelNumber] {
        try values(for: reader).channels.keys.sorted()
    }

    @Test func commitUpdatesTheLists() throws {
        #expect(try store.groupChannels().urls == "c b a")
        try save("d", at: 4)
        try store.write { try $0.removeChannel("b") }
        #expect(try values(for: store).lists.map(\.keys.keys.count) == [3])
        #expect(try store.groupChannels().urls == "d c a")
    }

    @Test func snapshotReadsTheListOfItsCommit() throws {
        #expect(try store.groupChannelCount() == 3)
        try save("d", at: 4)
        let old = try store.snapshot()
        try save("e", at: 5)
        #expect(try old.groupChannels().urls == "d c b a")
        #expect(try store.groupChannels().urls == "e d c b a")
    }

    @Test func commitUpdatesTheMessageCount() throws {
        try store.write { try $0.save(Message("1", at: 1, in: "a")) }
        #expect(try store.messageCount() == 1)
        let old = try store.snapshot()
        try store.write { batch in
            try batch.save(Message("2", at: 2, in: "a"))
            try batch.save(Message("3", at: 3, in: "b"))
        }
        #expect(try values(for: store).messageCount == 3)
        try store.write { try $0.clearMessages(in: "a") }
        #expect(try values(for: store).messageCount == 1)
        #expect(try old.messageCount() == 1)
    }

    @Test func ephemeralEventsDiscardNothing() throws {
        #expect(try store.groupChannels().urls == "c b a")
        #expect(try store.messageCount() == 0)
        try store.emit(.typing([], in: "a"))
        #expect(try values(for: store).lists.count == 1)
        #expect(try values(for: store).messageCount == 0)
    }

    @Test func listedChannelsAreReadOnce() throws {
        #expect(try store.groupChannels(limit: 2).urls == "c b")
        #expect(try kept(for: store) == [2, 3])
        #expect(try store.groupChannels(limit: 2).urls == "c b")
        // Only the changed channel is read again.
        try save("c", at: 9)
        #expect(try kept(for: store) == [2])
        #expect(try store.groupChannels(limit: 2).map(\.createdAt) == [9, 2])
        try store.write { try $0.removeChannel("b") }
        #expect(try kept(for: store) == [3])
        #expect(try store.groupChannels(limit: 2).urls == "c a")
        // Clearing the messages gives the channel another number.
        try store.write { try $0.clearMessages(in: "a") }
        #expect(try kept(for: store) == [3])
        #expect(try store.groupChannels(limit: 2).urls == "c a")
        #expect(try kept(for: store) == [3, 4])
    }

    @Test func olderSnapshotCachesItsOwnChannels() throws {
        let old = try store.snapshot()
        try save("c", at: 9)
        #expect(try old.groupChannels(limit: 1).map(\.createdAt) == [3])
        #expect(try kept(for: store) == [])
        #expect(try store.groupChannels(limit: 1).map(\.createdAt) == [9])
        #expect(try old.groupChannels(limit: 1).map(\.createdAt) == [3])
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
        let count = DerivedValues.channelLimit + 20
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

    @Test func numberOfListsIsLimited() throws {
        var query = GroupChannelListQuery()
        query.order = .metaDataValueAlphabetical
        var counts: [Int] = []
        for number in 1...9 {
            query.metaDataOrderKeyFilter = "k\(number)"
            #expect(try store.groupChannels(matching: query).urls == "c b a")
            counts.append(try values(for: store).lists.count)
        }
        #expect(counts == [1, 2, 3, 4, 5, 6, 7, 8, 1])
    }

    @Test func batchUpdatesTheListsForItsReaders() throws {
        #expect(try store.groupChannels().urls == "c b a")
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
        #expect(try store.groupChannels().urls == "d a")
    }
}
