import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

/// Tests that closing and suspending convert long logs to tables, so that the next opening is fast.
@Suite struct ShortLogTests {
    private let directory: StoreDirectory
    private var path: String { directory.url.appending(path: "db").path }

    init() throws { directory = try StoreDirectory() }

    private func open(_ disk: FailingDisk? = nil) throws -> LevelDB {
        try LevelDB(at: path, environment: disk?.environment ?? .disk())
    }

    /// Writes rows of eight kilobytes each, one row at a time.
    private func write(_ numbers: Range<Int>, to database: LevelDB) throws {
        for number in numbers {
            let row = Overlay()
            row.put({ $0.integer(UInt32(number)) }, { $0.raw([UInt8](repeating: 7, count: 8192)) })
            try database.write(row, isDurable: false)
        }
    }

    /// A number of rows that makes a log long.
    private static let many = 40

    private func count(_ database: LevelDB) throws -> Int {
        try Rows(snapshot: database.snapshot()).count(.all)
    }

    private func tables(of database: String = "db") throws -> Int {
        try directory.files(database, ".ldb").count
    }

    @Test func longLogIsConvertedToATableOnClosing() throws {
        let database = try open()
        try write(0..<Self.many, to: database)
        #expect(try tables() == 0)
        database.close()
        #expect(try tables() == 1)
        let again = try open()
        #expect("\(again.takeLogReport())" == "1 logs, 0 batches, 0 breaks, 0 damaged records")
        #expect(try count(again) == Self.many)
        // The database continues with the new log.
        try write(Self.many..<Self.many + 2, to: again)
        again.close()
        #expect(try tables() == 1)
        let last = try open()
        #expect(last.takeLogReport().batches == 2)
        #expect(try count(last) == Self.many + 2)
    }

    @Test func shortLogIsKept() throws {
        for session in 0..<3 {
            let database = try open()
            #expect(database.takeLogReport().batches == session)
            try write(session..<session + 1, to: database)
            database.close()
        }
        #expect(try tables() == 0)
        #expect(try count(open()) == 3)
    }

    @Test(arguments: FileForm.allCases)
    func longLogIsConvertedToATableOnSuspending(files: FileForm) throws {
        let directory = try StoreDirectory(files)
        let store = try directory.open(StoreOptions())
        let text = String(repeating: "x", count: 8192)
        for number in 1...Self.many {
            try store.write { batch in
                try batch.save(
                    Message(
                        id: MessageID("\(number)"), channelURL: "c", text: text,
                        createdAt: Timestamp(milliseconds: Int64(number))))
            }
        }
        let messages = try store.messages(in: "c")
        try store.suspend()
        #expect(try directory.files("cache", ".ldb").count == 1)
        let other = try directory.open(StoreOptions())
        #expect(other.openingReport.cacheLogs.batches == 0)
        #expect(other.openingReport.replacedCache == nil)
        #expect(try other.messages(in: "c") == messages)
        other.close()
        try store.resume()
        #expect(try store.messages(in: "c") == messages)
        #expect(try store.contradictions() == [])
    }

    @Test func heldSnapshotStaysReadable() throws {
        let database = try open()
        try write(0..<Self.many, to: database)
        let snapshot = try database.snapshot()
        database.close()
        #expect(try Rows(snapshot: snapshot).count(.all) == Self.many)
        #expect(try tables() == 1)
    }

    // MARK: Failures

    @Test func failedTableKeepsTheLogs() throws {
        let disk = FailingDisk()
        let database = try open(disk)
        try write(0..<Self.many, to: database)
        disk.failTables(with: ENOSPC)
        database.close()
        #expect(try tables() == 0)
        let again = try open()
        #expect(again.takeLogReport().batches == Self.many)
        #expect(try count(again) == Self.many)
    }

    /// Closes a store once for each change to the disk that closing makes.
    ///
    /// Before each time, `prepare` is called with the number of the change.
    ///
    /// The last number is greater than the number of changes. After each time, all rows must exist.
    private func atEachChangeOfClosing(
        _ prepare: (FailingDisk, Int) -> Void, after finish: (FailingDisk) throws -> Void = { _ in }
    ) throws {
        var change = 0
        var isOver = false
        while !isOver {
            change += 1
            let disk = FailingDisk()
            let database = try open(disk)
            try write(0..<Self.many, to: database)
            let last = Overlay()
            last.put { $0.integer(UInt32(Self.many)) }
            try database.write(last, isDurable: true)
            let before = disk.changes
            prepare(disk, change)
            database.close()
            isOver = disk.changes - before < change
            try finish(disk)

            let again = try open()
            let report = again.takeLogReport()
            #expect(!report.isDamaged, "change \(change): \(report)")
            #expect(try count(again) == Self.many + 1, "change \(change)")
            again.close()
            try FileManager.default.removeItem(atPath: path)
        }
        // Closing creates a log, a table and a manifest, and removes a log.
        #expect(change > 10)
    }

    @Test(arguments: [false, true]) func failedClosingLosesNothing(once: Bool) throws {
        try atEachChangeOfClosing { disk, change in
            disk.fail(at: change, with: EIO, once: once, tearing: true)
        }
    }

    @Test func killedClosingLosesNothing() throws {
        try atEachChangeOfClosing { disk, change in disk.cutPower(at: change) }
    }

    @Test func powerFailureDuringClosingLosesNothingSynced() throws {
        try atEachChangeOfClosing { disk, change in
            disk.cutPower(at: change)
        } after: { disk in
            try disk.loseUnsynced(in: URL(filePath: path))
        }
    }
}
