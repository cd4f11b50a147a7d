public import Models

extension MatrixBackend {
    /// Returns a page of messages around an anchor.
    ///
    /// It needs a request or more for each direction, one for an anchor that is a message, three or
    /// more for one that is a time, and one or more on each side for the messages next to the page,
    /// with which its messages are compared to find outliers.
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

        /// Returns `false` for a reply in another thread: a proxy may decode the slashes of an ID,
        /// and request a thread of another room.
        func contains(_ event: RoomEvent) -> Bool {
            guard let thread, case .reply(let root) = SeenEvents.Meaning(event) else { return true }
            return root.utf8.elementsEqual(thread.utf8)
        }
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
            // Without a point, the page begins at the newest end, so it would have no messages.
            if first != nil, point == nil, older == 0 {
                throw BackendError(
                    .refused,
                    "too many messages of \(history.room) are not in the order of their times")
            }
            // The event is not at a point that was moved.
            if point != first { found = nil }
        case .message(let id):
            (point, found) = try await context(id.rawValue, in: history.room)
        }
        var before = PagePart()
        if older > 0 || point == nil {
            before = try await part(.older, of: history, from: point, limit: older)
            if point == nil, older == 0 {
                point = before.start.map { HistoryPoint($0) }
                before = PagePart()
            }
        }
        var (after, newerCursor) = (PagePart(), point?.cursor)
        if anchor != .newest, newer > 0 {
            after = try await newerPart(of: history, from: point, found, limit: newer)
            newerCursor = after.end.map { HistoryPoint($0).cursor }
        } else if anchor == .newest {
            newerCursor = nil
        }
        let olderCursor = older > 0 ? before.end.map { HistoryPoint($0).cursor } : point?.cursor
        let events = before.events.reversed() + after.events
        var arrivals = before.arrivals.reversed() + after.arrivals
        if case .message = anchor, newer == 0, let found { arrivals.append(found) }
        let oldest = older > 0 ? before.end.map { HistoryPoint($0) } : point
        var newest: HistoryPoint?
        if anchor != .newest { newest = newer > 0 ? after.end.map { HistoryPoint($0) } : point }
        let outliers =
            arrivals.isEmpty ? [] : try await outliers(arrivals, of: history, oldest, newest)
        let onPage = Set((events + [found].compactMap(\.self)).map { MessageID($0.id) })
        if let oldest { pageTokens.insert(oldest.token, of: events) }
        return MessagePage(
            messages: try await messages(events, in: history.room),
            outliers: outliers.intersection(onPage), older: olderCursor, newer: newerCursor)
    }

    // MARK: Outliers

    private static let neighborCount = 20

    /// Returns the messages of a page whose times contradict the order of arrival.
    ///
    /// `oldest` and `newest` are the ends of the page; `newest` is `nil` at the end of the history.
    private func outliers(
        _ arrivals: [RoomEvent], of history: History, _ oldest: HistoryPoint?,
        _ newest: HistoryPoint?
    ) async throws(BackendError) -> Set<MessageID> {
        let arrivals = arrivals.map(Arrival.init)
        // With a filter, the messages next to the page may not match.
        let all = History(room: history.room, thread: history.thread)
        let older = try await neighbors(.older, of: all, from: oldest)
        let newer =
            if let start = newest.flatMap({ pageStarts[$0.name(in: all)] }) {
                start
            } else {
                try await neighbors(.newer, of: all, from: newest)
            }
        // The next page may end where this one starts.
        let start = arrivals.start(withShown: Self.neighborCount)
        if let oldest, let start, history.filter == nil {
            pageStarts[oldest.name(in: all)] = start
        }
        // The message of an anchor is on both sides of it.
        var ids: Set<MessageID> = []
        return (older.reversed() + arrivals + newer)
            .filter { ids.insert($0.position.messageID).inserted }.outOfOrder
    }

    /// Returns the messages next to a page, nearest first.
    private func neighbors(
        _ side: Side, of history: History, from point: HistoryPoint?
    ) async throws(BackendError) -> [Arrival] {
        guard let point else { return [] }
        return try await part(
            side, of: history, from: point, limit: Self.neighborCount,
            eventsPerRequest: 2 * Self.neighborCount
        ).arrivals.map(Arrival.init)
    }

    private func newerPart(
        of history: History, from point: HistoryPoint?, _ found: RoomEvent?, limit: Int
    ) async throws(BackendError) -> PagePart {
        var first = found
        if first == nil, let event = point?.event {
            first = try await self.event(event, in: history.room)
        }
        let arrivals = [first].compactMap(\.self).filter {
            $0.id == point?.event && $0.isMessageOrRedacted
        }
        let count = arrivals.count(where: \.isMessage)
        guard count < limit, let point else {
            return PagePart(arrivals: arrivals, end: point?.token)
        }
        var after = try await part(
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
            let newest = try await part(.older, of: History(room: room), from: nil, limit: 0)
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
        var (point, token, limit) = (first, first.token, Self.neighborCount)
        for _ in 0..<Self.maximumRequestCount {
            let newer = try await part(
                .newer, of: History(room: room), from: HistoryPoint(token), limit: limit)
            if let last = newer.events.last(where: { $0.time < time }) {
                guard let next = try await context(last.id, in: room).0 else { break }
                point = HistoryPoint(next.token)
                token = next.token
            } else if newer.events.isEmpty, let end = newer.end {
                // The user may not see these messages; those that follow may be older than `time`.
                token = end
            } else {
                return point
            }
            limit = min(limit * 4, 500)
        }
        return nil
    }

    private func context(
        _ id: String, in room: String
    ) async throws(BackendError) -> (HistoryPoint?, RoomEvent?) {
        do throws(BackendError) {
            // Without the filter, the reply contains the state, with all memberships.
            let filter = #"{"lazy_load_members":true,"types":[]}"#
            let reply: ContextReply = try await call(
                .get("rooms", room, "context", id, query: [("limit", "0"), ("filter", filter)]))
            guard reply.event.answersRequest(for: id) else { throw .unknownPlace(id, in: room) }
            let found = reply.event.event
            let event = found?.hasMessageType ?? false ? id : nil
            return (HistoryPoint(reply.end.text, before: event), found)
        } catch  where error.code == .notFound || error.cannotName(id) {
            throw .unknownPlace(id, in: room)
        }
    }

    // MARK: Requests

    /// The maximum number of requests for a side of a page, which may then be too short.
    private static let maximumRequestCount = 6

    /// Makes several requests if necessary: the server's limit also counts edits and deleted
    /// messages.
    private func part(
        _ side: Side, of history: History, from point: HistoryPoint?, limit: Int,
        eventsPerRequest: Int = 1
    ) async throws(BackendError) -> PagePart {
        var part = PagePart()
        var (token, skipped) = (point?.token, side == .older ? point?.event : nil)
        for _ in 0..<Self.maximumRequestCount {
            let missing = max(limit - part.events.count, eventsPerRequest)
            let count = min(missing, 500) + (skipped == nil ? 0 : 1)
            let timelines = timelineCount
            let reply = try await events(side, of: history, from: token, limit: count)
            learn(reply.state, in: history.room)
            keep(reply.events, in: history.room, since: timelines)
            part.start = part.start ?? reply.start
            part.end = reply.end
            part.arrivals += reply.events.filter { $0.id != skipped && $0.isMessageOrRedacted }
            guard reply.end != nil, part.events.count < limit else { break }
            (token, skipped) = (reply.end, nil)
        }
        return part
    }

    private func events(
        _ side: Side, of history: History, from token: String?, limit: Int
    ) async throws(BackendError) -> EventsReply {
        do {
            var reply: EventsReply = try await call(upTo: limit) { limit in
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
            reply.events.removeAll { !history.contains($0) }
            return reply
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

    /// Returns `nil` if too many other events are newer than the newest message, and `.some(nil)`
    /// if there is none.
    func newestMessage(in room: String) async throws(BackendError) -> Message?? {
        // The newest events may be edits, or deleted messages.
        let found = try await part(
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

extension HistoryPoint {
    /// The tokens of a homeserver are the same in all rooms.
    fileprivate func name(in history: MatrixBackend.History) -> String {
        "\(history.room) \(history.thread ?? "") \(cursor)"
    }
}

/// A message in the order in which a room's messages arrived at the homeserver.
struct Arrival: Sendable {
    let position: Position
    var isDeleted = false
}

extension Arrival {
    fileprivate init(_ event: RoomEvent) {
        position = Position(createdAt: event.time, messageID: MessageID(event.id))
        isDeleted = !event.isMessage
    }
}

extension [Arrival] {
    /// The IDs of the messages whose times contradict the order of arrival.
    ///
    /// The sender's server chooses the time of a message. A message whose time is too early or too
    /// late must not extend the range that a page covers, so a message counts as in order only if
    /// each of the longest ascending sequences contains it. Deleted messages belong to no sequence,
    /// because a user can add many without being seen. A message that is older than an earlier
    /// deleted one is late.
    var outOfOrder: Set<MessageID> {
        let shown = filter { !$0.isDeleted }.map(\.position)
        let before = Self.ascentLengths(shown, by: <)
        let after = Self.ascentLengths(shown.reversed(), by: >).reversed()
        let lengths = zip(before, after).map { $0 + $1 - 1 }
        let longest = lengths.max() ?? 0
        let places = zip(before, lengths).filter { $1 == longest }.map(\.0)
        let counts: [Int: Int] = places.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let contradicting = shown.indices.filter {
            lengths[$0] < longest || counts[before[$0]] != 1
        }
        return lateAfterDeleted.union(contradicting.map { shown[$0].messageID })
    }

    /// Returns the first arrivals that include a number of shown ones; `nil` if there are fewer.
    fileprivate func start(withShown count: Int) -> [Arrival]? {
        var left = count
        for (index, arrival) in enumerated() where !arrival.isDeleted {
            left -= 1
            if left == 0 { return Array(self[...index]) }
        }
        return nil
    }

    private var lateAfterDeleted: Set<MessageID> {
        var late: Set<MessageID> = []
        var newest: Position?
        for arrival in self {
            if arrival.isDeleted {
                newest = newest.map { Swift.max($0, arrival.position) } ?? arrival.position
            } else if let newest, arrival.position < newest {
                late.insert(arrival.position.messageID)
            }
        }
        return late
    }

    /// Returns the length of the longest ascending sequence that ends at each position.
    private static func ascentLengths(
        _ positions: [Position], by precedes: (Position, Position) -> Bool
    ) -> [Int] {
        // The least end of a sequence of each length.
        var ends: [Position] = []
        return positions.map { position in
            var (index, end) = (0, ends.count)
            while index < end {
                let middle = (index + end) / 2
                if precedes(ends[middle], position) { index = middle + 1 } else { end = middle }
            }
            if index == ends.count { ends.append(position) } else { ends[index] = position }
            return index + 1
        }
    }
}

extension BackendError {
    fileprivate static func unknownPlace(_ id: String, in room: String) -> BackendError {
        BackendError(.expired, "\(room) has no message \(id)", detail: .messageNotFound)
    }
}
