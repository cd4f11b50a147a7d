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
        backfill["c"].stopped = [.beginning]
        backfill["c"].newMessageCount = 7
        return backfill
    }

    @Test func scrollingDoesNotRestartABackfill() {
        var backfill = shown()
        backfill.show("c", ShownRange(from: .beginning, to: .end), 1)
        #expect(backfill["c"].stopped == [.beginning])
        #expect(backfill["c"].newMessageCount == 7)
        backfill.show("c", nil, 2)
        #expect(backfill["c"].stopped == [])
        #expect(backfill["c"].newMessageCount == 0)
    }

    @Test func showingAgainRestartsABackfill() {
        var backfill = shown()
        backfill.hide("c", 1)
        backfill.show("c", nil, 1)
        #expect(backfill["c"].stopped == [])
    }

    @Test func failedRangeIsRetriedAfterItsFailureExpires() {
        var backfill = shown()
        backfill.fail("c", stalled)
        #expect(backfill.isDone && backfill.failure(of: "c") != nil)
        backfill.clearFailures()
        #expect(!backfill.isDone && backfill.failure(of: "c") == nil)
        #expect(backfill.next() == "c")
    }
}
