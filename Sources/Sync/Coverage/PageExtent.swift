import Models
import Store

/// The range of a history that a page covers, including its bounds.
struct PageExtent: Hashable {
    var from: Gap.Bound
    var through: Gap.Bound
    /// The bound at which the page starts, if the page does not contain the message at that bound.
    ///
    /// If no message is stored there, the page does not prove that the server has none.
    private(set) var excludedBound: Gap.Bound?

    init(from: Gap.Bound, through: Gap.Bound) {
        self.from = from
        self.through = through
    }

    /// Determines the range that a page covers; `nil` if it covers nothing.
    ///
    /// The range extends from the oldest to the newest message that is not an outlier, and to an
    /// end of the history if the page has no cursor in that direction. If the feed does not report
    /// all events since the request, the device may have missed changes, so the page covers
    /// nothing.
    ///
    /// `bound` is the anchor's position, if no messages are missing between it and the page: the
    /// anchor is a stored message or the gap's own cursor.
    init?(_ page: MessagePage, bound: Gap.Bound?, feedHadBegun: Bool) {
        guard feedHadBegun else { return nil }
        var bounds: [Gap.Bound] = bound.map { [$0] } ?? []
        let ordered = page.orderedPositions
        if let first = ordered.first { bounds.append(.position(first)) }
        if let last = ordered.last { bounds.append(.position(last)) }
        if page.older == nil { bounds.append(.beginning) }
        if page.newer == nil { bounds.append(.end) }
        // A page without messages, or with outliers only, covers its anchor, and extends to an end
        // of the history in each direction without a cursor. If the anchor's position is unknown, a
        // page that extends only to the beginning covers nothing.
        if ordered.isEmpty && bound == nil && bounds.count == 1 && bounds != [.end] {
            return nil
        }
        guard let lower = bounds.min(), let upper = bounds.max() else { return nil }
        from = lower
        through = upper
    }

    /// Determines the range that the answer to a request covers.
    ///
    /// `start` is the result of `bound(of:answeredBy:)`.
    init?(
        _ page: MessagePage, of request: PageRequest, from start: Gap.Bound?, feedHadBegun: Bool
    ) {
        var bound = start
        let ordered = page.orderedPositions
        if let known = bound, let first = ordered.first, let last = ordered.last {
            // If the anchor is a time, the page may start at any message with that time. If these
            // do not all fit, the page may be on the other side of the bound, with unknown messages
            // between.
            if request.newer == 0, known < .position(last) { bound = nil }
            if request.older == 0, .position(first) < known { bound = nil }
            if case .time = request.anchor, request.older > 0, request.newer > 0,
                known < .position(first) || .position(last) < known
            {
                bound = nil
            }
        }
        // An empty page of newer messages starts at the oldest message with the time of its anchor,
        // which may be older than the bound.
        if ordered.isEmpty, request.older == 0, let known = bound,
            case .time(let time) = request.anchor
        {
            bound = min(known, Gap.Bound(before: time))
        }
        self.init(page, bound: bound, feedHadBegun: feedHadBegun)
        excludedBound = request.includesBound ? nil : bound
    }
}

extension MessagePage {
    var orderedPositions: [Position] {
        messages.compactMap(\.position).filter { !outliers.contains($0.messageID) }
    }
}

extension StoreReader {
    /// Returns the position at which the answer to a request starts; `nil` if it is unknown, or if
    /// messages may be missing between it and the known history.
    func bound(
        of request: PageRequest, answeredBy page: MessagePage
    ) throws(StoreError) -> Gap.Bound? {
        var bound = request.bound
        if case .message(let id) = request.anchor {
            // An outlier is not at its position in the server's pages.
            if page.outliers.contains(id) { return nil }
            if bound == nil {
                let stored = try message(id, in: request.channelURL)
                bound = stored?.position.map(Gap.Bound.position)
            }
            if case .position(let position) = bound, position.messageID == id,
                try mayBeOfAnotherMessage(position, in: request.channelURL)
            {
                return nil
            }
        }
        // Messages of a thread may be stored inside gaps of the channel.
        guard request.parentMessageID == nil, case .position(let position) = bound,
            !position.messageID.rawValue.isEmpty
        else { return bound }
        // A gap may have been opened around the anchor since the request.
        return try isInGap(position, in: request.channelURL) ? nil : bound
    }

    func mayBeOfAnotherMessage(
        _ position: Position, in url: ChannelURL
    ) throws(StoreError) -> Bool {
        guard let former = try formerEpoch() else { return false }
        let stored = try message(position.messageID, in: url)?.position
        guard stored == position else { return true }
        return try staleRanges(in: url).contains {
            former.losses.contains($0.lossNumber) && $0.contains(position)
        }
    }
}
