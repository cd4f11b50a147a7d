import Models
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests which channels are backfilled, and when their state is removed.
@Suite struct BackfillTests {
    private var stalled: SyncError { SyncError(.stalled, "again and again") }

    /// Returns the state of one channel with one viewer, after its backfill.
    private func shown() -> Backfill {
        var backfill = Backfill()
        backfill.begin()
        backfill.show("c", ShownRange(from: .beginning), 1)
        _ = backfill.next()
        backfill["c"].newMessageCount = 7
        return backfill
    }

    @Test func scrollingDoesNotRestartAFailedBackfill() {
        var backfill = shown()
        backfill.fail("c", stalled)
        backfill.show("c", ShownRange(from: .beginning, to: .end), 1)
        #expect(backfill.failure(of: "c") != nil)
        backfill.show("c", nil, 2)
        #expect(backfill.failure(of: "c") == nil)
    }

    /// The user has to accept an invitation first.
    @Test func expectedErrorIsReportedOnlyForItsChannel() {
        var backfill = shown()
        backfill.fail("c", stalled, isExpected: true)
        #expect(backfill.failure(of: "c") != nil && backfill.failure == nil)
        backfill.fail("c", stalled)
        #expect(backfill.failure != nil)
    }

    private func gap(_ lower: Int64, _ upper: Int64) -> Gap {
        func bound(_ time: Int64) -> Gap.Bound {
            .position(Position(createdAt: Timestamp(milliseconds: time), messageID: ""))
        }
        return Gap(in: "c", from: bound(lower), to: bound(upper))
    }

    @Test func hugeGapIsRecordedOnceAlsoWhenPartsOfItAreFilled() {
        var backfill = shown()
        func isNew(_ gap: Gap) -> Bool { backfill.recordHugeGap(gap) }
        #expect(isNew(gap(1, 9)))
        backfill.hide("c", 1)
        backfill.end()
        backfill.begin()
        backfill.show("c", nil, 2)
        #expect(!isNew(gap(1, 9)))
        backfill.keepHugeGaps(of: "c", in: [gap(1, 4), gap(6, 7), gap(20, 30)])
        #expect(!isNew(gap(1, 4)) && !isNew(gap(6, 7)))
        #expect(isNew(gap(20, 30)))
        backfill.keepHugeGaps(of: "c", in: [gap(20, 25)])
        #expect(backfill.hugeGaps(of: "c") == [gap(20, 30)])
        #expect(isNew(gap(1, 9)))
        backfill.remove("c")
        #expect(backfill.hugeGaps(of: "c").isEmpty)
    }

    @Test func failedRangeIsRetriedAfterItsFailureExpires() {
        var backfill = shown()
        backfill.fail("c", stalled)
        #expect(backfill.isDone && backfill.failure(of: "c") != nil)
        backfill.clearFailures()
        #expect(!backfill.isDone && backfill.failure(of: "c") == nil)
        #expect(backfill.next() == "c")
    }

    @Test func fiveRequestsWithoutProgressAreTooMany() {
        var idle = IdleRequests()
        let moves = [false, false, false, false, true, false, false, false, false, false]
        let allowed = moves.map { idle.allowsMore(hasMoved: $0) }
        #expect(allowed == Array(repeating: true, count: 9) + [false])
    }
}
