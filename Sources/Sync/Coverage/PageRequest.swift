package import Models
package import Store

package struct PageRequest: Hashable, Sendable {
    let channelURL: ChannelURL
    let parentMessageID: MessageID?
    /// The kinds of the requested messages; empty for messages of all kinds and of none.
    var kinds: MessageKinds = []
    package var anchor: MessageAnchor
    package let older: Int
    package let newer: Int
    /// The anchor's position, if the anchor is at a bound of a gap or of a known range, so that no
    /// messages are missing between it and the page.
    var bound: Gap.Bound?

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

    /// Returns whether the page of another request, of any size, also answers this one.
    func isServed(by other: PageRequest) -> Bool {
        channelURL == other.channelURL && parentMessageID == other.parentMessageID
            && kinds == other.kinds && anchor == other.anchor && bound == other.bound
            && (older == other.older || newer == 0 && other.newer == 0)
            && (newer == other.newer || older == 0 && other.older == 0)
    }

    var includesBound: Bool {
        switch anchor {
        case .newest: true
        case .time(let time): newer > 0 || bound.map { $0 < Gap.Bound(before: time) } ?? true
        case .message: newer > 0
        case .cursor: false
        }
    }

    /// The request to make if the cursor has expired; `nil` if its position is unknown.
    var withoutCursor: PageRequest? {
        guard case .cursor = anchor, let bound, older == 0 || newer == 0 else { return nil }
        var request = self
        request.anchor = newer == 0 ? bound.anchorIncludingIt : bound.anchorForNewer
        if request.anchor == .newest { request.bound = nil }
        return request
    }

    /// The request to make if the answer to this request was voided.
    ///
    /// If the anchor is a cursor, the new request has no bound, because messages may now be missing
    /// between the bound and the page; a page of some kinds is compared with the stored cursor.
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
