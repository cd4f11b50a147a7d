import Foundation
import Models
import Store
import Testing

struct Sticker: Codable, Sendable {
    var pack: String
    var size = 1
}

extension Sticker {
    static let table = StoreTable<String, Sticker>("stickers")
    static let byPack = StoreTable<Pair<String, Timestamp>, Sticker>("stickers by pack")
    static let previews = StoreTable<Pair<ChannelURL, Timestamp>, Data>("previews", home: .cached)
}

/// The code of Docs/Store.md and Docs/Realm.md, verbatim.
@Suite struct StorePageCode {
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "scrollback-\(UUID().uuidString)", directoryHint: .isDirectory)

    @Test func aStoreIsUsedAlone() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let cat = Sticker(pack: "Animals")

        let store = try ChatStore(at: directory)
        try store.write { batch in
            try batch.put(cat, for: "cat", in: Sticker.table)
        }
        let sticker = try store.value(for: "cat", in: Sticker.table)

        #expect(sticker?.pack == "Animals")
        store.close()
    }

    @Test func rangesAreRead() throws {
        let store = try ChatStore.inMemory()
        let (start, end): (Timestamp, Timestamp) = (10, 20)
        try store.write { batch in
            for time in [5, 10, 15, 20] as [Int64] {
                try batch.put(
                    Sticker(pack: "Animals"),
                    for: Pair("Animals", Timestamp(milliseconds: time)), in: Sticker.byPack)
            }
        }
        var count = 0

        let range = StoreKeyRange(from: Pair("Animals", start), to: Pair("Animals", end))
        for (key, sticker) in try store.values(in: Sticker.byPack, within: range) {
            print(key.second, sticker.pack)
            count += 1
        }
        let newest = try store.values(
            in: Sticker.byPack, within: .beginning(with: "Animals"), isDescending: true, limit: 2)
        let next = try store.values(
            in: Sticker.byPack, within: .beginning(with: "Animals"), after: newest.last?.key,
            isDescending: true, limit: 2)

        #expect(count == 2)
        #expect(newest.map(\.key.second.milliseconds) == [20, 15])
        #expect(next.map(\.key.second.milliseconds) == [10, 5])
        for (key, error) in newest.unreadable { print(key, error) }
    }

    @Test func changesAreObserved() async throws {
        let store = try ChatStore.inMemory()

        let (snapshot, changes) = try store.observe(.table(Sticker.table))
        let before = try snapshot.values(in: Sticker.table)
        let follower = Task {
            for await change in changes {
                for row in change.rows(of: Sticker.table) {
                    print(row.key, row.oldValue?.size ?? 0, row.newValue?.size ?? 0)
                }
            }
        }

        #expect(before.isEmpty)
        try store.write { try $0.put(Sticker(pack: "a"), for: "a", in: Sticker.table) }
        store.close()
        await follower.value
    }

    @Test func valuesAreConverted() throws {
        let store = try ChatStore.inMemory()

        let table = StoreTable<String, Int>("sizes", version: 2) { version, key, value in
            // Version 1 had texts such as "3 cm".
            let text = try JSONDecoder().decode(String.self, from: value)
            return text.split(separator: " ").first.flatMap { Int($0) } ?? 0
        }
        try store.open(table)

        #expect(try store.count(in: table) == 0)
        let old = StoreTable<String, String>("lengths")
        try store.write { try $0.put("3 cm", for: "a", in: old) }
    }

    @Test func rowsAreWrittenWithMessages() throws {
        let store = try ChatStore.inMemory()
        let message = Message(id: "1", channelURL: "general", text: "Hi", createdAt: 1)
        let preview = Data([1])

        try store.write { batch in
            try batch.save(message)
            try batch.put(
                preview, for: Pair(message.channelURL, message.createdAt), in: Sticker.previews)
        }

        #expect(try store.count(in: Sticker.previews) == 1)
        try store.write { _ = try $0.removeChannel(message.channelURL) }
        #expect(try store.count(in: Sticker.previews) == 0)
    }

    // MARK: Docs/Realm.md

    @Test func realmCallsHaveACounterpart() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let key = EncryptionKey()
        let note = Sticker(pack: "Animals", size: 2)

        let store = try ChatStore(at: directory, encryptionKey: key)
        try store.write { batch in
            try batch.put(note, for: "cat", in: Sticker.table)
            try batch.removeValue(for: "dog", in: Sticker.table)
        }
        let one = try store.value(for: "cat", in: Sticker.table)
        let all = try store.values(in: Sticker.table, within: .beginning(with: "c"))
        let large = all.filter { $0.value.size > 1 }

        #expect(one?.size == 2 && large.count == 1)

        let snapshot = try store.snapshot()
        let frozen = try snapshot.values(in: Sticker.table)

        #expect(frozen.count == 1)

        let bytes = try store.cachedDataSize() + store.outboxDataSize()
        let problems = try store.check()

        #expect(bytes > 0 && problems.isEmpty)
        store.close()
    }

    /// An index: a second table whose keys begin with the value to look up.
    @Test func anIndexIsATable() throws {
        let store = try ChatStore.inMemory()
        let (id, sticker) = ("cat", Sticker(pack: "Animals"))

        let index = StoreTable<Pair<String, String>, Bool>("sticker ids by pack")
        try store.write { batch in
            if let old = try batch.value(for: id, in: Sticker.table) {
                try batch.removeValue(for: Pair(old.pack, id), in: index)
            }
            try batch.put(sticker, for: id, in: Sticker.table)
            try batch.put(true, for: Pair(sticker.pack, id), in: index)
        }
        let ids = try store.values(in: index, within: .beginning(with: "Animals")).map(\.key.second)

        #expect(ids == ["cat"])
    }
}
