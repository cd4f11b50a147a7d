import Models
import Store

/// The next request for a history with gaps or stale ranges.
enum HealingStep: Hashable {
    /// Request the changelog since a point of the feed.
    case changes(since: FeedPoint)
    /// Request the page of messages just below the upper bound of a gap.
    case walk(Gap)
    /// Request the page of messages just below the upper bound of a stale range.
    case refetch(StaleRange)
    /// The messages that are newer than the newest page, if the server has more.
    case newer
}

/// Chooses the next requests for a channel's history, and their order.
///
/// 1. The changelog: until it is read, stored messages may have been edited or deleted.
/// 2. Gaps: first those in view, and among these the newest.
/// 3. Stale ranges: first those in view, then those that are stale because of a gap next to them
///    and may contain messages that arrived late.
///
/// A gap that is older than all stored messages is filled only when it is shown.
struct HealingPlan {
    var gaps: [Gap]
    var staleRanges: [StaleRange]
    /// The visible part of the history; `nil` if the channel is not shown.
    var view: ShownRange?
    /// A Boolean value that indicates whether the channel's recent messages are fetched in the
    /// background.
    var isRecent: Bool
    /// A Boolean value that indicates whether the engine may request more pages for gaps that are
    /// not in view.
    var hasBudget: Bool
    /// The lower bounds of the gaps that are filled only on request.
    var stopped: Set<Gap.Bound> = []

    /// The next step; `nil` if none is left.
    var next: HealingStep? {
        if let point = gaps.compactMap(\.changesSince).min() { return .changes(since: point) }
        let newestFirst = gaps.reversed()
        if let gap = newestFirst.first(where: isInView) { return .walk(gap) }
        if hasBudget, let gap = newestFirst.first(where: isLoss) { return .walk(gap) }
        let staleNewestFirst = staleRanges.reversed()
        if let stale = staleNewestFirst.first(where: isInView) { return .refetch(stale) }
        if hasBudget, let stale = staleNewestFirst.first(where: \.mayHideLateMessages) {
            return .refetch(stale)
        }
        return nil
    }

    private func isInView(_ gap: Gap) -> Bool {
        guard let view, !stopped.contains(gap.lower) else { return false }
        return view.overlaps(from: gap.lower, to: gap.upper)
    }

    private func isInView(_ range: StaleRange) -> Bool {
        view.map { $0.overlaps(from: range.lower, to: range.upper) } ?? false
    }

    /// Returns a Boolean value that indicates whether a gap is filled even if it is not shown.
    ///
    /// That is the case if known messages are older than the gap, and for the gap at the newest end
    /// of a recent channel.
    private func isLoss(_ gap: Gap) -> Bool {
        guard !stopped.contains(gap.lower) else { return false }
        return gap.lower != .beginning || (isRecent && gap.upper == .end)
    }
}

extension StaleRange {
    /// A Boolean value that indicates whether the range was marked as stale because of a gap, not
    /// because of a lost cursor.
    ///
    /// Such a range is small, and is fetched together with the gap.
    fileprivate var mayHideLateMessages: Bool { epoch == 0 }
}
