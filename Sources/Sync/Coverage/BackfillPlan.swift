import Models
import Store

enum BackfillTask: Hashable {
    case changes(since: FeedPoint)
    case fill(Gap)
    case refetch(StaleRange)
    /// Fetch the messages that are newer than the last page fetched at the newest end.
    case newer(from: PageCursor, bound: Gap.Bound?)
}

/// Determines the next request for completing a channel's history.
///
/// The order is:
///
/// 1. The messages newer than the last page at the newest end.
/// 2. The changelog, because stored messages may have been edited or deleted.
/// 3. Shown gaps, newest first, then other gaps, newest first.
/// 4. Shown stale ranges, then other stale ranges, except those that a loss of history caused.
///
/// Gaps and ranges that are not shown are fetched only within the budget of background pages. A gap
/// that is older than all stored messages is filled only while it is shown. An empty
/// channel's only gap is also filled if the channel is kept up to date.
struct BackfillPlan {
    var gaps: [Gap]
    var staleRanges: [StaleRange]
    /// The range of the channel's lists; `nil` if none of them has rows.
    var shown: ShownRange?
    var isKeptUpToDate: Bool
    /// True if the engine may request more pages outside the shown range.
    var hasBudget: Bool
    /// The gaps that the engine fills only on request.
    var stopped: [Gap] = []
    /// Where the page begins that follows one at the newest end, if that has a newer cursor.
    var newer: (cursor: PageCursor, bound: Gap.Bound?)?

    var next: BackfillTask? {
        if let newer { return .newer(from: newer.cursor, bound: newer.bound) }
        if let point = gaps.compactMap(\.changesSince).min() { return .changes(since: point) }
        let newestFirst = gaps.reversed()
        if let gap = newestFirst.first(where: isShown) { return .fill(gap) }
        if hasBudget, let gap = newestFirst.first(where: isFilledIfNotShown) { return .fill(gap) }
        let staleNewestFirst = staleRanges.reversed()
        if let stale = staleNewestFirst.first(where: isShown) { return .refetch(stale) }
        if hasBudget, let stale = staleNewestFirst.first(where: \.isNotCausedByLoss) {
            return .refetch(stale)
        }
        return nil
    }

    private func isShown(_ gap: Gap) -> Bool {
        guard let shown, !isStopped(gap) else { return false }
        return shown.overlaps(from: gap.lower, to: gap.upper)
    }

    private func isStopped(_ gap: Gap) -> Bool { stopped.contains { gap.isPart(of: $0) } }

    private func isShown(_ range: StaleRange) -> Bool {
        shown.map { $0.overlaps(from: range.lower, to: range.upper) } ?? false
    }

    private func isFilledIfNotShown(_ gap: Gap) -> Bool {
        guard !isStopped(gap) else { return false }
        return gap.lower != .beginning || (isKeptUpToDate && gap.upper == .end)
    }
}

extension Gap {
    func isPart(of other: Gap) -> Bool { other.lower <= lower && upper <= other.upper }
}

extension StaleRange {
    /// True if no loss of history made the range stale; messages that arrived late may be missing.
    fileprivate var isNotCausedByLoss: Bool { lossNumber <= 0 }
}
