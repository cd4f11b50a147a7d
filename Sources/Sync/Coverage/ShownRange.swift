public import Store

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
