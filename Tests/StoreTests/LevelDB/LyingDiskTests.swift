import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests stores in which an older log has lost its end, and a later log is complete.
///
/// A crash does not cause this, but a disk that ignores syncs may.
@Suite struct LyingDiskTests {
    private static let seeds = Seeds.count(10, atNight: 500)

    /// Creates a store whose cache has two logs.
    ///
    /// The last step has rows in the older log.
    ///
    /// - Returns: The directory, the size of the older log after each of its steps, and the last
    ///   step.
    private func twoLogs(
        _ steps: Steps, _ files: FileForm
    ) throws -> (directory: StoreDirectory, ends: [(step: Int, size: Int)], last: Int) {
        let directory = try StoreDirectory(files)
        let disks = FailingDisks()
        let store = try disks.open(directory)
        disks.cache.failTables(with: EIO)
        let older = try #require(try directory.files("cache", ".log").last)
        var ends: [(step: Int, size: Int)] = []
        var number = 0
        // Write until the second log is full, too. Then wait until LevelDB has converted the first
        // log to a table.
        while true {
            number += 1
            do {
                try steps.write(number, to: store)
            } catch let error as StoreError where error.code == .io {
                break
            }
            if try directory.files("cache", ".log").count == 1 {
                ends.append((number, try Data(contentsOf: older).count))
            }
        }
        for disk in disks.both { disk.cutPower() }
        store.close()
        #expect(try directory.files("cache", ".log").count == 2)
        return (directory, ends, number - 1)
    }

    @Test(arguments: seeds, FileForm.allCases)
    func lostCommitsReplaceTheCache(seed: Int, files: FileForm) throws {
        let steps = Steps(seed: seed)
        let (directory, ends, last) = try twoLogs(steps, files)
        var random = SeededRandom(seed: seed)
        let older = try #require(try directory.files("cache", ".log").first)
        let size = Int.random(in: 0..<(try #require(ends.last).size), using: &random)
        try Data(try Data(contentsOf: older).prefix(size)).write(to: older)

        for opening in 1...2 {
            let store = try directory.open()
            let report = store.openingReport
            #expect((report.replacedCache != nil) == (opening == 1), "\(report)")
            #expect(report.isCacheNew == (opening == 1) && report.outboxDamage == nil)
            #expect(try store.contradictions() == [])
            #expect(try store.tokenScopes() == ["replaced"] && store.channelURLs() == [])
            #expect(try store.outboxPicture() == ExpectedStore(steps).outbox(after: last))
        }
        // The store can still be used. When its data is written again, it is complete.
        let store = try directory.open()
        for number in 1...last { try steps.write(number, to: store) }
        #expect(try CachePicture(store) == ExpectedStore(steps).cache(after: last))
    }

    @Test(arguments: FileForm.allCases)
    func outboxWithALostMiddleIsReportedAndCopied(files: FileForm) throws {
        let directory = try StoreDirectory(files)
        let disks = FailingDisks()
        let store = try disks.open(directory)
        disks.outbox.failTables(with: EIO)
        let older = try #require(try directory.files("outbox", ".log").last)
        let text = String(repeating: "long ", count: 20_000)
        var number = 0
        func save(_ number: Int) throws {
            let message = Message(id: nil, channelURL: "general", text: text, createdAt: 1)
            try store.write {
                try $0.save(OutboxItem(message, requestID: RequestID("r-\(number)")))
            }
        }
        while try directory.files("outbox", ".log").count == 1 {
            number += 1
            try save(number)
        }
        // The last step is in the newer log, and only there.
        for disk in disks.both { disk.cutPower() }
        store.close()
        let bytes = try Data(contentsOf: older)
        try Data(bytes.prefix(bytes.count / 2)).write(to: older)

        let again = try directory.open()
        let items = try again.outboxItems()
        #expect(items.count < number)
        #expect(items.last?.requestID == RequestID("r-\(number)"))
        #expect(again.openingReport.replacedCache == nil)
        #expect(again.openingReport.isOutboxRebuilt == (files == .encrypted))
        #expect((again.openingReport.outboxDamage != nil) == (files == .plain))
        let copy = try #require(again.openingReport.outboxCopy)
        #expect(
            try Data(contentsOf: URL(filePath: copy).appending(path: older.lastPathComponent)).count
                == bytes.count / 2)
        #expect(try again.contradictions() == [])
    }

    // MARK: OutboxItems whose first commit is lost

    private let long = String(repeating: "x", count: 40_000)

    private func outboxItem(_ text: String, _ id: RequestID) -> OutboxItem {
        OutboxItem(
            Message(id: nil, channelURL: "general", text: text, createdAt: 1), requestID: id)
    }

    /// Creates a store whose outbox has lost the commits that created two items, but not the
    /// commits that edited these items.
    private func editedOutboxItems() throws -> StoreDirectory {
        let directory = try StoreDirectory()
        let store = try directory.open(StoreOptions())
        try store.write { try $0.save(outboxItem("whole", "q")) }
        for id: RequestID in ["r", "s"] {
            // The text is longer than a block of the log. If the first block is damaged, only this
            // commit is lost.
            try store.write { try $0.save(outboxItem(long, id)) }
            try store.write { try $0.save(outboxItem("edited", id)) }
        }
        store.close()
        let log = try #require(try directory.files("outbox", ".log").last)
        var bytes = try Data(contentsOf: log)
        var start = bytes.startIndex
        for _ in 1...2 {
            let range = try #require(
                bytes.range(of: Data(repeating: 0x78, count: 1_000), in: start..<bytes.endIndex))
            bytes[range.lowerBound + 500] ^= 1
            start = range.lowerBound + 39_500
        }
        try bytes.write(to: log)
        return directory
    }

    private func expectInOrder(_ store: ChatStore) throws {
        let edited = [outboxItem("edited", "r"), outboxItem("edited", "s")]
        #expect(try store.outboxItems() == [outboxItem("whole", "q")] + edited)
        #expect(try store.outboxItem("r") == edited[0] && store.outboxItem("s") == edited[1])
        #expect(try store.contradictions() == [])
        try store.write { try $0.save(outboxItem("new", "t")) }
        #expect(try store.outboxItems().map(\.requestID) == ["q", "r", "s", "t"])
        let (_, change) = try store.commit { try $0.removeOutboxItem("r") }
        #expect(change.operations == [.removedOutboxItem(edited[0])])
        #expect(try store.outboxItems().map(\.requestID) == ["q", "s", "t"])
        #expect(try store.contradictions() == [])
    }

    @Test func outboxItemWithoutItsFirstCommitIsFoundAndKept() throws {
        let directory = try editedOutboxItems()
        let store = try directory.open()
        #expect(store.openingReport.outboxDamage != nil)
        #expect(store.openingReport.isOutboxReindexed && !store.openingReport.isOutboxLost)
        try expectInOrder(store)
        store.close()
        let again = try directory.open()
        #expect(again.openingReport.outboxDamage == nil && !again.openingReport.isOutboxReindexed)
        #expect(try again.outboxItems().map(\.requestID) == ["q", "s", "t"])
    }

    @Test func interruptedOpeningIsCompletedByTheNext() throws {
        let template = try editedOutboxItems()
        for change in 1... {
            let directory = try StoreDirectory(of: template)
            let disks = FailingDisks()
            disks.outbox.fail(at: change, with: EIO, once: false)
            // If only the removal of old files fails, opening succeeds.
            let isOpen = code { try disks.open(directory).close() } == nil
            let isOver = disks.outbox.changes < change
            disks.outbox.heal()
            let store = try directory.open()
            #expect(store.openingReport.isOutboxReindexed != isOpen, "failed at \(change)")
            #expect(store.openingReport.outboxCopy != nil)
            try expectInOrder(store)
            let mark = directory.url.appending(path: "DISTRUST-OUTBOX").path
            #expect(!FileManager.default.fileExists(atPath: mark))
            if isOver {
                #expect(change > 5)
                break
            }
        }
    }

    @Test func logWithoutReadableRecordsIsReportedOnce() throws {
        let directory = try StoreDirectory()
        try directory.open().close()
        let path = directory.url.appending(path: "outbox").path
        let database = try LevelDB(at: path)
        try database.compact()
        database.close()
        let store = try directory.open()
        try store.write { try $0.save(outboxItem("whole", "q")) }
        store.close()
        let log = try #require(try directory.files("outbox", ".log").last)
        var bytes = try Data(contentsOf: log)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: log)

        let damaged = try directory.open()
        #expect(damaged.openingReport.outboxDamage != nil)
        #expect(try damaged.outboxItems() == [])
        damaged.close()
        let again = try directory.open()
        #expect(again.openingReport.outboxDamage == nil)
        #expect(again.openingReport.outboxCopy?.hasSuffix("outbox-damaged-1") == true)
    }

    @Test func outboxCopiesGetTheNextNumber() throws {
        let directory = try editedOutboxItems()
        func copy(_ name: String) -> URL { directory.url.appending(path: "outbox-damaged-\(name)") }
        for name in ["2", "9", "x", "010", "-1", "9223372036854775807", "10.new"] {
            try FileManager.default.createDirectory(
                at: copy(name), withIntermediateDirectories: false)
            try Data().write(to: copy(name).appending(path: "of before"))
        }
        let files = try directory.files("outbox").map(\.lastPathComponent).filter { $0 != "LOCK" }
        let bytes = try files.map {
            try Data(contentsOf: directory.url.appending(path: "outbox/\($0)"))
        }
        #expect(try directory.open().openingReport.outboxCopy == copy("10").path)
        #expect(try directory.open().openingReport.outboxCopy == copy("10").path)
        let names = try FileManager.default.contentsOfDirectory(atPath: copy("10").path)
        #expect(names.sorted() == files)
        #expect(try files.map { try Data(contentsOf: copy("10").appending(path: $0)) } == bytes)
        #expect(!FileManager.default.fileExists(atPath: copy("10.new").path))
    }
}
