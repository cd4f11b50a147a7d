import Models

@testable import Store

/// A channel's history as slots that are known or not: the naive model that gaps are compared with.
///
/// Between −∞, `count` positions and +∞ lie `count + 1` open intervals; each of them and each of the
/// positions is a slot, in order: intervals have the even numbers, positions the odd ones.
///
///     slot      0   1   2   3   4
///            −∞ ─── a ───── b ─── +∞
///
/// The rules:
///
/// - What is opened is unknown strictly between its bounds, which may be known or not themselves.
/// - What is covered is known from the first bound through the last, both included.
/// - A gap is a run of unknown slots. Since bounds are never part of what is opened, and always part
///   of what is covered, a run begins and ends with an interval: its gap's bounds are the positions
///   beside it. Two gaps that share a bound are two because the position between them is known.
/// - `About` is what a gap remembers; all slots of a run have the same.
struct SlotHistory<About: Hashable & Sendable>: Equatable {
    let bounds: [Gap.Bound]
    private(set) var slots: [About?]

    struct Run: Equatable {
        var lower: Gap.Bound
        var upper: Gap.Bound
        var about: About
    }

    /// Creates a history that is one run of `whole`, or known if that is `nil`.
    init(_ positions: [Position], whole: About?) {
        bounds = [.beginning] + positions.map { .position($0) } + [.end]
        slots = Array(repeating: whole, count: positions.count * 2 + 1)
    }

    /// The slots strictly between two bounds.
    private func between(_ lower: Gap.Bound, _ upper: Gap.Bound) -> Range<Int> {
        let low = bounds.firstIndex(of: lower)! * 2
        return low..<max(low, bounds.firstIndex(of: upper)! * 2 - 1)
    }

    /// The maximal runs of unknown slots, as ranges of slots.
    private var ranges: [Range<Int>] {
        var ranges: [Range<Int>] = []
        for slot in slots.indices where slots[slot] != nil {
            if let last = ranges.last, last.upperBound == slot {
                ranges[ranges.count - 1] = last.lowerBound..<slot + 1
            } else {
                ranges.append(slot..<slot + 1)
            }
        }
        return ranges
    }

    /// The gaps, oldest first.
    var runs: [Run] {
        ranges.compactMap { range in
            slots[range.lowerBound].map { about in
                // An interval's number is twice that of the bound below it.
                Run(
                    lower: bounds[range.lowerBound / 2], upper: bounds[range.upperBound / 2 + 1],
                    about: about)
            }
        }
    }

    func run(aroundPosition index: Int) -> Run? {
        guard slots[index * 2 + 1] != nil else { return nil }
        return runs.last { $0.lower < bounds[index + 1] }
    }

    /// Whether something strictly between two bounds is unknown.
    func isUnknown(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        between(lower, upper).contains { slots[$0] != nil }
    }

    /// Opens what lies strictly between two bounds.
    ///
    /// `merge` says what the whole remembers, of the runs that it meets, oldest first.
    mutating func open(
        from lower: Gap.Bound, to upper: Gap.Bound, merge: ([Run]) -> About
    ) {
        let opened = between(lower, upper)
        let met = ranges.filter { $0.overlaps(opened) }
        let about = merge(runs.filter { $0.lower < upper && lower < $0.upper })
        for slot in met.joined() { slots[slot] = about }
        for slot in opened { slots[slot] = about }
    }

    /// Covers what lies from one bound through another.
    ///
    /// `changeOlder` says what an older part remembers that is cut off from a newer one.
    mutating func cover(
        from first: Gap.Bound, through last: Gap.Bound, changeOlder: (About) -> About
    ) {
        // Infinite bounds have no slot of their own.
        let low = max(0, bounds.firstIndex(of: first)! * 2 - 1)
        let high = min(slots.count, bounds.firstIndex(of: last)! * 2)
        guard low < high else { return }
        for range in ranges where range.overlaps(low..<high) {
            for slot in range where slot < low { slots[slot] = slots[slot].map(changeOlder) }
        }
        for slot in low..<high { slots[slot] = nil }
    }

    /// Changes what the run with these bounds remembers; false if there is none.
    mutating func update(from lower: Gap.Bound, to upper: Gap.Bound, _ about: About) -> Bool {
        guard runs.contains(where: { $0.lower == lower && $0.upper == upper }) else { return false }
        for slot in between(lower, upper) { slots[slot] = about }
        return true
    }
}
