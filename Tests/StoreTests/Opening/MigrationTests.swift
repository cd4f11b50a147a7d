import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

/// Tests that a migration that is interrupted at any of its writes is completed by the next
/// opening, with the same result.
@Suite(.timeLimit(.minutes(10))) struct MigrationTests {
    private let fixture = SchemaFixture(version: 1)

    private func open(
        _ directory: StoreDirectory,
        _ environments: (LevelDB.Environment, LevelDB.Environment) = (.disk(), .disk())
    ) throws(StoreError) -> ChatStore {
        try ChatStore(
            at: directory.url, environments: environments, encryptionKey: directory.files.key)
    }

    /// Version 1 may have compressed tables, which version 2 has not.
    @Test(.enabled(if: hasSnappy)) func migratedOutboxHasNoCompressedBlock() throws {
        let directory = try fixture.copy(.plain)
        func isCompressed() throws -> Bool {
            try directory.files("outbox", ".ldb").contains { table in
                try TableBlocks(Data(contentsOf: table)).types.contains(1)
            }
        }
        #expect(try isCompressed())
        var progress: [Double] = []
        let store = try ChatStore(at: directory.url) { progress.append($0.fractionCompleted) }
        store.close()
        #expect(progress == [0, 1])
        #expect(try !isCompressed())
    }

    @Test(.enabled(if: hasSnappy), arguments: Interruption.allCases, FileForm.allCases)
    func interruptedMigrationHasTheSameResult(_ end: Interruption, _ form: FileForm) throws {
        let expected = try SchemaFixture.newest.rows.ofOutbox
        var cuts = 0
        for change in 1... {
            let directory = try fixture.copy(form)
            // Both databases use one disk, so that the changes of both are counted together.
            let disk = FailingDisk()
            // If changes were only ignored, as by a frozen disk, LevelDB would miss the table that
            // it has just written, and the opening would repair the outbox. `KilledScenarioTests`
            // kills a process that migrates.
            disk.fail(at: change, with: EIO, once: false, tearing: end == .failure)
            if let store = try? open(directory, (disk.environment, disk.environment)) {
                store.close()
            }
            let isOver = disk.changes < change
            if end == .powerCut { try disk.loseUnsynced(in: directory.url) }
            try expectOutbox(directory, "cut at \(change)")
            if try version(directory) == "1\n" {
                #expect(try SchemaFixture.rows(of: directory) == fixture.rows)
            } else {
                // Code for the older version must refuse a store whose migration is unfinished.
                let older = StoreSchema(migrations: [])
                let error = code {
                    _ = try ChatStore(
                        at: directory.url, environments: (.disk(), .disk()),
                        encryptionKey: directory.files.key, schema: older)
                }
                #expect(error == .newerSchema)
            }
            let store = try open(directory)
            let report = store.openingReport
            #expect(report.replacedCache == nil && report.outboxDamage == nil, "cut at \(change)")
            #expect(report.outboxLoss == nil && !report.isOutboxRebuilt, "cut at \(change)")
            #expect(try store.outboxItems().map(\.requestID) == ["d1", "d2", "d3"])
            #expect(try store.messageCount() == 0)
            #expect(try store.contradictions() == [], "cut at \(change)")
            store.close()
            let rows = try SchemaFixture.rows(of: directory).ofOutbox
            #expect(rows == expected, "cut at \(change)")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            #expect(names.count { $0.contains("cache") } == 1, "cut at \(change): \(names)")
            if isOver { break }
            cuts += 1
        }
        #expect(cuts > 20)
    }

    /// Expects that all outbox items are in a copy of the store.
    private func expectOutbox(_ directory: StoreDirectory, _ comment: Comment) throws {
        let copy = try StoreDirectory(of: directory)
        let isOutboxItem = { (row: String) in row.hasPrefix("71") }
        let found = try SchemaFixture.rows(of: copy).filter(isOutboxItem)
        let expected = try fixture.rows.filter(isOutboxItem)
        #expect(found == expected, comment)
    }

    private func version(_ directory: StoreDirectory) throws -> String {
        try String(contentsOf: directory.url.appending(path: "VERSION"), encoding: .utf8)
    }

    // MARK: Versions that none has

    @Test(.enabled(if: hasSnappy), arguments: FileForm.allCases)
    func outboxOfVersion0IsRebuilt(_ form: FileForm) throws {
        let directory = try SchemaFixture(version: 1).copy(form)
        let database = try LevelDB(
            at: directory.url.appending(path: "outbox").path,
            environment: directory.environment("outbox"))
        try database.setSchemaVersion(0)
        database.close()
        let store = try directory.open()
        #expect(store.openingReport.isOutboxRebuilt)
        #expect(try store.outboxItems().map(\.requestID) == ["d1", "d2", "d3"])
    }

    @Test(.enabled(if: hasSnappy), arguments: FileForm.allCases)
    func cacheOfVersion0IsDamaged(_ form: FileForm) throws {
        let directory = try SchemaFixture(version: 1).copy(form)
        let path = directory.url.appending(path: "cache").path
        let database = try LevelDB(at: path, environment: directory.environment("cache"))
        try database.setSchemaVersion(0)
        database.close()
        let store = try directory.open()
        let reason = store.openingReport.replacedCache
        #expect(reason?.code == .corruption && reason?.path == path)
        #expect(
            reason?.message
                == "the schema's version: expected a schema version of at least 1 at byte 0")
        #expect(try store.outboxItems().map(\.requestID) == ["d1", "d2", "d3"])
    }

    // MARK: Downgrades

    @Test(.enabled(if: hasSnappy), arguments: FileForm.allCases)
    func outboxOfANewerVersionIsRefused(_ form: FileForm) throws {
        let directory = try SchemaFixture(version: 1).copy(form)
        let path = directory.url.appending(path: "outbox").path
        let database = try LevelDB(at: path, environment: directory.environment("outbox"))
        try database.setSchemaVersion(StoreSchema.current.version + 1)
        database.close()
        let before = try SchemaFixture.rows(of: directory)
        let error = #expect(throws: StoreError.self) { try directory.open() }
        #expect(error?.code == .newerSchema)
        #expect(error?.path.hasPrefix(directory.url.path) == true)
        #expect(error?.message.contains("version \(StoreSchema.current.version + 1)") == true)
        #expect(try SchemaFixture.rows(of: directory) == before)
    }
}
