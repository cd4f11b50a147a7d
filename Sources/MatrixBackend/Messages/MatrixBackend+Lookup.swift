public import Models

// Looking up messages by their IDs, with their reactions.
extension MatrixBackend {
    /// Returns messages by their IDs, with two requests for each message.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        let room = channelURL.rawValue
        try await requireRoom(room)
        let events = try await concurrently(messageIDs) { id throws(BackendError) in
            try await self.event(id.rawValue, in: room)
        }
        let found = events.compactMap(\.self).filter(\.isMessage)
        if found.isEmpty, !messageIDs.isEmpty { try await requireMembership(of: room) }
        let messages = try await messages(found, in: room, since: nil)
        let gone = Set(messageIDs).subtracting(messages.compactMap(\.messageID))
        return MessageLookup(found: messages, gone: Array(gone))
    }

    /// Returns an event with its latest edit; `nil` if the room has no such event, or the user may
    /// not see it.
    func event(_ id: String, in room: String) async throws(BackendError) -> RoomEvent? {
        do {
            let event: RoomEvent = try await call(.get("rooms", room, "event", id))
            seen.insert([event])
            return event
        } catch  where error.code == .notFound || error.code == .refused {
            return nil
        }
    }

    /// Returns a message by its ID; `nil` if it no longer exists.
    func message(_ id: String, in room: String) async throws(BackendError) -> Message? {
        guard let event = try await event(id, in: room), event.isMessage else { return nil }
        return try await messages([event], in: room, since: nil).first
    }

    /// Throws unless the user is or was a member of the room.
    func requireMembership(of room: String) async throws(BackendError) {
        let _: EventContent = try await call(
            .get("rooms", room, "state", "m.room.member", me.rawValue))
    }

    /// Creates messages from events, with their reactions.
    ///
    /// - Parameters:
    ///   - events: The events, which appear as messages.
    ///   - room: The ID of the room.
    ///   - bound: A token that is older than all of the events, if one is known. All reactions to
    ///     the events are newer than this token.
    /// - Returns: The messages, oldest first.
    /// - Throws: Errors of the requests.
    func messages(
        _ events: [RoomEvent], in room: String, since bound: String?
    ) async throws(BackendError) -> [Message] {
        let senders = try await senders(of: events, in: room)
        let reactions = try await reactions(to: events.map(\.id), in: room, since: bound)
        let me = try me
        let messages = events.compactMap { event -> Message? in
            guard let sender = senders[event.sender] else { return nil }
            var message = Message(event, in: room, sender: sender, me: me)
            if let reactions = reactions[event.id] { message.reactionHistory = reactions }
            return message
        }
        return messages.sorted { left, right in
            guard let position = left.position, let other = right.position else { return false }
            return position < other
        }
    }

    // MARK: Reactions

    /// The maximum number of a room's newest reactions that one request fetches.
    private static let maximumReactionCount = 500

    /// Returns the reactions to messages, by the IDs of the messages.
    ///
    /// The server returns messages without their reactions. For a recent page, one request returns
    /// the newest reactions of the room, which include all reactions to the page's messages. For an
    /// older page, a request for each message is needed.
    private func reactions(
        to ids: [String], in room: String, since bound: String?
    ) async throws(BackendError) -> [String: [Reaction]] {
        guard !ids.isEmpty else { return [:] }
        var events: [RoomEvent]?
        if ids.count > 1, let bound { events = try await reactions(in: room, since: bound) }
        if events == nil {
            events = try await concurrently(ids) { id throws(BackendError) in
                try await self.reactions(to: id, in: room)
            }.flatMap(\.self)
        }
        let wanted = Set(ids)
        var found: [String: [Reaction]] = [:]
        for event in events ?? [] {
            guard let (key, target) = event.reaction, wanted.contains(target) else { continue }
            var list = found[target] ?? []
            let index = list.firstIndex { $0.key == key } ?? list.endIndex
            if index == list.endIndex { list.append(Reaction(key: key)) }
            if !list[index].userIDs.contains(UserID(event.sender)) {
                list[index].userIDs.append(UserID(event.sender))
            }
            list[index].updatedAt = max(list[index].updatedAt, event.time)
            found[target] = list
        }
        return found
    }

    /// Returns the reactions in a room that are newer than a token; `nil` if there are more than
    /// ``maximumReactionCount``.
    private func reactions(
        in room: String, since token: String
    ) async throws(BackendError) -> [RoomEvent]? {
        let reply: EventsReply = try await call(
            .get(
                "rooms", room, "messages",
                query: [
                    ("dir", "f"), ("from", token), ("limit", "\(Self.maximumReactionCount)"),
                    ("filter", #"{"types":["m.reaction"]}"#),
                ]))
        seen.insert(reply.events)
        return reply.events.count < Self.maximumReactionCount ? reply.events : nil
    }

    /// Returns the events of the reactions to a message, oldest first.
    func reactions(to id: String, in room: String) async throws(BackendError) -> [RoomEvent] {
        var events: [RoomEvent] = []
        var token: String?
        repeat {
            var query = [("limit", "500"), ("dir", "f")]
            if let token { query.append(("from", token)) }
            let reply: EventsReply = try await call(
                .get(
                    "rooms", room, "relations", id, "m.annotation", "m.reaction", query: query,
                    api: "_matrix/client/v1"))
            events += reply.events
            token = reply.end
        } while token != nil && events.count < 10_000
        seen.insert(events)
        return events
    }
}
