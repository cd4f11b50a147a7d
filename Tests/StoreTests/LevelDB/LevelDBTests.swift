import Foundation
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

@Suite struct LevelDBTests {
    @Test func theLinkedLevelDBIs122OrNewer() {
        #expect(LevelDB.version >= (1, 22))
    }

    @Test func openingBeginsANewManifestIfTheLastOneIsLarge() throws {
        func manifest(in path: String) throws -> (name: String, size: Int) {
            let name = try #require(
                try DiskFile.names(in: path).first { $0.hasPrefix("MANIFEST-") })
            return (name, try Data(contentsOf: URL(filePath: "\(path)/\(name)")).count)
        }
        let limit = 64 << 10
        try withDirectory { path in
            let path = path + "/database"
            var database = try LevelDB(at: path)
            for number in 0..<4000 {
                if number % 100 == 0, try manifest(in: path).size >= limit { break }
                try write(database, [("key", "\(number)")])
                try database.flush()  // adds a table to the manifest
            }
            let last = try value("key", in: database)
            let large = try manifest(in: path)
            #expect(large.size >= limit)
            database.close()
            database = try LevelDB(at: path)
            let new = try manifest(in: path)
            #expect(new.name != large.name && new.size < 1000)
            #expect(try value("key", in: database) == last)
            database.close()
            database = try LevelDB(at: path)
            #expect(try manifest(in: path).name == new.name)
            database.close()
        }
    }

    private func inMemory() throws -> LevelDB {
        try LevelDB(at: "/test", environment: .memory())
    }

    /// Calls a closure with the path of a temporary directory.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = try ScratchDirectory.made()
        try body(directory.path)
        directory.remove()
    }

    private func write(_ database: LevelDB, _ rows: [(String, String?)]) throws {
        let batch = Overlay()
        for (key, value) in rows {
            if let value {
                batch.put({ $0.text(key) }, { $0.text(value) })
            } else {
                batch.remove { $0.text(key) }
            }
        }
        try database.write(batch, isDurable: false)
    }

    private func value(_ key: String, in rows: Rows) throws -> String? {
        try rows.withValue(of: Array(key.utf8)) { (value) throws(StoreError) in
            value.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func value(_ key: String, in database: LevelDB) throws -> String? {
        try value(key, in: Rows(snapshot: database.snapshot(), overlay: nil))
    }

    private func rows(
        _ rows: Rows, from lower: String = "", to upper: String = "\u{7f}",
        isDescending: Bool = false, limit: Int = .max
    ) throws -> [String] {
        var found: [String] = []
        try rows.scan(
            KeyRange(Array(lower.utf8), Array(upper.utf8)), isDescending: isDescending
        ) { (key, value) throws(StoreError) in
            found.append(
                String(decoding: key, as: UTF8.self) + "="
                    + String(decoding: value, as: UTF8.self))
            return found.count < limit
        }
        return found
    }

    // MARK: One after the other

    @Test func errorOfAClosureIsRethrown() throws {
        let database = try inMemory()
        try write(database, [("a", "1")])
        let overlay = Overlay()
        for added in [nil, "b", "A"] {
            if let added { overlay.put { $0.text(added) } }
            let all = Rows(snapshot: try database.snapshot(), overlay: overlay)
            #expect(throws: StoreError.self) {
                try all.scan(KeyRange.all) { (_, _) throws(StoreError) in
                    throw StoreError(.corruption, "as expected", path: "")
                }
            }
        }
    }

    @Test func snapshotsOfAClosedDatabaseStayReadable() throws {
        let database = try inMemory()
        try write(database, [("a", "1")])
        let snapshot = try database.snapshot()
        database.close()
        database.close()
        #expect(try rows(Rows(snapshot: snapshot, overlay: nil)) == ["a=1"])
        let attempts: [() throws -> Void] = [
            { _ = try database.snapshot() }, { try write(database, []) },
            { try database.compact() }, { _ = try database.property("leveldb.stats") },
        ]
        for attempt in attempts {
            let error = #expect(throws: StoreError.self) { try attempt() }
            #expect(error?.code == .closed)
        }
    }

    // MARK: Effects of a batch on existing rows

    /// Returns a short key of few letters.
    ///
    /// Some keys are therefore equal, or are prefixes of others.
    private static func key(_ random: inout SeededRandom) -> String {
        String(
            (0..<Int.random(in: 0...3, using: &random)).map { _ in random.pick(["a", "b", "z"]) })
    }

    /// A batch with few rows is searched one by one, and one with many rows by a hash table.
    ///
    /// The arguments cover both.
    @Test(arguments: Seeds.few, [3, 16, 17, 120])
    func rowsUnderABatchAgreeWithADictionary(seed: Int, count: Int) throws {
        var random = SeededRandom(seed: seed)
        let database = try inMemory()
        var model: [String: String] = [:]
        for _ in 0..<20 {
            let key = Self.key(&random)
            model[key] = "\(random.next() % 10)"
            try write(database, [(key, model[key])])
        }
        let overlay = Overlay()
        let all = Rows(snapshot: try database.snapshot(), overlay: overlay)
        for index in 0...count {
            if index % 7 == 0 || index == count { try expect(all, model, &random) }
            let key = Self.key(&random)
            if random.oneIn(3) {
                overlay.remove { $0.text(key) }
                model[key] = nil
            } else {
                let value = random.oneIn(5) ? "" : "\(random.next() % 10)"
                overlay.put({ $0.text(key) }, { $0.text(value) })
                model[key] = value
            }
        }
        // After the batch was written, the database has all of its rows.
        try database.write(overlay, isDurable: true)
        try expect(Rows(snapshot: database.snapshot(), overlay: nil), model, &random)
    }

    private func expect(
        _ all: Rows, _ model: [String: String], _ random: inout SeededRandom
    ) throws {
        for key in ["", "a", "ab", "zzz", Self.key(&random)] {
            #expect(try value(key, in: all) == model[key])
            #expect(try all.contains(Array(key.utf8)) == (model[key] != nil))
        }
        for _ in 0..<4 {
            let bounds = [Self.key(&random), Self.key(&random) + random.pick(["", "~"])]
            let limit = random.pick([1, 2, .max])
            let expected = model.filter { bounds[0] <= $0.key && $0.key < bounds[1] }
                .sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            #expect(
                try rows(all, from: bounds[0], to: bounds[1], limit: limit)
                    == Array(expected.prefix(limit)))
            #expect(
                try rows(all, from: bounds[0], to: bounds[1], isDescending: true, limit: limit)
                    == Array(expected.reversed().prefix(limit)))
        }
    }

    // MARK: Files

    /// Writes values that cannot be compressed.
    private func fill(_ database: LevelDB, _ range: Range<Int>) throws {
        var random = SeededRandom(seed: 1)
        for index in range {
            let value = random.incompressibleText(words: 80)
            try write(database, [("key \(1_000 + index)", value)])
        }
    }

    @Test func compactionDropsRemovedRows() throws {
        let database = try inMemory()
        try fill(database, 0..<400)
        try database.flush()
        try write(database, (0..<400).map { ("key \(1_000 + $0)", nil) })
        // This property lists the first and the last key of each table.
        #expect(try database.property("leveldb.sstables")?.contains("key 1000") == true)
        try database.compact()
        #expect(try database.property("leveldb.sstables")?.contains("key") == false)
    }

    @Test func aCompactionOfARangeLeavesTheRowsAsTheyAre() throws {
        let database = try inMemory()
        try fill(database, 0..<100)
        try write(database, [("key 1010", nil)])
        let before = try rows(Rows(snapshot: database.snapshot(), overlay: nil))
        try database.compact([KeyRange(Array("key 1000".utf8), Array("key 1050".utf8))])
        #expect(try rows(Rows(snapshot: database.snapshot(), overlay: nil)) == before)
        #expect(before.count == 99)
    }

    @Test func propertiesHaveNames() throws {
        let database = try inMemory()
        #expect(try database.property("leveldb.stats")?.contains("Compactions") == true)
        #expect(try database.property("leveldb.num-files-at-level0") == "0")
        #expect(try database.property("leveldb.nonsense") == nil)
        #expect(try database.property("") == nil)
    }

    @Test func aDestroyedDatabaseIsEmptyWhenItIsOpenedAgain() throws {
        try withDirectory { path in
            try LevelDB.destroy(at: path + "/none")
            let database = try LevelDB(at: path)
            try write(database, [("a", "1")])
            let error = #expect(throws: StoreError.self) { try LevelDB.destroy(at: path) }
            #expect(error?.code == .locked)
            #expect(try value("a", in: database) == "1")
            database.close()
            try LevelDB.destroy(at: path)
            let files = try? FileManager.default.contentsOfDirectory(atPath: path)
            #expect(files ?? [] == [])
            #expect(try value("a", in: LevelDB(at: path)) == nil)
        }
    }

    @Test func aRepairedDatabaseHasItsRows() throws {
        try withDirectory { path in
            let database = try LevelDB(at: path)
            try fill(database, 0..<50)
            try database.flush()
            try write(database, [("a", "in the log")])
            let before = try rows(Rows(snapshot: database.snapshot(), overlay: nil))
            database.close()
            // CURRENT names the manifest, which lists the tables. Without CURRENT, the database
            // does not open.
            try FileManager.default.removeItem(atPath: path + "/CURRENT")
            let error = #expect(throws: StoreError.self) { try LevelDB(at: path) }
            #expect(error?.code == .corruption)
            try LevelDB.repair(at: path)
            let repaired = try LevelDB(at: path)
            #expect(
                try rows(Rows(snapshot: repaired.snapshot(), overlay: nil)) == before)
        }
    }

    @Test func levelDBErrorIsKeptAsTheCause() {
        let full = "IO error: /data/cache/000003.log: No space left on device [errno 28]"
        var error = StoreError(levelDB: full, path: "/data/cache")
        #expect(error.code == .noSpace && error.path == "/data/cache")
        #expect(error.cause.map { "\($0)" } == full)
        // If the error does not come from a system call, its number is 0, which the message omits.
        let other = "IO error: /data/cache/000005.ldb: is no table [errno 0]"
        error = StoreError(levelDB: other, path: "/data/cache")
        #expect(error.code == .io)
        #expect(error.message == "cannot read or write: /data/cache/000005.ldb: is no table")
        #expect(error.cause.map { "\($0)" } == other)
    }
}
