import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests the size of the cache, and what clearing removes.
@Suite struct CachedDataTests {
    enum Place: CaseIterable {
        case memory, disk
    }

    private let directory: StoreDirectory
    private let left = ["73 67".hex, "73 6b".hex, "73 6e".hex, "73 76".hex, "7a 00 00 00 00".hex]

    init() throws { directory = try StoreDirectory() }

    /// Returns a store with three channels, a user, a token and an outbox item.
    private func filled(_ place: Place = .memory) throws -> ChatStore {
        let store = try place == .memory ? ChatStore.inMemory() : directory.open()
        try store.write { batch in
            for url: ChannelURL in ["a", "b"] {
                try batch.save(GroupChannel(url: url, createdAt: 1))
                for id in 1...300 { try batch.save(Message(MessageID("\(id)"), at: 1, in: url)) }
            }
            try batch.save(OpenChannel(url: "o", createdAt: 1))
            try batch.save(Tombstone("x", in: "a", deletedAt: 1))
            try batch.markStale(StaleRange(in: "b", lossNumber: 1))
            try batch.setKeptInCache(true, for: "a")
            try batch.recordAccess(to: "b")
            try batch.save(User(id: "ann", nickname: "Ann"))
            batch.setToken([1], for: "feed")
            try batch.save(OutboxItem("hi", request: "r", in: "a"))
        }
        return store
    }

    private func expectEmpty(_ reader: some StoreReader) throws {
        #expect(try reader.channelURLs() == [] && reader.channelURLsByAccess() == [])
        #expect(try reader.groupChannelCount() == 0 && reader.openChannelCount() == 0)
        #expect(try reader.messageCount() == 0 && reader.messages(in: "a") == [])
        #expect(try reader.tombstones(in: "a") == [] && reader.staleRanges(in: "b") == [])
        #expect(try reader.channelURLsKeptInCache() == ["a"])
        #expect(try reader.user("ann") == nil && reader.tokenScopes() == [])
        #expect(try reader.gaps(in: "a") == [Gap(in: "a")])
        #expect(try reader.outboxItems().map(\.requestID) == ["r"])
    }

    @Test(arguments: Place.allCases) func clearingKeepsOnlyTheOutboxItems(place: Place)
        throws
    {
        let store = try filled(place)
        // Read these lists before clearing. Afterwards, they must not be returned from memory.
        #expect(try store.groupChannels().urls == "a b" && store.messageCount() == 600)
        let before = try store.cachedDataSize()
        let outbox = try store.outboxItems()
        let changes = try store.observe(.everything).changes
        var old: Snapshot? = try store.snapshot()
        let change = try store.clearCachedData()
        #expect(change.operations == [.clearedCachedData])
        #expect(changes.drain() == [change])
        try expectEmpty(store)
        #expect(try store.contradictions() == [])
        #expect(try store.outboxItems() == outbox)
        #expect(try old?.messageCount() == 600 && old?.messageCount(in: "a") == 300)
        old = nil
        #expect(before > 0 && !outbox.isEmpty)
        #expect(try store.outboxDataSize() > 0)
        // Besides the generation, the format of the index of kinds, the next channel number and the
        // schema version, only the mark is left that says that something was cleared.
        #expect(try store.view.committed.cache.rows().map(\.key) == left)
        if place == .memory { #expect(try store.cachedDataSize() == 31) }
        if place == .disk {
            store.close()
            try expectEmpty(try directory.open())
        }
    }

    @Test func sizeShrinksWhenNoSnapshotHoldsTheRemovedRows() throws {
        let store = try filled(.disk)
        let before = try store.cachedDataSize()
        try store.clearCachedData()
        #expect(try store.cachedDataSize() < before / 4)
        store.close()
        #expect(code { _ = try store.cachedDataSize() } == .closed)
        #expect(code { _ = try store.outboxDataSize() } == .closed)
        #expect(throws: StoreError.self) { try store.clearCachedData() }
    }

    @Test func purgedDataIsRemovedFromDisk() throws {
        let store = try ChatStore(at: directory.url)
        func size() throws -> Int {
            try directory.files("cache").reduce(0) { try $0 + Data(contentsOf: $1).count }
        }
        var random = SeededRandom(seed: 1)
        try store.write { batch in
            for id in 1...1_000 {
                let text = random.incompressibleText(words: 50)
                try batch.save(
                    Message(id: MessageID("\(id)"), channelURL: "c", text: text, createdAt: 1))
            }
        }
        try store.write { try $0.removeChannel("c") }
        #expect(try size() > 500_000)
        try store.purgeCleared()
        #expect(try size() < 50_000)
        #expect(
            try store.view.committed.cache.rows().map(\.key) == left.filter { $0 != "73 67".hex })
    }

    @Test func theSizeIsThatOfTheFilesWithoutTheDirectory() throws {
        let store = try filled(.disk)
        func size(_ name: String) throws -> Int {
            try directory.files(name).reduce(0) { total, file in
                // LevelDB may have removed the file since it was listed.
                total + ((try? Data(contentsOf: file).count) ?? 0)
            }
        }
        // LevelDB replaces files in the background for a moment.
        func isEventuallyEqual(_ name: String, _ measured: () throws -> Int) throws -> Bool {
            for _ in 0..<100_000 where try measured() == size(name) { return true }
            return false
        }
        #expect(try isEventuallyEqual("cache") { try store.cachedDataSize() })
        #expect(try isEventuallyEqual("outbox") { try store.outboxDataSize() })
    }

    @Test func theSizeOfFilesCountsLogs() throws {
        let store = try directory.open()
        let before = try store.cachedDataSize()
        let text = String(repeating: "x", count: 10_000)
        try store.write { try $0.save(Message(id: "1", channelURL: "a", text: text, createdAt: 1)) }
        #expect(try store.cachedDataSize() > before + 10_000)
    }

    @Test func damagedRowsAreClearedToo() throws {
        try filled(.disk).close()
        let rows: [KeyBytes] = [
            ByteWriter.key { $0.nameKey("a") }, ByteWriter.key { $0.table(.url, 1) },
            ByteWriter.key { $0.table(.state, 2) }, ByteWriter.key { $0.userKey("ann") },
            ByteWriter.key { $0.boundKey(.gap, 1, .end) }, [Table.message.rawValue, 0],
            [Table.name.rawValue, 0xFF], ByteWriter.key { $0.tombstoneKey(77, "orphan") },
        ]
        try directory.writeToCache(rows.map { ($0, [0xFF]) })
        let store = try directory.open()
        try store.clearCachedData()
        try expectEmpty(store)
        #expect(try store.view.committed.cache.rows().map(\.key) == left)
    }

    @Test func clearingNotifiesEachObserverExceptThatOfTheOutbox() throws {
        let store = try filled()
        let parts: [ObservedPart] = [
            .everything, .channels, .channel("a"), .channel("z"), .outboxItems,
        ]
        let observers = try parts.map { try store.observe($0).changes }
        try store.clearCachedData()
        #expect(observers.map { $0.drain().count } == [1, 1, 1, 1, 0])
    }

    @Test func aUserCanBeRemovedOnce() throws {
        let store = try filled()
        let (_, change) = try store.commit { batch in
            #expect(try batch.removeUser("ann"))
            #expect(try batch.user("ann") == nil && !batch.removeUser("ann"))
            try batch.removeUser("nobody")
        }
        #expect(change.operations == [.removedUser("ann")])
        #expect(try store.user("ann") == nil)
    }

    // MARK: Channels that did not change

    @Test func unchangedChannelIsNotReported() throws {
        let store = try ChatStore.inMemory()
        let groups = (1...100).map { GroupChannel(url: ChannelURL("g\($0)"), createdAt: 1) }
        let opens = (1...100).map { OpenChannel(url: ChannelURL("o\($0)"), createdAt: 1) }
        func sync() throws -> (change: Change, saved: Int) {
            var saved = 0
            let (_, change) = try store.commit { batch in
                for channel in groups where try batch.save(channel) { saved += 1 }
                for channel in opens where try batch.save(channel) { saved += 1 }
            }
            return (change, saved)
        }
        #expect(try sync().saved == 200)
        let (_, changes) = try store.observe(.everything)
        let again = try sync()
        #expect(again.change.isEmpty && again.change.number == 1 && again.saved == 0)
        #expect(changes.drain().isEmpty)
    }

    @Test func replacesClosureDecidesAboutTheStoredChannel() throws {
        let store = try ChatStore.inMemory()
        let old = GroupChannel(url: "a", name: "old", createdAt: 1)
        let new = GroupChannel(url: "a", name: "new", createdAt: 1)
        let open = OpenChannel(url: "a", name: "open", createdAt: 1)
        try store.write { batch in
            var isSaved = try batch.save(old) { _ in false }
            #expect(isSaved)
            isSaved = try batch.save(new) { $0 != old }
            #expect(try !isSaved && batch.groupChannel("a") == old)
            isSaved = try batch.save(new) { $0 == old }
            #expect(try isSaved && batch.groupChannel("a") == new)
            isSaved = try batch.save(open) { _ in false }
            #expect(isSaved)
            #expect(try batch.groupChannel("a") == nil && batch.openChannel("a") == open)
            #expect(try !batch.save(open))
        }
    }

    // MARK: Pins

    @Test func aChangeCanBeMadeWithoutAStore() throws {
        let made = Change(number: 1, entries: [.init(operation: .removedUser("ann"))])
        #expect(made.operations == [.removedUser("ann")] && made.entries[0].source == nil)
        let store = try ChatStore.inMemory()
        let (_, changes) = try store.observe(.everything)
        try store.write { batch in
            try batch.save(User(id: "ann", nickname: "Ann"))
            try batch.removeUser("ann")
        }
        #expect(changes.drain()[0].entries.last == made.entries[0])
    }
}
