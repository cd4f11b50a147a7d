import Models
import Store

/// What of a history a page has told all of: from one bound through another, both included.
struct PageExtent: Hashable {
    var from: Gap.Bound
    var through: Gap.Bound

    init(from: Gap.Bound, through: Gap.Bound) {
        self.from = from
        self.through = through
    }

    /// Finds out what a page covers; `nil` if nothing.
    ///
    /// It covers what lies between its outermost messages, whatever their number. It reaches an end of
    /// the history only where it has no cursor. Where the feed does not tell what comes after it, it
    /// covers nothing: what was changed, deleted or put between its messages since, nobody would tell.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - edge: Where its anchor is, if that is known not to have anything between it and the page:
    ///     a message that is held, or the place that a gap's own cursor stands for.
    ///   - isFollowed: Whether the feed tells all that was accepted after the page was asked for.
    init?(_ page: MessagePage, edge: Gap.Bound?, isFollowed: Bool) {
        guard isFollowed else { return nil }
        var bounds: [Gap.Bound] = edge.map { [$0] } ?? []
        if let first = page.messages.first?.position { bounds.append(.position(first)) }
        if let last = page.messages.last?.position { bounds.append(.position(last)) }
        if page.older == nil { bounds.append(.beginning) }
        if page.newer == nil { bounds.append(.end) }
        // An empty page covers its anchor alone, or all on one side of it. Where that is not known,
        // an end of the history says nothing of what lies before it.
        if page.messages.isEmpty && edge == nil && bounds.count == 1 && bounds != [.end] {
            return nil
        }
        guard let lower = bounds.min(), let upper = bounds.max() else { return nil }
        from = lower
        through = upper
    }
}

extension MessagePage {
    /// Finds out where a page ends that was asked for at a bound.
    ///
    /// A page by a time begins with any message of that time. Where more have it than a page takes, all of
    /// them may be on the other side of the bound, and nobody knows what lies in between.
    ///
    /// - Parameters:
    ///   - bound: Where it was asked for; `nil` if that is no edge.
    ///   - older: How many messages before it were asked for.
    ///   - newer: How many behind it.
    /// - Returns: The bound; `nil` if the page does not come to it.
    func edge(at bound: Gap.Bound?, older: Int, newer: Int) -> Gap.Bound? {
        guard let bound, let first = messages.first?.position, let last = messages.last?.position
        else { return bound }
        if newer == 0, bound < .position(last) { return nil }
        if older == 0, .position(first) < bound { return nil }
        return bound
    }
}
