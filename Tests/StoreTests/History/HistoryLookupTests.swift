import Models
import ScrollbackTesting
import Testing

@testable import Store

/// Tests questions about a history that are answered without reading messages.
@Suite struct HistoryLookupTests {
    private func at(_ time: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: time), messageID: "m")
    }

    private func bound(_ time: Int64) -> Gap.Bound { .position(at(time)) }

    /// Returns a store that has only channel "general" with these gaps.
    private func store(
        _ gaps: [(Gap.Bound, Gap.Bound)]
    ) throws -> ChatStore {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.cover("general", from: .beginning, through: .end)
            for (lower, upper) in gaps {
                try batch.open(Gap(in: "general", from: lower, to: upper))
            }
        }
        return store
    }

    // MARK: Next to a bound

    @Test func unknownChannelIsOneGapFromEachBoundAboveTheBeginning() throws {
        let store = try ChatStore.inMemory()
        #expect(try store.firstGap(below: .end, in: "x") == Gap(in: "x"))
        #expect(try store.firstGap(below: .beginning, in: "x") == nil)
        #expect(try store.firstGap(above: bound(1), in: "x") == Gap(in: "x"))
        #expect(try store.firstGap(above: .end, in: "x") == nil)
    }

    @Test(arguments: 0..<16) func lookupsAgreeWithAScanOfAllGaps(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let store = try store([])
        let bounds = [.beginning] + (1...9).map { bound($0) } + [.end]
        try store.write { batch in
            for _ in 0..<4 {
                let lower = random.number(below: bounds.count - 1)
                let upper = lower + 1 + random.number(below: min(3, bounds.count - 1 - lower))
                try batch.open(Gap(in: "general", from: bounds[lower], to: bounds[upper]))
            }
        }
        let gaps = try store.gaps(in: "general")
        for bound in bounds {
            #expect(
                try store.firstGap(below: bound, in: "general")
                    == gaps.last { $0.lower < bound })
            #expect(
                try store.firstGap(above: bound, in: "general")
                    == gaps.first { bound < $0.upper })
        }
    }

    @Test func equalOrReversedBoundsContainNothing() throws {
        let store = try store([(bound(10), bound(20))])
        try store.write {
            try $0.markStale(
                StaleRange(in: "general", from: bound(10), to: bound(20), lossNumber: 1))
        }
        for url: ChannelURL in ["general", "unknown"] {
            #expect(try store.gaps(in: url, from: bound(15), to: bound(15)).isEmpty)
            #expect(try store.gaps(in: url, from: bound(16), to: bound(14)).isEmpty)
            #expect(try store.gaps(in: url, from: bound(14), to: bound(16)).count == 1)
            #expect(try store.staleRanges(in: url, from: bound(15), to: bound(15)).isEmpty)
            #expect(try store.staleRanges(in: url, from: bound(16), to: bound(14)).isEmpty)
        }
        #expect(try store.staleRanges(in: "general", from: bound(14), to: bound(16)).count == 1)
    }

    // MARK: Across channels

    @Test func channelsWithGapsAreListedOnce() throws {
        let store = try store([(bound(10), bound(20)), (bound(30), bound(40))])
        try store.write { batch in
            try batch.cover("whole", from: .beginning, through: .end)
            try batch.save(GroupChannel(url: "new", createdAt: 1))
            try batch.save(GroupChannel(url: "removed", createdAt: 1))
            try batch.markStale(StaleRange(in: "whole", lossNumber: 1))
            try batch.markStale(StaleRange(in: "removed", lossNumber: 1))
        }
        try store.write { batch in
            try batch.removeChannel("removed")
            #expect(try batch.channelURLsWithGaps() == ["general", "new"])
        }
        #expect(try store.channelURLsWithGaps() == ["general", "new"])
        #expect(try store.channelURLsWithStaleRanges() == ["whole"])
    }

    // MARK: Messages, outbox items and tombstones, by their keys

    @Test func messagesAreCountedBetweenBounds() throws {
        let store = try ChatStore.inMemory()
        #expect(try store.newestPosition(in: "general") == nil)
        try store.write { batch in
            for time in [10, 20, 30] as [Timestamp] {
                try batch.save(Message(MessageID("m\(time)"), at: time))
            }
            try batch.save(Message("other", at: 99, in: "other"))
        }
        func position(_ time: Timestamp) -> Position {
            Position(createdAt: time, messageID: MessageID("m\(time)"))
        }
        func count(_ lower: Gap.Bound, _ upper: Gap.Bound) throws -> Int {
            try store.messageCount(in: "general", from: lower, to: upper)
        }
        let newest = try #require(try store.newestPosition(in: "general"))
        let oldest = try #require(try store.oldestPosition(in: "general"))
        #expect(newest == position(30) && oldest == position(10))
        #expect(try count(.beginning, .end) == 3)
        #expect(try count(.beginning, .position(newest)) == 2)
        #expect(try count(.position(oldest), .end) == 2)
        #expect(try count(.position(oldest), .position(newest)) == 1)
        #expect(try count(.position(newest), .position(oldest)) == 0)
        #expect(try count(.position(newest), .position(newest)) == 0)
        #expect(try count(bound(5), bound(15)) == 1)
        #expect(try store.messageCount(in: "unknown", from: .beginning, to: .end) == 0)
        #expect(try store.oldestPosition(in: "unknown") == nil)
    }

    @Test func outboxItemsAreCountedAndFoundByState() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(OutboxItem("1", request: "1", in: "a"))
            var failed = OutboxItem("2", request: "2", in: "a")
            failed.state = .failed
            try batch.save(failed)
            try batch.save(OutboxItem("3", request: "3", in: "a"))
            try batch.save(OutboxItem("4", request: "4", in: "b"))
        }
        #expect(try store.outboxItemCount(in: "a") == 3)
        #expect(try store.outboxItemCount(in: "unknown") == 0)
        #expect(try store.outboxItemCount() == 4)
        #expect(try store.outboxItems(in: "a", state: .failed).map(\.requestID) == ["2"])
        #expect(try store.outboxItems(in: "a", state: .pending).map(\.requestID) == ["1", "3"])
        #expect(try store.outboxItems(in: "a", state: .pending, limit: 1).map(\.requestID) == ["1"])
        #expect(try store.outboxItems(state: .pending).map(\.requestID) == ["1", "3", "4"])
    }

    @Test func tombstonesAreCountedByChannel() throws {
        let store = try ChatStore.inMemory()
        try store.write { batch in
            try batch.save(Tombstone("1", in: "a", deletedAt: 1))
            try batch.save(Tombstone("2", in: "a", deletedAt: 1))
            try batch.save(Tombstone("1", in: "b", deletedAt: 1))
            try batch.removeTombstone(of: "2", in: "a")
        }
        #expect(try store.tombstoneCount(in: "a") == 1)
        #expect(try store.tombstoneCount(in: "b") == 1)
        #expect(try store.tombstoneCount(in: "unknown") == 0)
    }
}
