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

    /// A server may answer late for ever, because it asks another one.
    @Test func callersReceiveTheErrorOfTheFifthFailure() {
        var backfill = shown()
        backfill["c"].isBusy = true
        for count in 1...5 {
            #expect(backfill.isUnfinished("c") && !backfill.isDone && backfill.failure == nil)
            backfill["c"].recordFailure(SyncError(.serverFailure, "late \(count)"))
        }
        #expect(!backfill.isUnfinished("c") && backfill.isDone && backfill.channelsLeft == 1)
        #expect(backfill.failure?.message == "late 5" && backfill.failure(of: "c") != nil)
        // The engine continues to retry.
        backfill.resume("c")
        #expect(backfill.isDone && backfill.channelsLeft == 1 && backfill.next() == "c")
        // Another caller waits for the next answer.
        backfill["c"].isBusy = true
        backfill.enqueue("c", isAwaited: true)
        #expect(backfill.isUnfinished("c") && !backfill.isDone && backfill.failure == nil)
        backfill["c"].recordFailure(SyncError(.serverFailure, "late 6"))
        #expect(backfill.failure?.message == "late 6")
        backfill["c"].clearFailures()
        #expect(backfill.failure == nil && !backfill.isDone)
    }

    /// Someone changes the channel all the time.
    @Test func voidAnswersUseUpNoAttempts() {
        var backfill = shown()
        backfill["c"].isBusy = true
        for _ in 1...5 { backfill["c"].recordVoidAnswer(stalled) }
        #expect(backfill.failure?.code == .stalled && backfill["c"].failures == 0)
        backfill["c"].recordFailure(SyncError(.serverFailure, "late"))
        backfill.fail("c", stalled)
        backfill.enqueue("c", retriesFailed: true)
        #expect(backfill["c"].failures == 0)
    }

    @Test func onlyChannelsForWhichSomeoneWaitsTakeAnotherPlace() {
        var backfill = shown()
        (backfill["c"].isBusy, backfill["c"].isWaiting) = (true, true)
        #expect(backfill.busyCount == 1 && backfill.requestCount == 0)
        backfill.setRecent(["r"])
        #expect(backfill.next(inBackground: false) == nil)
        backfill.enqueue("a", isAwaited: true)
        #expect(backfill.next(inBackground: false) == "a")
        #expect(backfill.next() == "r")
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
