import Foundation
import Models
import Testing

@testable import Store

/// Tests that a store that an earlier version of the schema has written opens with its data.
@Suite struct SchemaFixtureTests {
    static let fixtures: [SchemaFixture] = {
        if ProcessInfo.processInfo.environment["SCROLLBACK_WRITE_GOLDEN"] != nil {
            do { try SchemaFixture.newest.writeMissing() } catch { Issue.record(error) }
        }
        return (1..<StoreSchema.current.version + 1).map { SchemaFixture(version: $0) }
    }()

    @Test func everySchemaVersionHasAFixture() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: SchemaFixture.directory.path)
        #expect(
            names.sorted() == Self.fixtures.map { "\($0.version)" }.sorted(),
            "See the comment of SchemaFixture for how to write one.")
    }

    @Test(arguments: fixtures.filter(\.isReadable), FileForm.allCases)
    func rowsOfEachVersionAreReadable(_ fixture: SchemaFixture, _ form: FileForm) throws {
        let directory = try fixture.copy(form)
        #expect(try SchemaFixture.rows(of: directory) == fixture.rows)
        let version = directory.url.appending(path: "VERSION")
        #expect(try String(contentsOf: version, encoding: .utf8) == "\(fixture.version)\n")
        #expect((try KeyFile(in: directory.url.path).exists()) == (form == .encrypted))
    }

    @Test(arguments: fixtures.filter(\.isReadable), FileForm.allCases)
    func filesOfEachVersionOpenAsTheNewest(
        _ fixture: SchemaFixture, _ form: FileForm
    ) throws {
        let directory = try fixture.copy(form)
        let store = try directory.open()
        let report = store.openingReport
        #expect(!report.isNew && report.replacedCache == nil && report.outboxDamage == nil)
        #expect(report.outboxLoss == nil)
        let isNewest = fixture.version == StoreSchema.current.version
        #expect(report.migratedFrom == (isNewest ? nil : fixture.version))
        #expect(report.isCacheNew == !isNewest)
        #expect(try store.contradictions() == [])
        #expect(try store.outboxItems().map(\.requestID) == ["d1", "d2", "d3"])
        #expect(try store.channelURLsKeptInCache() == ["general"])
        #expect(try store.draft(of: "general") == "Hello")
        if isNewest {
            #expect(try store.messages(in: "general").ids == "3 2 1")
            #expect(try store.message(requestID: "r2", in: "general")?.messageID == "2")
            #expect(try store.replies(to: "1", in: "general").ids == "3")
        }
        store.close()
        let rows = try SchemaFixture.rows(of: directory)
        #expect(rows.ofOutbox == (try SchemaFixture.newest.rows.ofOutbox))
        if isNewest { #expect(rows == (try SchemaFixture.newest.rows)) }
    }

    @Test func encodedRecordEqualsTheNewestGoldenFile() throws {
        let directory = try StoreDirectory()
        try SchemaFixture.fill(directory)
        #expect(
            try SchemaFixture.rows(of: directory) == SchemaFixture.newest.rows,
            "Keys and values have changed: that is another version of the schema.")
    }

    @Test func theNewestFixtureShowsEachTable() throws {
        let databases = try SchemaFixture.newest.rows.split(separator: "outbox")
        let letters = databases.map { rows in
            Set(rows.filter { $0.contains("→") }.map { $0.prefix(2) })
        }
        func names(_ tables: [UInt8]) -> Set<Substring> {
            Set(tables.map { Substring(String($0, radix: 16)) })
        }
        // SearchIndexFormatTests tests the format of the search index, and TableFormatTests that of
        // the app's tables.
        let tables = Set(Table.allCases).subtracting(Table.ofIndex + [.appTable])
        let outboxTables = OutboxTable.allCases.filter { $0 != .appTable }
        #expect(letters.first == names(tables.map(\.rawValue)))
        #expect(letters.last == names(outboxTables.map(\.rawValue)))
    }
}
