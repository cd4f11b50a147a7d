import Models
public import Store

/// What is asked for next of a history that is not all known.
enum HealingStep: Hashable {
    /// What became of messages since the feed was at a point.
    case changes(since: FeedPoint)
    /// The messages at the newer end of a gap.
    case walk(Gap)
    /// The messages at the newer end of a stale range.
    case refetch(StaleRange)
}

/// Chooses what of a channel's history to ask for, and in which order.
///
/// Changes come first: until they are read, nobody knows of what is held whether it is still so. Then
/// gaps, those in view first and of these the newest; then what is stale in view. The history that
/// comes before everything that is held is left alone until somebody asks: it is no loss.
struct HealingPlan {
    var gaps: [Gap]
    var staleRanges: [StaleRange]
    /// What is shown of the history; `nil` if nobody shows the channel.
    var view: ShownRange?
    /// Whether the channel is one of those whose recent messages are kept.
    var isRecent: Bool
    /// Whether its gaps may be filled that are not in view.
    var hasBudget: Bool
    /// The gaps, by their older bounds, that are not filled any further by themselves.
    var stopped: Set<Gap.Bound> = []

    /// The next step; `nil` if nothing is left to do.
    var next: HealingStep? {
        if let point = gaps.compactMap(\.changesSince).min() { return .changes(since: point) }
        let newestFirst = gaps.reversed()
        if let gap = newestFirst.first(where: isInView) { return .walk(gap) }
        if hasBudget, let gap = newestFirst.first(where: isLoss) { return .walk(gap) }
        if let stale = staleRanges.reversed().first(where: isInView) { return .refetch(stale) }
        return nil
    }

    private func isInView(_ gap: Gap) -> Bool {
        guard let view, !stopped.contains(gap.lower) else { return false }
        return view.overlaps(from: gap.lower, to: gap.upper)
    }

    private func isInView(_ range: StaleRange) -> Bool {
        view.map { $0.overlaps(from: range.lower, to: range.upper) } ?? false
    }

    /// Whether a gap is in the way of what was known before, or at the newest end of a recent channel.
    private func isLoss(_ gap: Gap) -> Bool {
        guard !stopped.contains(gap.lower) else { return false }
        return gap.lower != .beginning || (isRecent && gap.upper == .end)
    }
}

/// The stretch of a history that somebody shows.
public struct ShownRange: Hashable, Sendable {
    /// The oldest message that is shown, or the place where one would be.
    public var lower: Gap.Bound

    /// The newest one; `end` if what comes is shown too.
    public var upper: Gap.Bound

    /// Creates a stretch that is shown.
    ///
    /// - Precondition: `lower` is not above `upper`.
    public init(from lower: Gap.Bound, to upper: Gap.Bound = .end) {
        precondition(lower <= upper, "What is shown lies between two bounds, the older one first.")
        self.lower = lower
        self.upper = upper
    }

    func overlaps(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        self.lower < upper && lower < self.upper
    }

    /// The stretch from the older one's beginning to the newer one's end.
    func union(_ other: ShownRange) -> ShownRange {
        ShownRange(from: min(lower, other.lower), to: max(upper, other.upper))
    }
}
