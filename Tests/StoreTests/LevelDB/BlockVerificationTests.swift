import Foundation
import ScrollbackTesting
import Testing

@testable import Store

/// Tests that the environment verifies each block of a table when it is read for the first time.
@Suite struct BlockVerificationTests {
    private static let count = 400

    /// A closed database in which each row has 300 bytes that no other row has.
    private struct Victim {
        let directory: StoreDirectory
        var path: String { directory.url.appending(path: "cache").path }

        init(_ form: FileForm) throws {
            directory = try StoreDirectory(form)
            // Opening a store creates the keys of encrypted files.
            if form == .encrypted { try directory.open().close() }
            try? FileManager.default.removeItem(atPath: path)
            let database = try open()
            // Two tables, neither of which contains all rows.
            for numbers in [0..<count / 2, count / 2..<count] {
                let batch = Overlay()
                for number in numbers {
                    batch.put({ $0.raw(key(number)) }, { $0.raw(value(number)) })
                }
                try database.write(batch, isDurable: false)
                try database.flush()
            }
            database.close()
            #expect(try tables().count == 2)
        }

        func open() throws -> LevelDB {
            try LevelDB(at: path, environment: directory.environment("cache"))
        }

        func tables() throws -> [URL] { try directory.files("cache", ".ldb") }
    }

    private static func key(_ number: Int) -> KeyBytes {
        ByteWriter.key { $0.integer(UInt16(number)) }
    }

    private static func value(_ number: Int) -> [UInt8] {
        var random = SeededRandom(seed: number)
        return (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Returns the numbers of the rows that cannot be read, each in a new snapshot.
    ///
    /// All other rows must have their values.
    private func unreadable(_ database: LevelDB) -> [Int] {
        (0..<Self.count).filter { number in
            do throws(StoreError) {
                let rows = Rows(snapshot: try database.snapshot())
                let value = try rows.withValue(of: Self.key(number)) { $0.map(Array.init) }
                #expect(value == Self.value(number))
                return false
            } catch {
                #expect(error.code == .corruption && error.path == database.path)
                return true
            }
        }
    }

    private func scan(_ database: LevelDB) throws(StoreError) {
        try database.snapshot().scan(.all) { _, _ in true }
    }

    /// Flips a bit of a file in its place, so that a mapping of the file sees it.
    private func flip(_ bit: Int, of file: URL) throws {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(bit / 8))
        let byte = try #require(handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: UInt64(bit / 8))
        try handle.write(contentsOf: Data([byte ^ 1 << (bit % 8)]))
    }

    @Test func flippedBitOfEachBlockIsFoundWhenTheBlockIsRead() throws {
        let victim = try Victim(.plain)
        var random = SeededRandom(seed: 1)
        var found: [Int] = []
        for table in try victim.tables() {
            let blocks = TableBlocks(try Data(contentsOf: table))
            #expect(blocks.ranges.count > 5)
            for block in blocks.ranges {
                let bit = Int.random(
                    in: block.lowerBound * 8..<block.upperBound * 8, using: &random)
                // The database is open, but has not read the block.
                let database = try victim.open()
                _ = try database.snapshot()
                try flip(bit, of: table)
                let rows = unreadable(database)
                #expect(!rows.isEmpty && rows.count < 40, "only the rows of the block")
                found += rows
                #expect(throws: StoreError.self) { try scan(database) }
                database.close()
                try flip(bit, of: table)
            }
        }
        #expect(found.sorted() == Array(0..<Self.count))
        #expect(try unreadable(victim.open()) == [])
    }

    @Test(arguments: FileForm.allCases)
    func flippedBitOfEachPageNeverChangesARow(_ form: FileForm) throws {
        let victim = try Victim(form)
        var random = SeededRandom(seed: 2)
        for table in try victim.tables() {
            let size = try Data(contentsOf: table).count
            var harmless = 0
            for page in stride(from: 0, to: size, by: 4096) {
                let end = min(page + 4096, size)
                let bit = Int.random(in: page * 8..<end * 8, using: &random)
                try flip(bit, of: table)
                // Opening the table may fail; then no row of it can be read.
                let database = try victim.open()
                if unreadable(database).isEmpty { harmless += 1 }
                database.close()
                try flip(bit, of: table)
            }
            // Without its filter, a table can still be read.
            #expect(harmless <= 1, "\(form)")
        }
        #expect(try unreadable(victim.open()) == [])
    }

    /// What Docs/Reliability.md says about a page that the system reads again.
    @Test func verifiedBlockIsVerifiedAgainByACompactionOnly() throws {
        let victim = try Victim(.plain)
        let table = try victim.tables()[0]
        let block = try #require(TableBlocks(try Data(contentsOf: table)).ranges.first)
        let database = try victim.open()
        #expect(unreadable(database) == [])
        // A bit of a value, after the header of the first row.
        try flip((block.lowerBound + 100) * 8, of: table)
        let changed = try Rows(snapshot: database.snapshot())
            .withValue(of: Self.key(0)) { $0.map(Array.init) }
        #expect(changed != Self.value(0) && changed?.count == 300)
        try database.compact()
        let error = #expect(throws: StoreError.self) {
            try database.write(Overlay(), isDurable: false)
        }
        #expect(error?.code == .corruption)
        database.close()
        // The next opening verifies the block again.
        #expect(try unreadable(victim.open()).first == 0)
    }
}
