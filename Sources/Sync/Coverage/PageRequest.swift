package import Models
package import Store

/// A request for a page of a channel's history, of its messages of some kinds, or of the replies to
/// a message.
package struct PageRequest: Hashable, Sendable {
    let channelURL: ChannelURL
    /// The message whose replies are requested; `nil` for the channel's history.
    let parentMessageID: MessageID?
    /// The kinds of the requested messages; empty for messages of all kinds and of none.
    var kinds: MessageKinds = []
    package var anchor: MessageAnchor
    package let older: Int
    package let newer: Int
    /// The anchor's position, if no messages are missing between the anchor and the page; otherwise
    /// `nil`.
    ///
    /// None are missing if the anchor is at a bound of a gap or of a known range.
    var bound: Gap.Bound?

    /// Creates a request for the messages next to an anchor.
    ///
    /// Sizes outside the valid range are replaced by the nearest valid ones.
    package init(
        in channelURL: ChannelURL, repliesTo parentMessageID: MessageID? = nil,
        at anchor: MessageAnchor, bound: Gap.Bound? = nil, older: Int = 0, newer: Int = 0
    ) {
        self.channelURL = channelURL
        self.parentMessageID = parentMessageID
        self.anchor = anchor
        self.bound = bound
        self.older = PageSize.nearest(to: older)
        self.newer = PageSize.nearest(to: newer)
    }

    var call: any BackendCall {
        if let parentMessageID {
            return CoreCall.Replies(
                parentID: parentMessageID, channelURL: channelURL, anchor: anchor, older: older,
                newer: newer)
        }
        if !kinds.isEmpty {
            return CoreCall.MessagesOfKinds(
                kinds: kinds, channelURL: channelURL, anchor: anchor, older: older)
        }
        return CoreCall.Messages(
            channelURL: channelURL, anchor: anchor, older: older, newer: newer)
    }

    /// Returns a Boolean value that indicates whether the page of another request also answers this
    /// request.
    ///
    /// The other request must have the same anchor and the same direction. Its page may have
    /// another size.
    func isServed(by other: PageRequest) -> Bool {
        channelURL == other.channelURL && parentMessageID == other.parentMessageID
            && kinds == other.kinds && anchor == other.anchor && bound == other.bound
            && (older == other.older || newer == 0 && other.newer == 0)
            && (newer == other.newer || older == 0 && other.older == 0)
    }

    /// A Boolean value that indicates whether the page contains the message at the request's bound,
    /// if the server has it and the page reaches the bound.
    var includesBound: Bool {
        switch anchor {
        case .newest: true
        case .time(let time): newer > 0 || bound.map { $0 < Gap.Bound(before: time) } ?? true
        case .message: newer > 0
        case .cursor: false
        }
    }

    /// The request to make if the server does not know the cursor of this request any more; `nil` if
    /// the position of the cursor is unknown.
    var withoutCursor: PageRequest? {
        guard case .cursor = anchor, let bound, older == 0 || newer == 0 else { return nil }
        var request = self
        request.anchor = newer == 0 ? bound.anchorIncludingIt : bound.anchorForNewer
        if request.anchor == .newest { request.bound = nil }
        return request
    }

    /// The request to make if the answer to this request was voided.
    ///
    /// If the anchor is a cursor, the new request has no bound: the history may have changed, so
    /// that messages are missing between the bound and the page. A page of messages of some kinds is
    /// compared with the stored cursor when it arrives.
    var repeated: PageRequest {
        guard case .cursor = anchor, kinds.isEmpty else { return self }
        var request = self
        request.bound = nil
        return request
    }
}

extension Gap.Bound {
    /// The anchor of a page of older messages that includes the message at this bound.
    package var anchorIncludingIt: MessageAnchor {
        guard case .position(let position) = self else { return .newest }
        return position.createdAt.next.map { .time($0) } ?? .newest
    }

    /// The anchor of a page of newer messages that includes the message at this bound.
    package var anchorForNewer: MessageAnchor {
        switch self {
        case .beginning: .time(Timestamp(milliseconds: .min))
        case .position(let position): .time(position.createdAt)
        case .end: .newest
        }
    }
}
