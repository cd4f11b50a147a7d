import Models
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests the choice of the next request for a history that is not completely known.
@Suite struct BackfillPlanTests {
    static func bound(_ place: Int) -> Gap.Bound {
        switch place {
        case 0: .beginning
        case 5: .end
        default: .position(Message.sample(place).position!)
        }
    }

    private func gap(_ lower: Int, _ upper: Int, since: Int64? = nil) -> Gap {
        Gap(
            in: "general", from: Self.bound(lower), to: Self.bound(upper),
            changesSince: since.map { FeedPoint("f", number: $0) })
    }

    private func plan(
        _ gaps: [Gap], stale: [StaleRange] = [], view: ShownRange? = nil,
        isKeptUpToDate: Bool = false,
        hasBudget: Bool = true, stopped: [Gap] = []
    ) -> BackfillPlan {
        BackfillPlan(
            gaps: gaps, staleRanges: stale, shown: view, isKeptUpToDate: isKeptUpToDate,
            hasBudget: hasBudget,
            stopped: stopped)
    }

    @Test func changelogIsReadFirstFromTheEarliestPoint() {
        let gaps = [gap(1, 2, since: 7), gap(3, 4, since: 4)]
        #expect(
            plan(gaps, view: ShownRange(from: .beginning)).next
                == .changes(since: FeedPoint("f", number: 4)))
    }

    @Test func visibleRangeIsFetchedBeforeNewerOnes() {
        let gaps = [gap(1, 2), gap(3, 4)]
        let view = ShownRange(from: Self.bound(1), to: Self.bound(2))
        #expect(plan(gaps, view: view).next == .fill(gaps[0]))
        #expect(plan(gaps).next == .fill(gaps[1]))
    }

    @Test func historyOlderThanAllStoredMessagesIsNotFetched() {
        #expect(plan([gap(0, 2)], isKeptUpToDate: true).next == nil)
        #expect(plan([gap(0, 2)], view: ShownRange(from: Self.bound(2))).next == nil)
        #expect(
            plan([gap(0, 2)], view: ShownRange(from: Self.bound(1))).next == .fill(gap(0, 2)))
    }

    @Test func staleMessagesBelowAGapAreFetchedAgainAfterIt() {
        func stale(_ lower: Int, _ upper: Int, lossNumber: Int64) -> StaleRange {
            StaleRange(
                in: "general", from: Self.bound(lower), to: Self.bound(upper),
                lossNumber: lossNumber)
        }
        let late = stale(1, 2, lossNumber: 0)
        #expect(plan([gap(2, 3)], stale: [late]).next == .fill(gap(2, 3)))
        #expect(plan([], stale: [late]).next == .refetch(late))
        #expect(plan([], stale: [late], hasBudget: false).next == nil)
        // After a loss, the whole history is stale. Only its visible ranges are fetched again.
        #expect(plan([], stale: [stale(1, 2, lossNumber: 1)]).next == nil)
    }

    @Test func newestEndOfARecentChannelIsFetched() {
        #expect(plan([gap(0, 5)]).next == nil)
        #expect(plan([gap(0, 5)], isKeptUpToDate: true).next == .fill(gap(0, 5)))
    }

    @Test func onlyVisibleGapsAreFilledWithoutABudget() {
        #expect(plan([gap(1, 5)], isKeptUpToDate: true, hasBudget: false).next == nil)
        #expect(
            plan([gap(1, 5)], view: ShownRange(from: Self.bound(4)), hasBudget: false).next
                == .fill(gap(1, 5)))
    }

    @Test func staleRangesAreFetchedAfterAllVisibleGaps() {
        let stale = StaleRange(in: "general", from: Self.bound(1), to: Self.bound(3), lossNumber: 1)
        let view = ShownRange(from: Self.bound(2))
        #expect(plan([gap(3, 4)], stale: [stale], view: view).next == .fill(gap(3, 4)))
        #expect(plan([], stale: [stale], view: view).next == .refetch(stale))
        #expect(plan([], stale: [stale]).next == nil)
        #expect(plan([], stale: [stale], view: ShownRange(from: Self.bound(3))).next == nil)
    }

    /// Tests all histories of five positions with up to two gaps, and all visible ranges.
    ///
    /// The plan must end after a number of requests, and then nothing may be missing in the visible
    /// range.
    @Test func allVisibleRangesAreFetched() {
        let spans = (0..<5).flatMap { lower in (lower + 1...5).map { (lower, $0) } }
        for first in spans {
            for second in spans where second.0 >= first.1 {
                for view in spans + [(0, 5)] {
                    let shown = ShownRange(from: Self.bound(view.0), to: Self.bound(view.1))
                    var plan = plan([gap(first.0, first.1), gap(second.0, second.1)], view: shown)
                    var steps = 0
                    while let step = plan.next, steps < 9 {
                        guard case .fill(let gap) = step else { break }
                        plan.gaps.removeAll { $0 == gap }
                        steps += 1
                    }
                    #expect(plan.next == nil)
                    for gap in plan.gaps {
                        #expect(gap.lower == .beginning)
                        #expect(gap.upper <= shown.lower || shown.upper <= gap.lower)
                    }
                }
            }
        }
    }
}
