package import Store

/// The range of a history that a list contains, on the screen or not.
package struct ShownRange: Hashable, Sendable {
    /// The position of the oldest message in the list, or an older one.
    package var lower: Gap.Bound

    /// The position of the newest message in the list, or `end` if it shows new messages as they
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
