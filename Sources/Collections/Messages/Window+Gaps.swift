import Models
import Store
import Sync

extension Window {
    /// Shows the gaps between the messages of the window, and a gap at the newest end.
    ///
    /// A gap that extends below the window has no row; instead, ``hasPrevious`` is true.
    mutating func updateGapRows(_ edits: inout WindowEdits) {
        gaps = gaps.filter { $0.value.lower < upper && lower < $0.value.upper }
        let shown = gaps.values
            .filter { lower <= $0.lower && $0.lower != .beginning && $0.upper <= upper }
            .flatMap { parts(of: $0, edits) }
        for gap in shown {
            edits.rows.save(.gap(gap), at: .gap(above: gap.lower))
        }
        let ids = Set(shown.map { MessageItem.gap($0).id })
        for id in shownGaps.subtracting(ids) { edits.rows.remove(id) }
        shownGaps = ids
    }

    mutating func cover(from lower: Gap.Bound, through upper: Gap.Bound) -> WindowEdits {
        var edits = WindowEdits()
        let hadLeadingGap = hasLeadingGap
        thread?.cover(from: lower, through: upper)
        showGapsOfThread()
        updateGapRows(&edits)
        if hadLeadingGap { joinHistory(&edits) }
        return edits
    }

    mutating func showGapsOfThread() {
        guard let thread else { return }
        gaps = Dictionary(uniqueKeysWithValues: thread.gaps.map { ($0.upper, $0) })
    }

    /// Returns the parts into which the listed messages divide a gap.
    ///
    /// Of a gap at the newest end, only the part below the first live message gets a row: the feed
    /// delivers messages in order, so no message is missing between the live ones.
    func parts(of gap: Gap, _ edits: WindowEdits) -> [Gap] {
        var bounds = [gap.lower] + boundsOfMessages(in: gap, edits)
        if gap.upper == .end { bounds = Array(bounds.prefix(2)) }
        if gap.upper != .end || bounds.count == 1 { bounds.append(gap.upper) }
        return zip(bounds, bounds.dropFirst()).map { Gap(in: channelURL, from: $0, to: $1) }
    }

    func boundsOfMessages(in gap: Gap, _ edits: WindowEdits) -> [Gap.Bound] {
        func isInside(_ position: Position?) -> Bool { position.map(gap.contains) ?? false }
        let held = list.elements(from: .from(gap.lower), through: .through(gap.upper)).lazy
            .filter {
                isInside($0.message?.position) && !edits.rows.removed.contains($0.id)
                    && edits.rows.saved[$0.id] == nil
            }
            .compactMap { $0.message?.position }
        let new = edits.rows.saved.values.compactMap { $0.element.message?.position }
            .filter(isInside)
        // For a gap at the newest end, only the oldest of possibly many messages is needed.
        let oldest = params.isReversed ? held.last : held.first
        let known = gap.upper == .end ? oldest.map { [$0] } ?? [] : Array(held)
        return Set(known + new).sorted().map { .position($0) }
    }
}
