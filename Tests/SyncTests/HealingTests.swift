import Models
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests which channels are backfilled, and when their state is removed.
@Suite struct HealingTests {
    private var stalled: SyncError { SyncError(.stalled, "again and again") }

    /// Returns the state of one channel with one viewer, after its backfill.
    private func shown() -> Healing {
        var healing = Healing()
        healing.begin()
        healing.show("c", ShownRange(from: .beginning), 1)
        _ = healing.next()
        healing["c"].stopped = [.beginning]
        healing["c"].walked = 7
        return healing
    }

    @Test func scrollingDoesNotRestartABackfill() {
        var healing = shown()
        healing.show("c", ShownRange(from: .beginning, to: .end), 1)
        #expect(healing["c"].stopped == [.beginning])
        #expect(healing["c"].walked == 7)
        healing.show("c", nil, 2)
        #expect(healing["c"].stopped == [])
        #expect(healing["c"].walked == 0)
    }

    @Test func showingAgainRestartsABackfill() {
        var healing = shown()
        healing.hide("c", 1)
        healing.show("c", nil, 1)
        #expect(healing["c"].stopped == [])
    }

    @Test func failedRangeIsRetriedAfterItsFailureExpires() {
        var healing = shown()
        healing.fail("c", stalled)
        #expect(healing.isDone && healing.failure(of: "c") != nil)
        healing.clearFailures()
        #expect(!healing.isDone && healing.failure(of: "c") == nil)
        #expect(healing.next() == "c")
    }
}
