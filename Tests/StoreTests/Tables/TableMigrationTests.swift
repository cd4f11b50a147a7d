import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

/// Tests tables whose values have another type than in an earlier version of the app.
@Suite struct TableMigrationTests {
    private struct Failure: Error {}

    private let old = StoreTable<Int, String>("values")
    /// Converts `"7"` to 70, and rejects texts that are no numbers.
    private let new = StoreTable<Int, Int>("values", version: 3) { version, key, value in
        #expect(version == 1)
        let text = try JSONDecoder().decode(String.self, from: value)
        guard let number = Int(text), number == key else { throw Failure() }
        return number * 10
    }

    private func filled(_ count: Int) throws -> StoreDirectory {
        let directory = try StoreDirectory()
        let store = try directory.open()
        try store.write { batch in
            for number in 1...count { try batch.put("\(number)", for: number, in: old) }
            try batch.put("text", for: 0, in: old)
        }
        store.close()
        return directory
    }

    private func version(_ store: ChatStore) throws -> Int? {
        try store.view.outbox.tableDefinition("values")?.version
    }

    @Test func openingConvertsAllValuesOnce() throws {
        let directory = try filled(2_000)
        var store = try directory.open()
        // Before the opening, reads convert what they return.
        #expect(try store.value(for: 7, in: new) == 70 && version(store) == 1)
        try store.open(new)
        #expect(try version(store) == 3)
        store.close()
        store = try directory.open()
        let plain = StoreTable<Int, Int>("values", version: 3)
        try store.open(plain)
        let rows = try store.values(in: plain)
        #expect(rows.map(\.key) == Array(1...2_000) && rows.allSatisfy { $0.value == $0.key * 10 })
        // The value that the migration has rejected is still there, and is reported.
        #expect(
            rows.unreadable.map(\.key) == [0] && rows.unreadable[0].error.code == .unreadableValue)
        let text = try store.view.outbox.withValue(of: plain.bytes(of: 0)) { $0.map(Array.init) }
        #expect(text == [1] + Array(#""text""#.utf8))
        #expect(try store.check() == [])
    }

    @Test(arguments: [1, 2, 3, 5, 8]) func interruptedOpeningContinues(change: Int) throws {
        let directory = try filled(2_000)
        let disks = FailingDisks()
        var store = try disks.open(directory)
        disks.outbox.cutPower(at: change)
        // The failure of the disk may reach the writer.
        try? store.open(new)
        for disk in disks.both { disk.cutPower() }
        store.close()
        try disks.loseUnsynced(in: directory)
        store = try directory.open()
        #expect(try store.values(in: new).map(\.value) == (1...2_000).map { $0 * 10 })
        try store.open(new)
        #expect(try version(store) == 3)
        #expect(try store.values(in: new).map(\.value) == (1...2_000).map { $0 * 10 })
        store.close()
    }

    @Test func valuesOfANewerVersionAreRefused() throws {
        let directory = try filled(2)
        var store = try directory.open()
        try store.write { try $0.put(5, for: 9, in: new) }
        store.close()
        store = try directory.open()
        // The table was not opened with version 3, so earlier code reads its own rows.
        let rows = try store.values(in: old)
        #expect(rows.map(\.key) == [0, 1, 2] && rows.unreadable[0].error.code == .newerSchema)
        store.close()
        store = try directory.open()
        try store.open(new)
        store.close()
        store = try directory.open()
        #expect(code { _ = try store.values(in: old) } == .newerSchema)
        #expect(code { try store.write { try $0.put("1", for: 1, in: old) } } == .newerSchema)
    }

    @Test func versionWithoutAMigrationKeepsTheValues() throws {
        struct Old: Codable { var a = 1 }
        struct New: Codable, Equatable {
            var a: Int
            var b: Int?
        }
        let store = try ChatStore.inMemory()
        try store.write { try $0.put(Old(), for: 1, in: StoreTable<Int, Old>("t")) }
        try store.write { try $0.put(Old(), for: 2, in: StoreTable<Int, Old>("t")) }
        try store.view.committed.tables.forget("t")
        let new = StoreTable<Int, New>("t", version: 2)
        try store.open(new)
        #expect(try store.values(in: new).map(\.value) == [New(a: 1), New(a: 1)])
    }
}
