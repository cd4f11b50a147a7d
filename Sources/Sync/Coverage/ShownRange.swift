package import Store

/// The visible range of a history.
package struct ShownRange: Hashable, Sendable {
    /// The position of the oldest visible message, or an older one.
    package var lower: Gap.Bound

    /// The position of the newest visible message, or `end` if new messages are shown as they
    /// arrive.
    package var upper: Gap.Bound

    /// Creates the range between two bounds, in either order.
    package init(from lower: Gap.Bound, to upper: Gap.Bound = .end) {
        self.lower = min(lower, upper)
        self.upper = max(lower, upper)
    }

    func overlaps(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        self.lower < upper && lower < self.upper
    }

    func union(_ other: ShownRange) -> ShownRange {
        ShownRange(from: min(lower, other.lower), to: max(upper, other.upper))
    }
}
