import Foundation
import Models
import ScrollbackFaultyDisks
import Testing

@testable import Store

@Suite struct WriteTests {
    @Test func failedCallHasNoEffect() throws {
        let store = try ChatStore.inMemory()
        let tooLong = Gap.Bound.position(
            Position(createdAt: 1, messageID: MessageID(String(repeating: "x", count: 65_536))))
        let known = Gap.Bound.position(Position(createdAt: 1, messageID: "m"))
        let (_, change) = try store.commit { batch in
            #expect(code { try batch.open(Gap(in: "a", to: tooLong)) } == .invalid)
            #expect(
                code { try batch.markStale(StaleRange(in: "b", to: tooLong, lossNumber: 1)) }
                    == .invalid
            )
            #expect(code { try batch.cover("c", from: tooLong, through: .end) } == .invalid)
            #expect(code { try batch.cover("d", from: .end, through: .beginning) } == .invalid)
            #expect(code { try batch.update(Gap(in: "e", from: known)) } == .invalid)
            #expect(code { try batch.save(Message("", at: 1, in: "f")) } == .invalid)
            #expect(code { try batch.save(OutboxItem("hi", request: "", in: "g")) } == .invalid)
        }
        #expect(change.isEmpty && change.number == 0)
        #expect(try store.channelURLs().isEmpty)
    }

    @Test func gapOfAnUnknownChannelCanBeUpdated() throws {
        let store = try ChatStore.inMemory()
        var gap = try #require(try store.gaps(in: "a").first)
        gap.backfillCursor = "w"
        try store.write { try $0.update(gap) }
        #expect(try store.gaps(in: "a") == [gap])
    }

    @Test func writeSucceedsIfOnlyTheLaterPurgeFails() throws {
        var failedCleanings = 0
        for change in 1...8 {
            let (disks, directory) = (FailingDisks(), try StoreDirectory())
            let store = try disks.open(directory)
            try store.write { try $0.save(Message("a", at: 1)) }
            let (_, changes) = try store.observe(.everything)
            disks.cache.fail(at: change, with: ENOSPC, once: true)
            let written = try? store.commit { try $0.clearMessages(in: "general") }.change
            guard let written, store.cache.hasFailed else { continue }
            failedCleanings += 1
            #expect(written.number == 2)
            #expect(changes.drain() == [written])
            #expect(try store.messages(in: "general") == [])
            // The rows that are left are removed later.
            #expect(
                try store.view.cache.count(KeyRange(prefix: [Table.creationTime.rawValue])) == 1)
            disks.cache.heal()
            try store.purgeCleared()
            #expect(
                try store.view.cache.count(KeyRange(prefix: [Table.creationTime.rawValue])) == 0)
        }
        #expect(failedCleanings > 0)
    }
}
