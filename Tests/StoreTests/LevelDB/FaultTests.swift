import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests power failures, and which writes are synced.
@Suite struct FaultTests {
    private static let seeds = Seeds.count(20, atNight: 300)

    private let disks = FailingDisks()

    // MARK: The power fails

    @Test(arguments: seeds, FileForm.allCases)
    func unsyncedWritesAreLostAsASuffix(seed: Int, files: FileForm) throws {
        let directory = try StoreDirectory(files)
        let expected = try ExpectedStore(Steps(seed: seed))
        var random = SeededRandom(seed: seed)
        let last = Int.random(in: 1...80, using: &random)
        let store = try disks.open(directory)
        for number in 1...last { try expected.steps.write(number, to: store) }
        for disk in disks.both { disk.cutPower() }
        store.close()
        try disks.loseUnsynced(in: directory)

        let again = try directory.open()
        let report = again.openingReport
        #expect(report.replacedCache == nil && report.outboxDamage == nil, "\(report)")
        #expect(try again.contradictions() == [])
        #expect(try again.outboxPicture() == expected.outbox(after: last))
        let cache = try CachePicture(again)
        let step = cache.step ?? 0
        #expect(step <= last)
        #expect(try cache == expected.cache(after: step))
    }

    @Test(arguments: FileForm.allCases)
    func outboxWritesAreSyncedAndCacheWritesAreNot(files: FileForm) throws {
        let directory = try StoreDirectory(files)
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
