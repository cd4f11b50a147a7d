public import Models
import Sync

extension MatrixBackend {
    /// Returns a page of the channels that match a query.
    ///
    /// The first call of a process loads all rooms; later calls need one short request. If the
    /// homeserver supports it, a call for the first page in the order of the last message fetches
    /// only that page, without unread counts.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        if cursor == nil, query.order == .latestLastMessage,
            let (newest, hasMore) = try await newestChannels(query.limit)
        {
            let me = try me
            let channels = newest.filter { query.belongsTo($0, currentUserID: me) }
                .sorted(by: query.precedes)
            if !hasMore || !channels.isEmpty {
                let last = hasMore ? channels.last.map { PageCursor($0.url.rawValue) } : nil
                return Page(channels, next: last)
            }
        }
        try await updateList()
        let me = try me
        let channels = list.channelIDs.compactMap { list.channel($0, for: me) }
            .filter { query.belongsTo($0, currentUserID: me) }.sorted(by: query.precedes)
        var page = try Page(channels, after: cursor, limit: query.limit, id: \.url.rawValue)
        _ = try await concurrently(page.elements.map(\.url.rawValue)) {
            room throws(BackendError) in try await self.resolveReceipts(of: room)
        }
        page.elements = page.elements.map { list.channel($0.url.rawValue, for: me) ?? $0 }
        return page
    }

    /// Returns a channel; if the user is only invited, with only the room's name, picture and
    /// inviter.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await updateList()
        try await resolveReceipts(of: url.rawValue)
        try await resolveHeroes(of: url.rawValue)
        guard let channel = list.channel(url.rawValue, for: try me) else {
            throw BackendError(.notFound, "\(try me) is not in \(url)", detail: .channelNotFound)
        }
        return channel
    }

    /// Returns a page of members, for which all members are requested.
    func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        var room = Room(channelURL.rawValue, memberLimit: .max)
        for event in try await state(of: room.id) { room.apply(event) }
        let me = try me
        let members = room.members.sorted { $0.userID < $1.userID }
        guard members.contains(where: { $0.userID == me }) else {
            throw BackendError(.notFound, "\(me) is not in \(channelURL)", detail: .channelNotFound)
        }
        return try Page(members, after: cursor, limit: limit, id: \.userID.rawValue)
    }

    func state(of room: String) async throws(BackendError) -> [RoomEvent] {
        let state: StateReply = try await call(.get("rooms", room, "state"))
        return state.events
    }

    /// Returns `nil` if the server does not return the state.
    func availableState(of room: String) async throws(BackendError) -> [RoomEvent]? {
        guard !isUnanswered(room) else { return nil }
        do {
            let state = try await state(of: room)
            unansweredCounts[room] = nil
            return state
        } catch  where error.code == .notFound || error.code == .refused {
            // The user has just left the room.
            return nil
        } catch  where error.code == .unanswered {
            // The state may be too long, because of large memberships.
            guard error.detail == .malformedData || recordUnanswered(room) else { throw error }
            return nil
        }
    }

    /// When a room loses its name, servers do not report its heroes until a member changes.
    func resolveHeroes(of room: String) async throws(BackendError) {
        guard list.rooms[room]?.lacksHeroes ?? false,
            let state = try await availableState(of: room)
        else { return }
        list.rooms[room]?.setHeroes(from: state, me: try me.rawValue)
    }

    // MARK: Receipts and typing

    func markAsRead(_ request: MarkAsRead) async throws(BackendError) {
        let room = request.channelURL.rawValue
        try await requireRoom(room)
        if let id = request.messageID?.rawValue, let time = request.upTo {
            let known = eventTimes[id]
            eventTimes[id] = known ?? time
            do { return try await markAsRead(id, in: room) } catch
                where error.code == .refused || error.code == .notFound
            {
                // The message does not exist any more.
                eventTimes[id] = known
            }
        }
        if let end = request.upTo {
            guard let event = try await newestEvent(in: room, upTo: end) else { return }
            receive([event])
            return try await markAsRead(event.id, in: room)
        }
        // In pages, a member can keep an event before all later ones, and events that the feed does
        // not report may count as unread, too: mark both. The server moves a receipt only to later
        // events.
        let known = newestEvents[room]
        do {
            if let id = try await newestEventID(in: room), id != known {
                try await markAsRead(id, in: room)
            }
        } catch  where known != nil && error.code == .refused {
            // The first event may be one that the user may not mark.
        }
        if let known { try await markAsRead(known, in: room) }
    }

    private func markAsRead(_ event: String, in room: String) async throws(BackendError) {
        let _: EmptyReply = try await call(
            .post(
                "rooms", room, "read_markers",
                body: ["m.fully_read": .string(event), "m.read": .string(event)]))
    }

    /// Returns the ID of the newest event, of any type.
    private func newestEventID(in room: String) async throws(BackendError) -> String? {
        var found: String?
        try await newestPages(of: room, limit: 20, pages: 5) { page in
            found = page.firstID
            if let first = page.events.first, first.id == found { receive([first]) }
            return found != nil
        }
        return found
    }

    private func newestEvent(
        in room: String, upTo end: Timestamp
    ) async throws(BackendError) -> RoomEvent? {
        // A member can backdate an event. Return the newest event that no later-dated one precedes
        // among the 100 events before it.
        var found: RoomEvent?
        var count = 0
        try await newestPages(of: room, limit: 100) { page in
            for event in page.events {
                if event.time > end {
                    (found, count) = (nil, 0)
                } else {
                    (found, count) = (found ?? event, count + 1)
                }
            }
            return count >= 100
        }
        return found
    }

    static let maximumSearchPageCount = 100

    /// Requests pages, newest first; throws `refused` if `pages` are not enough.
    ///
    /// A page may be empty although others follow: the server omits the events of ignored users.
    func newestPages(
        of room: String, limit: Int, filter: String? = nil, pages: Int = maximumSearchPageCount,
        until isEnough: (EventsReply) -> Bool
    ) async throws(BackendError) {
        var token: String?
        for _ in 0..<pages {
            let page: EventsReply = try await call(upTo: limit) { limit in
                var query = [("dir", "b"), ("limit", "\(limit)")]
                if let filter { query.append(("filter", filter)) }
                if let token { query.append(("from", token)) }
                return .get("rooms", room, "messages", query: query)
            }
            guard !isEnough(page), let next = page.end else { return }
            token = next
        }
        throw BackendError(
            .refused,
            "the newest \(Self.maximumSearchPageCount) pages of \(room) do not contain the event")
    }

    /// Reports typing, which the server ends after half a minute.
    func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        let body: JSONValue =
            isTyping ? ["typing": true, "timeout": 30_000] : ["typing": false]
        let _: EmptyReply = try await call(
            .put("rooms", channelURL.rawValue, "typing", me.rawValue, body: body))
    }
}
