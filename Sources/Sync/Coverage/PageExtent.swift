import Models
import Store

/// The range of a history that a page covers, including both bounds.
struct PageExtent: Hashable {
    var from: Gap.Bound
    var through: Gap.Bound

    init(from: Gap.Bound, through: Gap.Bound) {
        self.from = from
        self.through = through
    }

    /// Determines the range that a page covers; `nil` if it covers nothing.
    ///
    /// A page covers the range between its oldest and its newest message that are not outliers,
    /// regardless of their number. It extends to an end of the history only if it has no cursor in
    /// that direction. If the feed does not report everything that happens after the request, the
    /// page covers nothing, because later changes, deletions and insertions in the range would go
    /// unnoticed.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - edge: The position of the anchor, if no messages are missing between it and the page: a
    ///     stored message, or the position of a gap's own cursor.
    ///   - isFollowed: A Boolean value that indicates whether the feed reports every message that
    ///     was accepted after the request.
    init?(_ page: MessagePage, edge: Gap.Bound?, isFollowed: Bool) {
        guard isFollowed else { return nil }
        var bounds: [Gap.Bound] = edge.map { [$0] } ?? []
        let ordered = page.orderedPositions
        if let first = ordered.first { bounds.append(.position(first)) }
        if let last = ordered.last { bounds.append(.position(last)) }
        if page.older == nil { bounds.append(.beginning) }
        if page.newer == nil { bounds.append(.end) }
        // A page without messages, or with outliers only, covers its anchor, or everything on one
        // side of it. If the anchor is unknown, such a page that reaches only the beginning covers
        // nothing.
        if ordered.isEmpty && edge == nil && bounds.count == 1 && bounds != [.end] {
            return nil
        }
        guard let lower = bounds.min(), let upper = bounds.max() else { return nil }
        from = lower
        through = upper
    }
}

extension MessagePage {
    /// The positions of the messages that are not outliers, oldest first.
    var orderedPositions: [Position] {
        messages.compactMap(\.position).filter { !outliers.contains($0.messageID) }
    }

    /// Returns a Boolean value that indicates whether the page was requested at a message whose
    /// position is not where the server has the message in its pages.
    func isOutlier(_ anchor: MessageAnchor) -> Bool {
        guard case .message(let id) = anchor else { return false }
        return outliers.contains(id)
    }

    /// Returns the bound at which a page was requested, if the page reaches it.
    ///
    /// A page that was requested by a time starts at any message of that time. If more messages
    /// have that time than fit in the page, all of them may be on the other side of the bound, with
    /// unknown messages in between.
    ///
    /// - Parameters:
    ///   - bound: The bound of the request; `nil` if it was not requested at a known bound.
    ///   - older: The requested number of messages before the bound.
    ///   - newer: The requested number of messages after the bound.
    /// - Returns: The bound; `nil` if the page does not reach it.
    func edge(at bound: Gap.Bound?, older: Int, newer: Int) -> Gap.Bound? {
        let ordered = orderedPositions
        guard let bound, let first = ordered.first, let last = ordered.last
        else { return bound }
        if newer == 0, bound < .position(last) { return nil }
        if older == 0, .position(first) < bound { return nil }
        return bound
    }
}
