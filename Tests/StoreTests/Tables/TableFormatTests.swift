import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Tests the rows of tables on disk.
///
/// On-disk format, do not change the bytes.
@Suite struct TableFormatTests {
    struct Note: Codable { let text: String }

    private let notes = StoreTable<Pair<ChannelURL, Timestamp>, Note>("notes")
    private let blobs = StoreTable<Int, Data>("b", home: .cached, version: 2)

    private func directory(_ form: FileForm = .plain) throws -> StoreDirectory {
        let directory = try StoreDirectory(form)
        let store = try directory.open()
        try store.write { batch in
            try batch.put(Note(text: "a/é"), for: Pair("c", 5), in: notes)
            try batch.put(Data([0xca, 0xfe]), for: -1, in: blobs)
        }
        store.close()
        return directory
    }

    @Test(arguments: FileForm.allCases) func rowsHaveTheirGoldenBytes(form: FileForm) throws {
        let databases = try SchemaFixture.rows(of: directory(form)).split(separator: "outbox")
        func rows(_ index: Int) -> [String] { databases[index].filter { $0.hasPrefix("62") } }
        #expect(
            rows(0) == [
                // 'b', name, 0 → version 2, one part, the integer, "data".
                "62" + "000162" + "00 → " + "00000002" + "01" + "03" + "64617461",
                // 'b', name, 1, integer −1 → version 2, the bytes.
                "62" + "000162" + "01" + "037fffffffffffffff → " + "02" + "cafe",
            ])
        #expect(
            rows(1) == [
                // 'b', name, 0 → version 1, two parts, channel and time, "json".
                "62" + "00056e6f746573" + "00 → " + "00000001" + "02" + "0205" + "6a736f6e",
                // 'b', name, 1, channel "c" and two zeros, time 5 → version 1, {"text":"a/é"}.
                "62" + "00056e6f746573" + "01" + "02630000" + "058000000000000005 → " + "01"
                    + "7b2274657874223a22612fc3a9227d",
            ])
    }

    /// The code block with these rows in Docs/Format.md.
    @Test func pageShowsTheRowsOfATable() throws {
        let page = try Repository.text(of: "Docs/Format.md")
        let store = try ChatStore.inMemory()
        try store.write { try $0.put(Note(text: "Hi"), for: Pair("c", 5), in: notes) }
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("62 0005") }
            .map { $0.filter { $0 != " " } }
        let rows = try store.view.outbox.snapshot.rows().filter { $0.key[0] == 0x62 }
        #expect(lines == rows.map { "\($0.key.hexadecimal)→\($0.value.hexadecimal)" })
    }

    @Test func rowsAreDescribedInWords() throws {
        let store = try directory().open()
        let rows = try RowDescription.Database.allCases.flatMap { database in
            try store.describedRows(of: database, table: "table").map { row in
                "\(row.database): \(row.parts.joined(separator: ", ")) → \(row.content.text)"
            }
        }
        #expect(
            rows == [
                "cache: b, definition → version 2, keys integer, values data",
                "cache: b, -1 → 2 bytes",
                "outbox: notes, definition → version 1, keys channel time, values json",
                "outbox: notes, c, \(Timestamp(milliseconds: 5)) → {\"text\":\"a/é\"}",
            ])
        #expect(try store.snapshot().tableSizes().contains { $0.table == "table" })
    }

    @Test func damagedRowsAreFoundAndNeverTrap() throws {
        let directory = try directory()
        let store = try directory.open()
        defer { store.close() }
        for home in StoreTableHome.allCases {
            let rows = try store.view.rows(of: home).snapshot.rows().filter { $0.key[0] == 0x62 }
            for row in rows {
                let damages =
                    (1..<row.key.count).map { (Array(row.key[..<$0]), row.value) }
                    + row.value.indices.map { (row.key, Array(row.value[..<$0])) }
                for (key, value) in damages {
                    struct Undo: Error {}
                    #expect(throws: Undo.self) {
                        try store.write { batch in
                            let overlay = batch.rows.overlay(of: home)
                            overlay.remove { $0.raw(row.key) }
                            overlay.put({ $0.raw(key) }, { $0.raw(value) })
                            _ = try? batch.values(in: notes).count
                            _ = try? batch.values(in: blobs).count
                            _ = try batch.view.rows(of: home).tableNames()
                            var search = ProblemSearch()
                            try search.searchAppTables(batch.view.rows(of: home))
                            throw Undo()
                        }
                    }
                }
            }
        }
        try store.write { batch in
            batch.rows.outbox.putDamaged({ $0.raw(notes.rowPrefix + [9]) }, { $0.raw([1]) })
        }
        #expect(try store.check().map(\.kind) == [.unreadable])
        #expect(try store.values(in: notes).count == 1)
    }
}

extension RowDescription.Content {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .record(let record): "\(record)"
        }
    }
}
