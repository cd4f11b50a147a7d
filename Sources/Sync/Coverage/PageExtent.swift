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
    /// regardless of their number. The range extends to an end of the history only if the page has
    /// no cursor in that direction. If the feed does not report everything that happens after the
    /// request, the page covers nothing, because the device would not notice later changes,
    /// deletions and insertions in the range.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - bound: The position of the anchor if no messages are missing between it and the page,
    ///     that is, if the anchor is a stored message or a gap's own cursor; otherwise `nil`.
    ///   - isFollowed: A Boolean value that indicates whether the feed reports every message that
    ///     was accepted after the request.
    init?(_ page: MessagePage, bound: Gap.Bound?, isFollowed: Bool) {
        guard isFollowed else { return nil }
        var bounds: [Gap.Bound] = bound.map { [$0] } ?? []
        let ordered = page.orderedPositions
        if let first = ordered.first { bounds.append(.position(first)) }
        if let last = ordered.last { bounds.append(.position(last)) }
        if page.older == nil { bounds.append(.beginning) }
        if page.newer == nil { bounds.append(.end) }
        // A page without messages, or with outliers only, covers its anchor. If it has no cursor in
        // a direction, it also covers everything in that direction. If the anchor is unknown and
        // the page reaches only the beginning, it covers nothing.
        if ordered.isEmpty && bound == nil && bounds.count == 1 && bounds != [.end] {
            return nil
        }
        guard let lower = bounds.min(), let upper = bounds.max() else { return nil }
        from = lower
        through = upper
    }

    /// Determines the range that the answer to a request covers; `nil` if it covers nothing.
    ///
    /// The rule is the same for pages of the backfill, of the engine's callers and of comparisons.
    ///
    /// - Parameters:
    ///   - page: The answer.
    ///   - request: The request.
    ///   - start: The position at which the answer starts, as `bound(of:answeredBy:)` returns it.
    ///   - isFollowed: A Boolean value that indicates whether the feed reports every message that
    ///     was accepted after the request.
    init?(
        _ page: MessagePage, of request: PageRequest, from start: Gap.Bound?, isFollowed: Bool
    ) {
        var bound = start
        let ordered = page.orderedPositions
        if let known = bound, let first = ordered.first, let last = ordered.last {
            // A page that was requested by a time starts at any message of that time. If more
            // messages have that time than fit in the page, all of them may be on the other side of
            // the bound, with unknown messages in between.
            if request.newer == 0, known < .position(last) { bound = nil }
            if request.older == 0, .position(first) < known { bound = nil }
        }
        self.init(page, bound: bound, isFollowed: isFollowed)
    }
}

extension MessagePage {
    /// The positions of the messages that are not outliers, oldest first.
    var orderedPositions: [Position] {
        messages.compactMap(\.position).filter { !outliers.contains($0.messageID) }
    }
}

extension StoreReader {
    /// Determines the position at which an answered request started: the bound of the request, or
    /// the position of the message at which it was made.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - page: The answer.
    /// - Returns: The position; `nil` if it is unknown, or messages may be missing between it and
    ///   the known history.
    /// - Throws: Errors of the store.
    func bound(
        of request: PageRequest, answeredBy page: MessagePage
    ) throws(StoreError) -> Gap.Bound? {
        var bound = request.bound
        if case .message(let id) = request.anchor {
            // The server has the message elsewhere in its pages than its position suggests.
            if page.outliers.contains(id) { return nil }
            if bound == nil {
                let held = try message(orNil: id, in: request.channelURL)
                bound = held?.position.map(Gap.Bound.position)
            }
        }
        // The messages of a thread are stored in gaps of the channel.
        guard request.parentMessageID == nil, case .position(let position) = bound,
            !position.messageID.rawValue.isEmpty
        else { return bound }
        // The anchor's position was known at the time of the request and may be unknown now.
        return try isInGap(position, in: request.channelURL) ? nil : bound
    }
}
