public import Models

extension MatrixBackend {
    /// Returns a page of messages around an anchor.
    ///
    /// It needs a request or more for each direction, one for an anchor that is a message, three or
    /// more for one that is a time, and one for the messages that arrived just before the page: a
    /// message of the page is an outlier if one of these has a newer position.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await page(History(room: channelURL.rawValue), at: anchor, older: older, newer: newer)
    }

    /// Returns a page of the messages with files, or of those that start threads.
    ///
    /// The filter for files omits encrypted files, and files that only an edit has added.
    ///
    /// - Throws: `unsupported` for other kinds, for which Matrix has no filter.
    public func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage {
        let filter: String
        if kinds.isSubset(of: .files) {
            filter = #""contains_url":true"#
        } else if kinds == .thread {
            filter = #""related_by_rel_types":["m.thread"]"#
        } else {
            throw BackendError(.unsupported, "Matrix has no filter for messages of \(kinds)")
        }
        let history = History(room: channelURL.rawValue, filter: filter)
        return try await page(history, at: anchor, older: older, newer: 0)
    }

    /// Returns a page of the replies inside the thread that a message starts.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        let history = History(room: channelURL.rawValue, thread: parentID.rawValue)
        return try await page(history, at: anchor, older: older, newer: newer)
    }

    struct History: Sendable {
        let room: String
        var thread: String?
        var filter: String?
    }

    private func page(
        _ history: History, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await requireRoom(history.room)
        var (point, found): (HistoryPoint?, RoomEvent?)
        switch anchor {
        case .newest: break
        case .cursor(let cursor): point = HistoryPoint(cursor)
        case .time(let time):
            let first: HistoryPoint?
            (first, found) = try await self.point(at: time, in: history.room)
            if let first { point = try await self.point(first, at: time, in: history.room) }
            // The event is not at a point that was moved.
            if point != first { found = nil }
        case .message(let id):
            (point, found) = try await context(id.rawValue, in: history.room)
        }
        var before = Segment()
        if older > 0 || point == nil {
            before = try await segment(.older, of: history, from: point, limit: older)
            if point == nil, older == 0 {
                point = before.start.map { HistoryPoint($0) }
                before = Segment()
            }
        }
        var (after, newerCursor) = (Segment(), point?.cursor)
        if anchor != .newest, newer > 0 {
            after = try await newerSegment(of: history, from: point, found, limit: newer)
            newerCursor = after.end.map { HistoryPoint($0).cursor }
        } else if anchor == .newest {
            newerCursor = nil
        }
        let olderCursor = older > 0 ? before.end.map { HistoryPoint($0).cursor } : point?.cursor
        let events = before.events.reversed() + after.events
        let bound = older > 0 ? before.end : point?.token
        var ordered =
            try await context(of: events, in: history, from: bound) + before.arrivals.reversed()
        if case .message = anchor, newer == 0, let found { ordered.append(found) }
        let late = (ordered + after.arrivals)
            .map { Position(createdAt: $0.time, messageID: MessageID($0.id)) }.late
        let onPage = Set((events + [found].compactMap(\.self)).map { MessageID($0.id) })
        if let bound { pageTokens.insert(bound, of: events) }
        return MessagePage(
            messages: try await messages(events, in: history.room),
            outliers: late.intersection(onPage), older: olderCursor, newer: newerCursor)
    }

    private static let contextCount = 20

    private func context(
        of events: [RoomEvent], in history: History, from bound: String?
    ) async throws(BackendError) -> [RoomEvent] {
        guard let bound, !events.isEmpty, history.thread == nil else { return [] }
        let reply = try await self.events(
            .older, of: History(room: history.room), from: bound, limit: Self.contextCount)
        return reply.events.filter(\.isMessageOrRedacted).reversed()
    }

    private func newerSegment(
        of history: History, from point: HistoryPoint?, _ found: RoomEvent?, limit: Int
    ) async throws(BackendError) -> Segment {
        var first = found
        if first == nil, let event = point?.event {
            first = try await self.event(event, in: history.room)
        }
        let arrivals = [first].compactMap(\.self).filter {
            $0.id == point?.event && $0.isMessageOrRedacted
        }
        let count = arrivals.count(where: \.isMessage)
        guard count < limit, let point else {
            return Segment(arrivals: arrivals, end: point?.token)
        }
        var after = try await segment(
            .newer, of: history, from: HistoryPoint(point.token), limit: limit - count)
        after.arrivals = arrivals + after.arrivals
        return after
    }

    // MARK: Points

    func point(
        at time: Timestamp, in room: String
    ) async throws(BackendError) -> (HistoryPoint?, RoomEvent?) {
        let milliseconds = min(max(time.milliseconds, 0), 1 << 53 - 1)
        do {
            let found: EventIDReply = try await call(
                .get(
                    "rooms", room, "timestamp_to_event",
                    query: [("ts", "\(milliseconds)"), ("dir", "f")], api: "_matrix/client/v1"))
            return try await context(found.event_id.text, in: room)
        } catch  where error.code == .notFound {
            // All events are older than the time.
            let newest = try await segment(.older, of: History(room: room), from: nil, limit: 0)
            return (newest.start.map { HistoryPoint($0) }, nil)
        }
    }

    /// Returns the point, or a newer one after which the next messages are not older than `time`;
    /// `nil` for the newest end, if too many requests are needed.
    ///
    /// The sender's server chooses the time and the place of an event. The page would lack all
    /// messages between an event in a wrong place and the time.
    private func point(
        _ first: HistoryPoint, at time: Timestamp, in room: String
    ) async throws(BackendError) -> HistoryPoint? {
        var (point, limit) = (first, Self.contextCount)
        for _ in 0..<Self.maximumRequestCount {
            let newer = try await segment(
                .newer, of: History(room: room), from: HistoryPoint(point.token), limit: limit)
            guard let last = newer.events.last(where: { $0.time < time }) else { return point }
            guard let next = try await context(last.id, in: room).0 else { break }
            point = HistoryPoint(next.token)
            limit = min(limit * 4, 500)
        }
        return nil
    }

    private func context(
        _ id: String, in room: String
    ) async throws(BackendError) -> (HistoryPoint?, RoomEvent?) {
        do {
            let reply: ContextReply = try await call(
                .get("rooms", room, "context", id, query: [("limit", "0")]))
            let found = reply.event.event
            let event = found?.hasMessageType ?? false ? id : nil
            return (HistoryPoint(reply.end.text, before: event), found)
        } catch  where error.code == .notFound {
            throw BackendError(.expired, "\(room) has no message \(id)", detail: .messageNotFound)
        }
    }

    // MARK: Requests

    /// The maximum number of requests for a side of a page, which may then be too short.
    private static let maximumRequestCount = 6

    /// Makes several requests if necessary: the server's limit also counts edits and deleted
    /// messages.
    private func segment(
        _ side: Side, of history: History, from point: HistoryPoint?, limit: Int,
        eventsPerRequest: Int = 1
    ) async throws(BackendError) -> Segment {
        var segment = Segment()
        var (token, skipped) = (point?.token, side == .older ? point?.event : nil)
        for _ in 0..<Self.maximumRequestCount {
            let missing = max(limit - segment.events.count, eventsPerRequest)
            let count = min(missing, 500) + (skipped == nil ? 0 : 1)
            let timelines = timelineCount
            let reply = try await events(side, of: history, from: token, limit: count)
            learn(reply.state, in: history.room)
            keep(reply.events, in: history.room, since: timelines)
            segment.start = segment.start ?? reply.start
            segment.end = reply.end
            segment.arrivals += reply.events.filter { $0.id != skipped && $0.isMessageOrRedacted }
            guard reply.end != nil, segment.events.count < limit else { break }
            (token, skipped) = (reply.end, nil)
        }
        return segment
    }

    private func events(
        _ side: Side, of history: History, from token: String?, limit: Int
    ) async throws(BackendError) -> EventsReply {
        do {
            return try await call(upTo: limit) { limit in
                var query = [("dir", side.rawValue), ("limit", "\(limit)")]
                if let token { query.append(("from", token)) }
                guard let thread = history.thread else {
                    query.append(("filter", Self.pageFilter(history.filter)))
                    return .get("rooms", history.room, "messages", query: query)
                }
                return .get(
                    "rooms", history.room, "relations", thread, "m.thread", query: query,
                    api: "_matrix/client/v1")
            }
        } catch  where error.detail == .invalidParameter && token != nil {
            throw BackendError(.expired, error.message)
        }
    }

    private static func pageFilter(_ property: String?) -> String {
        """
        {"types":["m.room.message","m.sticker","m.room.encrypted"],"lazy_load_members":true,\
        "include_redundant_members":true\(property.map { "," + $0 } ?? "")}
        """
    }

    /// Returns `nil` if too many other events are newer than the newest message, and `.some(nil)` if
    /// there is none.
    func newestMessage(in room: String) async throws(BackendError) -> Message?? {
        // The newest events may be edits, or deleted messages.
        let found = try await segment(
            .older, of: History(room: room), from: nil, limit: 1, eventsPerRequest: 10)
        let message = try await messages(Array(found.events.prefix(1)), in: room).first
        return message == nil && found.end != nil ? nil : .some(message)
    }

    // MARK: Rooms

    /// Throws `notFound` if the user is not in the room, although the server would still return
    /// older messages, and `refused` if the user is only invited.
    func requireRoom(_ id: String) async throws(BackendError) {
        guard list.token != nil, list.rooms[id]?.isInvitation ?? true else { return }
        try await updateList()
        if let room = list.rooms[id] {
            guard room.isInvitation else { return }
            throw BackendError(
                .refused, "\(try me) has not accepted the invitation to \(id)", detail: .notMember)
        }
        throw BackendError(.notFound, "\(try me) is not in \(id)", detail: .channelNotFound)
    }
}

extension [Position] {
    /// The IDs of the messages that arrived after one with a newer position, for positions in the
    /// order of arrival.
    ///
    /// After a message of a server with a fast clock, messages are late until their clocks reach
    /// its time. Late messages are stored, but cover no range.
    var late: Set<MessageID> {
        var late: Set<MessageID> = []
        var newest: Position?
        for position in self {
            if let newest, position < newest {
                late.insert(position.messageID)
            } else {
                newest = position
            }
        }
        return late
    }
}
