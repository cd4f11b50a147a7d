import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

struct Bookmark: Codable, Hashable {
    var note: String
    var color: Int?
}

typealias BookmarkKey = Pair<ChannelURL, Timestamp>

extension StoreRows where Value == Bookmark, Key == BookmarkKey {
    /// The rows as `channel/time note`.
    var picture: String {
        map { "\($0.key.first)/\($0.key.second.milliseconds) \($0.value.note)" }
            .joined(separator: ", ")
    }
}

/// Tests tables of the app's own.
@Suite struct TableTests {
    private let bookmarks = StoreTable<BookmarkKey, Bookmark>("bookmarks")
    private let cached = StoreTable<BookmarkKey, Bookmark>("translations", home: .cached)

    private func table(_ home: StoreTableHome) -> StoreTable<BookmarkKey, Bookmark> {
        home == .kept ? bookmarks : cached
    }

    private func fill(_ store: ChatStore, _ table: StoreTable<BookmarkKey, Bookmark>) throws {
        try store.write { batch in
            for (url, time) in [("b", 3), ("a", 2), ("a", -1), ("b", 1), ("a\0", 0)] {
                try batch.put(
                    Bookmark(note: "\(time)"),
                    for: Pair(ChannelURL(url), Timestamp(milliseconds: Int64(time))), in: table)
            }
        }
    }

    // MARK: Reading

    @Test(arguments: StoreTableHome.allCases)
    func rowsAreReadByKeyByRangeAndByPage(home: StoreTableHome) throws {
        let store = try ChatStore.inMemory()
        let table = table(home)
        #expect(try store.value(for: Pair("a", 2), in: table) == nil)
        #expect(try store.first(in: table) == nil && store.count(in: table) == 0)
        try fill(store, table)
        #expect(try store.value(for: Pair("a", 2), in: table) == Bookmark(note: "2"))
        #expect(try store.contains(Pair("b", 1), in: table))
        #expect(try !store.contains(Pair("b", 2), in: table))
        #expect(
            try store.values(in: table).picture == "a/-1 -1, a/2 2, a\0/0 0, b/1 1, b/3 3")
        #expect(try store.values(in: table, isDescending: true, limit: 2).picture == "b/3 3, b/1 1")
        #expect(try store.values(in: table, from: Pair("a", 0)).count == 4)
        #expect(
            try store.values(in: table, from: Pair("a", 2), to: Pair("b", 3)).picture
                == "a/2 2, a\0/0 0, b/1 1")
        #expect(try store.values(in: table, from: Pair("b", 0), to: Pair("a", 0)).isEmpty)
        let ofA = StoreKeyRange<BookmarkKey>.beginning(with: "a")
        #expect(try store.values(in: table, within: ofA).picture == "a/-1 -1, a/2 2")
        #expect(try store.count(in: table, within: ofA) == 2 && store.count(in: table) == 5)
        #expect(try store.first(in: table, within: ofA)?.value.note == "-1")
        #expect(try store.last(in: table, within: ofA)?.value.note == "2")
        #expect(try store.last(in: table)?.key == Pair("b", 3))
        for isDescending in [false, true] {
            var pages: [String] = []
            var last: BookmarkKey?
            while true {
                let page = try store.values(
                    in: table, within: .all, after: last, isDescending: isDescending, limit: 2)
                if page.isEmpty { break }
                pages.append(page.picture)
                last = page.last?.key
            }
            #expect(
                pages
                    == (isDescending
                        ? ["b/3 3, b/1 1", "a\0/0 0, a/2 2", "a/-1 -1"]
                        : ["a/-1 -1, a/2 2", "a\0/0 0, b/1 1", "b/3 3"]))
        }
        #expect(try store.check() == [])
    }

    @Test func textPrefixesAreRanges() throws {
        let store = try ChatStore.inMemory()
        let table = StoreTable<String, Int>("paths")
        let texts = ["", "a", "a/", "a/b", "a/\0", "a0", "é"]
        try store.write { batch in
            for (index, text) in texts.enumerated() { try batch.put(index, for: text, in: table) }
        }
        let found = try store.values(in: table, within: .beginning(with: "a/"))
        #expect(found.map(\.key) == ["a/", "a/\0", "a/b"])
        #expect(try store.count(in: table, within: .beginning(with: "")) == texts.count)
        let triples = StoreTable<Pair<String, Pair<Int, Bool>>, Int>("triples")
        try store.write { batch in
            for number in 0..<4 {
                let key = Pair("t", Pair(number / 2, number % 2 == 1))
                try batch.put(number, for: key, in: triples)
            }
        }
        #expect(
            try store.values(in: triples, within: .beginning(with: "t", 1)).map(\.value) == [2, 3])
        #expect(try store.count(in: triples, within: .beginning(with: "t")) == 4)
    }

    @Test func dataAndRecordsAreStoredAsTheirBytes() throws {
        let store = try ChatStore.inMemory()
        let blobs = StoreTable<Data, Data>("blobs")
        let users = StoreTable<UserID, User>("users")
        let user = User(id: "alice", nickname: "Alice")
        try store.write { batch in
            try batch.put(Data(), for: Data(), in: blobs)
            try batch.put(Data([0, 255]), for: Data([0]), in: blobs)
            try batch.put(user, for: "alice", in: users)
        }
        #expect(try store.values(in: blobs).map(\.value) == [Data(), Data([0, 255])])
        #expect(try store.value(for: "alice", in: users) == user)
        let row = try store.view.outbox.withValue(of: users.bytes(of: "alice")) {
            $0.map(Array.init)
        }
        #expect(row == [1] + user.serializedBytes)
    }

    @Test func batchesAndSnapshotsReadTheirOwnRows() throws {
        let store = try ChatStore.inMemory()
        try fill(store, bookmarks)
        let snapshot = try store.snapshot()
        struct Undo: Error {}
        #expect(throws: Undo.self) {
            try store.write { batch in
                try batch.removeValues(in: bookmarks, within: .beginning(with: "a"))
                try batch.put(Bookmark(note: "new"), for: Pair("c", 9), in: bookmarks)
                #expect(
                    try batch.values(in: bookmarks).picture == "a\0/0 0, b/1 1, b/3 3, c/9 new")
                #expect(try !batch.removeValue(for: Pair("a", 2), in: bookmarks))
                throw Undo()
            }
        }
        #expect(try store.count(in: bookmarks) == 5)
        try store.write { try $0.removeValue(for: Pair("a", 2), in: bookmarks) }
        #expect(try store.count(in: bookmarks) == 4 && snapshot.count(in: bookmarks) == 5)
        #expect(try store.read { try $0.values(in: bookmarks).count } == 4)
    }

    // MARK: Errors

    @Test func namesKeysAndValuesThatAreTooLongAreRefusedByName() throws {
        let store = try ChatStore.inMemory()
        func message(_ body: () throws -> Void) -> String? {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .invalid)
            return error?.message
        }
        for name in ["", String(repeating: "n", count: 256)] {
            let table = StoreTable<Int, Int>(name)
            #expect(
                message { try store.write { try $0.put(1, for: 1, in: table) } }
                    == "the name of a table has \(name.utf8.count) bytes, not 1 to 255")
        }
        let texts = StoreTable<String, Data>("texts")
        let long = String(repeating: "k", count: 65_533)
        try store.write { batch in
            try batch.put(Data(count: 4 << 20), for: String(long.dropLast()), in: texts)
            #expect(
                message { try batch.put(Data(), for: long, in: texts) }
                    == "the key of a row in table texts has 65536 bytes; the limit is 65535")
            #expect(
                message { try batch.put(Data(count: 4 << 20 + 1), for: "big", in: texts) }
                    == "the value of big in table texts has 4194305 bytes; the limit is 4194304")
        }
        #expect(try store.count(in: texts) == 1)
        let numbers = StoreTable<String, Double>("numbers")
        #expect(
            message { try store.write { try $0.put(.nan, for: "a", in: numbers) } }
                == "cannot encode the value of a in table numbers")
        #expect(try store.check() == [])
    }

    @Test func tableOpenedWithTwoTypesIsAnErrorAndLosesNothing() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try fill(store, bookmarks)
        let others: [(String, (ChatStore) throws -> Void)] = [
            (
                "has keys of type channel time, not text",
                { store in
                    let other = StoreTable<String, Bookmark>("bookmarks")
                    try store.write { try $0.put(Bookmark(note: ""), for: "a", in: other) }
                }
            ),
            (
                "has values of type json, not data",
                { store in
                    let other = StoreTable<BookmarkKey, Data>("bookmarks")
                    _ = try store.value(for: Pair("a", 1), in: other)
                }
            ),
            (
                "is kept in this store, not cached",
                { store in
                    let other = StoreTable<BookmarkKey, Bookmark>("bookmarks", home: .cached)
                    _ = try store.count(in: other)
                }
            ),
        ]
        for (message, use) in others {
            // In the process that has used the table, and after the next opening.
            let used = #expect(throws: StoreError.self) { try use(store) }
            #expect(
                used?.message
                    == "table bookmarks was used with another home, version, key or value type")
            store.close()
            store = try directory.open()
            let opened = #expect(throws: StoreError.self) { try use(store) }
            #expect(opened?.code == .invalid && opened?.message == "table bookmarks \(message)")
            #expect(try store.count(in: bookmarks) == 5)
        }
        #expect(try store.write { try $0.removeTable("bookmarks") })
        #expect(try !store.write { try $0.removeTable("bookmarks") })
        let other = StoreTable<Int, Int>("bookmarks", home: .cached)
        try store.write { try $0.put(1, for: 1, in: other) }
        #expect(try store.values(in: other).map(\.value) == [1] && store.check() == [])
    }

    /// The two names are equal for Swift, and have different bytes.
    @Test func nameInDecomposedFormIsRefused() throws {
        let store = try ChatStore.inMemory()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try store.write { try $0.put(1, for: 1, in: StoreTable<Int, Int>(composed)) }
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.put(2, for: 1, in: StoreTable<Int, Int>(decomposed)) }
        }
        #expect(error?.code == .invalid)
        #expect(try store.value(for: 1, in: StoreTable<Int, Int>(composed)) == 1)
    }

    @Test func valueThatDoesNotDecodeHidesNoOther() throws {
        let store = try ChatStore.inMemory()
        let texts = StoreTable<Int, String>("values")
        try store.write { batch in
            for number in 1...3 { try batch.put("\(number)", for: number, in: texts) }
        }
        try store.write { batch in
            batch.rows.outbox.putDamaged(
                { $0.raw(texts.bytes(of: 2)) }, { $0.raw([1] + Array("{".utf8)) })
        }
        let rows = try store.values(in: texts)
        #expect(rows.map(\.value) == ["1", "3"] && rows.unreadable.map(\.key) == [2])
        #expect(rows.unreadable.first?.error.code == .unreadableValue)
        #expect(try store.values(in: texts, limit: 2).map(\.key) == [1, 3])
        let error = #expect(throws: StoreError.self) { try store.value(for: 2, in: texts) }
        #expect(error?.message == "cannot decode the value of 2 in table values")
        #expect(try store.contains(2, in: texts) && store.count(in: texts) == 3)
        // A value of the app is no damage of the files.
        #expect(try store.check() == [])
        try store.write { try $0.removeValue(for: 2, in: texts) }
        #expect(try store.values(in: texts).unreadable.isEmpty)
    }

    // MARK: Homes

    @Test func cachedRowsGoWithTheirChannelAndKeptRowsStay() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        let plain = StoreTable<String, Int>("plain", home: .cached)
        func fillAll() throws {
            for home in StoreTableHome.allCases { try fill(store, table(home)) }
            try store.write { batch in
                try batch.put(1, for: "a", in: plain)
                for url: ChannelURL in ["a", "b"] {
                    try batch.save(GroupChannel(url: url, createdAt: 1))
                    for id in 1...3 {
                        try batch.save(
                            Message(
                                MessageID("\(id)"), at: Timestamp(milliseconds: Int64(id)), in: url)
                        )
                    }
                }
            }
        }
        try fillAll()
        try store.write { try $0.removeChannel("a") }
        #expect(try store.values(in: cached).picture == "a\0/0 0, b/1 1, b/3 3")
        try store.write { _ = try $0.evictOldestMessages(2, in: "b") }
        #expect(try store.count(in: cached) == 3)
        try store.write { _ = try $0.evictOldestMessages(2, in: "b") }
        #expect(try store.values(in: cached).picture == "a\0/0 0")
        try fillAll()
        try store.write { try $0.clearMessages(in: "b") }
        #expect(try store.values(in: cached).picture == "a/-1 -1, a/2 2, a\0/0 0")
        #expect(try store.value(for: "a", in: plain) == 1)
        try store.clearCachedData()
        #expect(try store.count(in: cached) == 0 && store.count(in: plain) == 0)
        #expect(try store.count(in: bookmarks) == 5)
        try fillAll()
        #expect(try store.count(in: cached) == 5)
        store.close()
        try ChatStore.removeCache(at: directory.url)
        store = try directory.open()
        #expect(try store.count(in: cached) == 0 && store.count(in: bookmarks) == 5)
        try store.write { try $0.removeKeptTables() }
        #expect(try store.count(in: bookmarks) == 0 && store.contradictions() == [])
    }

    @Test func rebuiltOutboxKeepsKeptRows() throws {
        let directory = try StoreDirectory()
        var store = try directory.open()
        try fill(store, bookmarks)
        store.close()
        let manifest = try #require(try directory.files("outbox", "CURRENT").first)
        try Data("none".utf8).write(to: manifest)
        store = try directory.open()
        #expect(store.openingReport.isOutboxRebuilt)
        #expect(try store.count(in: bookmarks) == 5 && store.check() == [])
        #expect(store.openingReport.outboxLoss == nil)
        store.close()
    }

    @Test func aBatchOverBothHomesIsTwoCommitsTheCacheFirst() throws {
        let directory = try StoreDirectory()
        let disks = FailingDisks()
        let store = try disks.open(directory)
        try store.write { batch in
            try batch.put(Bookmark(note: "old"), for: Pair("a", 1), in: bookmarks)
            try batch.put(Bookmark(note: "old"), for: Pair("a", 1), in: cached)
        }
        disks.outbox.fail(at: 1, with: EIO, once: false)
        #expect(throws: StoreError.self) {
            try store.write { batch in
                try batch.put(Bookmark(note: "new"), for: Pair("a", 1), in: bookmarks)
                try batch.put(Bookmark(note: "new"), for: Pair("a", 1), in: cached)
            }
        }
        #expect(try store.value(for: Pair("a", 1), in: cached)?.note == "new")
        #expect(try store.value(for: Pair("a", 1), in: bookmarks)?.note == "old")
    }
}
