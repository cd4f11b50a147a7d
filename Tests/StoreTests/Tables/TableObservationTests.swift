import Foundation
import Models
import Testing

@testable import Store

/// Tests which changes observers of a table receive.
@Suite struct TableObservationTests {
    private let texts = StoreTable<Int, String>("texts")
    private let cached = StoreTable<ChannelURL, String>("cached", home: .cached)

    private func picture<Key>(
        _ changes: ObservedChanges, _ table: StoreTable<Key, String>
    ) -> [String] {
        changes.drain().map { change in
            let rows = change.rows(of: table).map {
                "\($0.key): \($0.oldValue ?? "-") → \($0.newValue ?? "-")"
            }
            return
                (rows + (change.removesCachedRows ? ["cleared"] : [])
                + (change.operations.contains(.missed) ? ["missed"] : [])).joined(separator: ", ")
        }
    }

    @Test func observerReceivesOldAndNewValues() throws {
        let store = try ChatStore.inMemory()
        try store.write { try $0.put("a", for: 1, in: texts) }
        let (snapshot, changes) = try store.observe(.table(texts))
        let others = [
            try store.observe(.table(cached)).changes, try store.observe(.channels).changes,
            try store.observe(.outboxItems).changes, try store.observe(.channel("a")).changes,
        ]
        #expect(try snapshot.values(in: texts).map(\.value) == ["a"])
        let (_, change) = try store.commit { batch in
            try batch.put("b", for: 1, in: texts)
            try batch.put("c", for: 2, in: texts)
            try batch.put("d", for: 2, in: texts)
            try batch.save(GroupChannel(url: "g", createdAt: 1))
        }
        #expect(change.rows(of: texts).count == 3)
        try store.write { try $0.removeValues(in: texts) }
        try store.write { try $0.removeValue(for: 5, in: texts) }
        #expect(
            picture(changes, texts) == ["1: a → b, 2: - → c, 2: c → d", "1: b → -, 2: d → -"])
        for other in others { #expect(other.drain().allSatisfy { $0.rows(of: texts).isEmpty }) }
    }

    @Test func observerOfEverythingReceivesRows() throws {
        let store = try ChatStore.inMemory()
        let changes = try store.observe(.everything).changes
        try store.write { try $0.put("a", for: 1, in: texts) }
        #expect(changes.drain().map(\.picture) == ["row(1 in table texts)"])
    }

    @Test func observerThatBeginsDuringAWriteReadsAgain() throws {
        let store = try ChatStore.inMemory()
        var changes: ObservedChanges?
        try store.write { batch in
            try batch.put("a", for: 1, in: texts)
            changes = try store.observe(.table(texts)).changes
        }
        #expect(try picture(#require(changes), texts) == ["missed"])
        #expect(try store.value(for: 1, in: texts) == "a")
    }

    @Test func observersOfCachedTablesReceiveClearings() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.put("a", for: "general", in: cached)
            try batch.put("b", for: "other", in: cached)
            try batch.put("c", for: 1, in: texts)
            try batch.save(GroupChannel(url: "general", createdAt: 1))
        }
        let (changes, kept) = (
            try store.observe(.table(cached)).changes, try store.observe(.table(texts)).changes
        )
        try store.write { try $0.removeChannel("general") }
        try store.clearCachedData()
        #expect(picture(changes, cached) == ["general: a → -", "cleared"])
        #expect(picture(kept, texts) == [])
    }

    @Test func failedBatchIsNotReported() throws {
        struct Undo: Error {}
        let store = try ChatStore.inMemory()
        let changes = try store.observe(.table(texts)).changes
        #expect(throws: Undo.self) {
            try store.write { batch in
                try batch.put("a", for: 1, in: texts)
                throw Undo()
            }
        }
        #expect(changes.drain().isEmpty)
    }
}
