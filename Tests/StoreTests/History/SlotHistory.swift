import Models

@testable import Store

/// A channel's history as slots that are known or unknown.
///
/// This is the simple model with which gaps are compared.
///
/// Between −∞, `count` positions and +∞, there are `count + 1` open intervals. Each interval and
/// each position is a slot. In this order, intervals have even indexes, and positions have odd
/// ones.
///
///     slot      0   1   2   3   4
///            −∞ ─── a ───── b ─── +∞
///
/// The rules:
///
/// - Opening makes everything between two bounds unknown. The bounds themselves stay known or
///   unknown.
/// - Covering makes everything between two bounds known, including the bounds.
/// - A gap is a run of unknown slots. A bound is never part of an opened range, and always part of
///   a covered one. Therefore a run begins and ends with an interval, and the bounds of its gap are
///   the positions next to the run. Two gaps that share a bound are separate, because the position
///   between them is known.
/// - `About` is the data of a gap. All slots of a run have the same data.
struct SlotHistory<About: Hashable & Sendable>: Equatable {
    let bounds: [Gap.Bound]
    private(set) var slots: [About?]

    struct Run: Equatable {
        var lower: Gap.Bound
        var upper: Gap.Bound
        var about: About
    }

    /// Creates a history.
    ///
    /// It is one gap with the data `whole`, or completely known if `whole` is `nil`.
    init(_ positions: [Position], whole: About?) {
        bounds = [.beginning] + positions.map { .position($0) } + [.end]
        slots = Array(repeating: whole, count: positions.count * 2 + 1)
    }

    /// Returns the slots between two bounds, without the bounds.
    private func between(_ lower: Gap.Bound, _ upper: Gap.Bound) -> Range<Int> {
        let low = bounds.firstIndex(of: lower)! * 2
        return low..<max(low, bounds.firstIndex(of: upper)! * 2 - 1)
    }

    /// The longest possible runs of unknown slots, as ranges of indexes.
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
                // The index of an interval is twice the index of the bound before it.
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

    /// Returns true if a slot between two bounds is unknown.
    func isUnknown(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        between(lower, upper).contains { slots[$0] != nil }
    }

    /// Makes everything between two bounds unknown, without the bounds.
    ///
    /// The opened range and the runs that it touches become one run. `merge` receives these runs,
    /// oldest first, and returns the data of the new run.
    mutating func open(
        from lower: Gap.Bound, to upper: Gap.Bound, merge: ([Run]) -> About
    ) {
        let opened = between(lower, upper)
        let met = ranges.filter { $0.overlaps(opened) }
        let about = merge(runs.filter { $0.lower < upper && lower < $0.upper })
        for slot in met.joined() { slots[slot] = about }
        for slot in opened { slots[slot] = about }
    }

    /// Makes everything from one bound to another known, including the bounds.
    ///
    /// If this cuts the older part of a run off, `changeOlder` returns the data of that part.
    mutating func cover(
        from first: Gap.Bound, through last: Gap.Bound, changeOlder: (About) -> About
    ) {
        // The bounds −∞ and +∞ have no slot.
        let low = max(0, bounds.firstIndex(of: first)! * 2 - 1)
        let high = min(slots.count, bounds.firstIndex(of: last)! * 2)
        guard low < high else { return }
        for range in ranges where range.overlaps(low..<high) {
            for slot in range where slot < low { slots[slot] = slots[slot].map(changeOlder) }
        }
        for slot in low..<high { slots[slot] = nil }
    }

    /// Changes the data of the run with these bounds.
    ///
    /// Returns false if there is no such run.
    mutating func update(from lower: Gap.Bound, to upper: Gap.Bound, _ about: About) -> Bool {
        guard runs.contains(where: { $0.lower == lower && $0.upper == upper }) else { return false }
        for slot in between(lower, upper) { slots[slot] = about }
        return true
    }
}
