import Foundation
import Models
import StoreCrashWriter
import Testing

@testable import Store

/// The power fails, and writes do.
@Suite struct FaultTests {
    private static let seeds =
        ProcessInfo.processInfo.environment["SCROLLBACK_NIGHTLY"] == nil ? 0..<20 : 0..<300

    private let directory: StoreDirectory
    private let disks = FailingDisks()

    init() throws { directory = try StoreDirectory() }

    // MARK: The power fails

    @Test(arguments: seeds) func whatWasNotSyncedGoesAsASuffix(seed: Int) throws {
        let expected = try ExpectedStore(Steps(seed: seed))
        var random = DisasterRandom(seed: seed)
        let last = Int.random(in: 1...80, using: &random)
        let store = try disks.open(directory)
        for number in 1...last { try expected.steps.write(number, to: store) }
        for disk in disks.both { disk.cutPower() }
        store.close()
        try disks.loseUnsynced(in: directory)

        let again = try directory.open()
        let report = again.openingReport
        #expect(report.cacheDamage == nil && report.outboxDamage == nil, "\(report)")
        #expect(try again.contradictions() == [])
        #expect(try again.outboxPicture() == expected.outbox(after: last))
        let cache = try CachePicture(again)
        let step = cache.step ?? 0
        #expect(step <= last)
        #expect(try cache == expected.cache(after: step))
    }

    @Test func whatIsInTheOutboxIsSyncedAndWhatIsInTheCacheIsNot() throws {
        let steps = Steps(seed: 1)
        let store = try disks.open(directory, StoreOptions())
        for number in 1...10 { try steps.write(number, to: store) }
        for disk in disks.both { disk.cutPower() }
        store.close()
        try disks.loseUnsynced(in: directory)
        let again = try directory.open()
        #expect(try CachePicture(again).step == nil)
        #expect(try again.outboxPicture() == ExpectedStore(steps).outbox(after: 10))
    }
}

// MARK: A disk that lies about syncs

/// An older log loses its tail while a later one is whole: no crash leaves that, a disk may.
@Suite struct LyingDiskTests {
    private static let seeds =
        ProcessInfo.processInfo.environment["SCROLLBACK_NIGHTLY"] == nil ? 0..<30 : 0..<500

    /// A store whose cache has two logs, and the last step of which something is in the older one.
    ///
    /// - Returns: What the older log's size was after each step that it has.
    private func twoLogs(
        _ steps: Steps
    ) throws -> (directory: StoreDirectory, ends: [(step: Int, size: Int)], last: Int) {
        let directory = try StoreDirectory()
        let disks = FailingDisks()
        let store = try disks.open(directory)
        disks.cache.failTables(with: EIO)
        let older = try #require(try directory.files("cache", ".log").last)
        var ends: [(step: Int, size: Int)] = []
        var number = 0
        // Until the second log is full too, and waits for the first to become a table.
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

    @Test(arguments: seeds)
    func rowsStayAndWhatPromisesCompletenessGoes(seed: Int) throws {
        let steps = Steps(seed: seed)
        let (directory, ends, last) = try twoLogs(steps)
        var random = DisasterRandom(seed: seed)
        let older = try #require(try directory.files("cache", ".log").first)
        let size = Int.random(in: 0..<(try #require(ends.last).size), using: &random)
        try Data(try Data(contentsOf: older).prefix(size)).write(to: older)

        for opening in 1...2 {
            let store = try directory.open()
            let report = store.openingReport
            #expect((report.cacheDamage != nil) == (opening == 1), "\(report)")
            #expect(report.isCoverageDropped == (opening == 1))
            #expect(report.outboxDamage == nil)
            #expect(try store.contradictions() == [])
            #expect(try store.tokenScopes() == [])
            let written = steps.everyMessage(through: last)
            for url in Steps.channels {
                #expect(try store.gaps(in: url) == [Gap(in: url)])
                #expect(try store.staleRanges(in: url) == [])
                for message in try store.messages(in: url) {
                    #expect(message.channelURL == url)
                    #expect(written.contains(message))
                }
            }
            #expect(try store.outboxPicture() == ExpectedStore(steps).outbox(after: last))
        }
        // It works on, and becomes whole again.
        let store = try directory.open()
        for url in Steps.channels { try store.write { try $0.clearMessages(in: url) } }
        try store.purgeCleared()
        #expect(try store.contradictions() == [])
        for number in 1...last { try steps.write(number, to: store) }
        #expect(try CachePicture(store) == ExpectedStore(steps).cache(after: last))
    }

    @Test(arguments: seeds) func noRowThatIsInTheLogsIsDropped(seed: Int) throws {
        let steps = Steps(seed: seed, removes: false)
        let (directory, ends, last) = try twoLogs(steps)
        var random = DisasterRandom(seed: seed)
        let older = try #require(try directory.files("cache", ".log").first)
        // Behind the steps that give the channels their names.
        try #require(ends.count > 4)
        let index = Int.random(in: 3..<ends.count - 1, using: &random)
        let size = Int.random(in: ends[index].size..<ends[index + 1].size + 1, using: &random)
        let lastOfOlder = try #require(ends.last).step
        try Data(try Data(contentsOf: older).prefix(size)).write(to: older)

        let whole = ends.last { $0.size <= size }
        let expected = try ChatStore.inMemory()
        for number in 1...last {
            let isLost = number > (whole?.step ?? 0) && number <= lastOfOlder
            if !isLost { try steps.write(number, to: expected) }
        }
        let store = try directory.open()
        for url in Steps.channels {
            #expect(try store.messages(in: url) == expected.messages(in: url))
        }
    }

    @Test func anOutboxThatLostItsMiddleIsToldAndKeptAsItWas() throws {
        let directory = try StoreDirectory()
        let disks = FailingDisks()
        let store = try disks.open(directory)
        disks.outbox.failTables(with: EIO)
        let older = try #require(try directory.files("outbox", ".log").last)
        let text = String(repeating: "long ", count: 20_000)
        var number = 0
        func save(_ number: Int) throws {
            let message = Message(id: nil, channelURL: "general", text: text, createdAt: 1)
            try store.write { try $0.save(Draft(message, requestID: RequestID("r-\(number)"))) }
        }
        while try directory.files("outbox", ".log").count == 1 {
            number += 1
            try save(number)
        }
        // The last one is in the newer log.
        for disk in disks.both { disk.cutPower() }
        store.close()
        let bytes = try Data(contentsOf: older)
        try Data(bytes.prefix(bytes.count / 2)).write(to: older)

        let again = try directory.open()
        let drafts = try again.drafts()
        #expect(drafts.count < number)
        #expect(drafts.last?.requestID == RequestID("r-\(number)"))
        #expect(again.openingReport.cacheDamage == nil)
        #expect(again.openingReport.outboxDamage?.isDamaged == true)
        let copy = try #require(again.openingReport.outboxCopy)
        #expect(
            try Data(contentsOf: URL(filePath: copy).appending(path: older.lastPathComponent)).count
                == bytes.count / 2)
        #expect(try again.contradictions() == [])
    }
}
