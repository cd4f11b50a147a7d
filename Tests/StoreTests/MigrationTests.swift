import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

/// Tests that a migration that is interrupted at any of its writes is completed by the next
/// opening, with the same result.
@Suite(.timeLimit(.minutes(10))) struct MigrationTests {
    private func open(
        _ directory: StoreDirectory, _ schema: StoreSchema,
        _ environments: (LevelDB.Environment, LevelDB.Environment) = (.disk(), .disk())
    ) throws(StoreError) -> ChatStore {
        try ChatStore(
            at: directory.url, environments: environments, encryptionKey: directory.files.key,
            schema: schema)
    }

    /// Returns the rows after a migration that was not interrupted.
    private func migratedRows(_ form: FileForm, _ schema: StoreSchema) throws -> [String] {
        let directory = try SchemaFixture(version: 1).copy(form)
        try open(directory, schema).close()
        return try SchemaFixture.rows(of: directory)
    }

    @Test(.enabled(if: hasSnappy)) func testMigrationsMoveRowsOfSeveralTables() throws {
        let moved = try migratedRows(.plain, .test(2))
        let before = try SchemaFixture(version: 1).rows
        func count(_ rows: [String], _ database: Int, _ letter: String) -> Int {
            rows.split(separator: "outbox")[database].count { $0.hasPrefix(letter) }
        }
        for (database, old, new) in [(0, "69", "49"), (0, "74", "54"), (1, "72", "52")] {
            #expect(count(before, database, old) > 0 && count(moved, database, old) == 0)
            #expect(count(moved, database, new) == count(before, database, old))
        }
        // The migration to version 3 restores the rows of version 1, except for the version number.
        let number = "7376 → 0000000"
        #expect(
            try migratedRows(.plain, .test(3))
                == before.map { $0 == number + "1" ? number + "3" : $0 })
    }

    @Test(.enabled(if: hasSnappy), arguments: Interruption.allCases, FileForm.allCases)
    func interruptedMigrationHasTheSameResult(_ end: Interruption, _ form: FileForm) throws {
        let schema = StoreSchema.test(3)
        let expected = try migratedRows(form, schema)
        var cuts = 0
        for change in 1... {
            let directory = try SchemaFixture(version: 1).copy(form)
            // Both databases use one disk, so that the changes of both are counted together.
            let disk = FailingDisk()
            switch end {
            case .kill, .powerCut: disk.cutPower(at: change)
            case .failure: disk.fail(at: change, with: EIO, once: false, tearing: true)
            }
            // For a killed process, the result of opening the store is not checked.
            if let store = try? open(directory, schema, (disk.environment, disk.environment)) {
                store.close()
            }
            let isOver = disk.changes < change
            if end == .powerCut { try disk.loseUnsynced(in: directory.url) }
            try expectOutbox(directory, schema, "cut at \(change)")

            if try version(directory) == "1\n" {
                #expect(try SchemaFixture.rows(of: directory) == SchemaFixture(version: 1).rows)
            } else {
                // Code for the older version must refuse a store whose migration is unfinished.
                #expect(code { try open(directory, .current).close() } == .newerSchema)
            }
            let store = try open(directory, schema)
            let report = store.openingReport
            #expect(report.replacedCache == nil && report.outboxDamage == nil, "cut at \(change)")
            #expect(try store.outboxItems().map(\.requestID) == ["d1", "d2", "d3"])
            #expect(try store.contradictions() == [], "cut at \(change)")
            store.close()
            #expect(try SchemaFixture.rows(of: directory) == expected, "cut at \(change)")
            if isOver { break }
            cuts += 1
        }
        #expect(cuts > 30)
    }

    /// Expects that all outbox items are in a copy of the store.
    private func expectOutbox(
        _ directory: StoreDirectory, _ schema: StoreSchema, _ comment: Comment
    ) throws {
        let copy = try StoreDirectory(of: directory)
        let rows = try SchemaFixture.rows(of: copy)
        let isOutboxItem = { (row: String) in row.hasPrefix("71") }
        #expect(
            try rows.filter(isOutboxItem) == SchemaFixture(version: 1).rows.filter(isOutboxItem),
            comment)
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

extension StoreSchema {
    /// Returns a schema with up to three versions.
    ///
    /// The migration to version 2 gives the rows of three tables other letters, two rows at a time.
    /// The migration to version 3 reverses this.
    fileprivate static func test(_ version: Int) -> StoreSchema {
        let moves = [(2, false), (3, true)].map { version, isBack in
            Migration(to: version) { (cache, outbox, tell) throws(StoreError) in
                let databases = [(cache, [0x69, 0x74]), (outbox, [0x72])] as [(LevelDB, [UInt8])]
                for (database, letters) in databases {
                    for letter in letters {
                        let capital = letter - 0x20
                        try database.moveRows(
                            from: isBack ? capital : letter, to: isBack ? letter : capital)
                        tell(0.5)
                    }
                }
            }
        }
        return StoreSchema(migrations: Array(moves.prefix(version - 1)))
    }
}

extension LevelDB {
    /// Gives the rows of a table another letter, in batches as a migration does.
    ///
    /// After each batch, the call can be repeated.
    fileprivate func moveRows(from old: UInt8, to new: UInt8) throws(StoreError) {
        while true {
            let batch = Overlay()
            var count = 0
            try snapshot().scan(KeyRange(prefix: [old])) { (key, value) throws(StoreError) in
                let rest = Array(key.dropFirst())
                batch.put({ $0.raw([new] + rest) }, { $0.raw(value) })
                batch.remove { $0.raw(key) }
                count += 1
                return count < 2
            }
            if count == 0 { return }
            try write(batch, isDurable: false)
        }
    }
}
