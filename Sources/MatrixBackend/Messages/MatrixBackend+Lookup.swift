public import Models

extension MatrixBackend {
    /// Returns messages by their IDs, with a request for each message.
    ///
    /// The result may lack an ID with a slash, because a proxy that decodes slashes hides whether
    /// the message exists.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        let room = channelURL.rawValue
        try await requireRoom(room)
        let answers = try await concurrently(messageIDs) { id throws(BackendError) in
            try await self.existence(of: id.rawValue, in: room)
        }
        var found: [RoomEvent] = []
        var gone = Set(messageIDs)
        for (id, answer) in zip(messageIDs, answers) {
            switch answer {
            case .found(let event): if event.isMessage { found.append(event) }
            case .gone: break
            case .unknown: gone.remove(id)
            }
        }
        if found.isEmpty, !messageIDs.isEmpty { try await requireMembership(of: room) }
        let messages = try await messages(found, in: room)
        gone.subtract(messages.compactMap(\.messageID))
        return MessageLookup(found: messages, gone: Array(gone))
    }

    private enum Existence {
        case found(RoomEvent)
        case gone, unknown
    }

    private func existence(
        of id: String, in room: String
    ) async throws(BackendError) -> Existence {
        do {
            return try await requestedEvent(id, in: room).map(Existence.found) ?? .gone
        } catch  where error.cannotName(id) {
            return .unknown
        }
    }

    /// Returns `nil` if the room has no such event, the user may not see it, or it cannot be
    /// requested or decoded: a member may name any text as the ID of the event that an edit or a
    /// reply is for, and an error would end the feed.
    func event(_ id: String, in room: String) async throws(BackendError) -> RoomEvent? {
        if case .found(let event) = try await existence(of: id, in: room) { event } else { nil }
    }

    /// As ``event(_:in:)``, but throws `unsupported` if no request can name the event.
    func requestedEvent(_ id: String, in room: String) async throws(BackendError) -> RoomEvent? {
        guard (1...WireLimit.id).contains(id.utf8.count), !id.hasControlCharacters else {
            return nil
        }
        let count = timelineCount
        do throws(BackendError) {
            let reply: EventReply = try await call(.get("rooms", room, "event", id))
            guard reply.answersRequest(for: id) else {
                guard id.hasSlash else { return nil }
                throw BackendError(.unsupported, "no request can name the event \(id)")
            }
            guard let event = reply.event else { return nil }
            keep([event], in: room, since: count)
            return event
        } catch  where error.code == .notFound || error.code == .refused {
            return nil
        }
    }

    func message(_ id: String, in room: String) async throws(BackendError) -> Message? {
        guard let event = try await event(id, in: room), event.isMessage else { return nil }
        return try await messages([event], in: room).first
    }

    func currentEvent(_ id: String, in room: String) async throws(BackendError) -> RoomEvent? {
        do {
            return try await requestedCurrentEvent(id, in: room)
        } catch  where error.cannotName(id) {
            return nil
        }
    }

    /// As ``currentEvent(_:in:)``, but throws `unsupported` if no request can name the event.
    func requestedCurrentEvent(
        _ id: String, in room: String
    ) async throws(BackendError) -> RoomEvent? {
        if !isCatchingUp, let event = known[id, in: room] { return event }
        guard let event = try await requestedEvent(id, in: room), event.isMessage else {
            return nil
        }
        return event
    }

    /// Throws unless the user is or was a member of the room.
    func requireMembership(of room: String) async throws(BackendError) {
        let _: EventContent = try await call(
            .get("rooms", room, "state", "m.room.member", me.rawValue))
    }

    func messages(
        _ events: [RoomEvent], in room: String
    ) async throws(BackendError) -> [Message] {
        let senders = try await senders(of: events, in: room)
        let me = try me
        if list.rooms[room] == nil, events.contains(where: \.mentionsRoom) {
            // The list has the levels that such a mention needs.
            try await updateList()
        }
        let known = list.rooms[room] ?? Room(room)
        let messages = events.compactMap { event in
            senders[UserID(event.sender)].map { known.message(event, sender: $0, me: me) }
        }
        return messages.sorted { left, right in
            guard let position = left.position, let other = right.position else { return false }
            return position < other
        }
    }

    /// Returns the messages of events of several rooms, in the order of the events.
    func messages(
        _ found: [(event: RoomEvent, room: String)]
    ) async throws(BackendError) -> [Message] {
        var messages: [MessageID: Message] = [:]
        for room in Set(found.map(\.room)) {
            let events = found.filter { $0.room == room }.map(\.event)
            for message in try await self.messages(events, in: room) {
                if let id = message.messageID { messages[id] = message }
            }
        }
        return found.compactMap { messages[MessageID($0.event.id)] }
    }

    // MARK: Reactions

    private static let maximumReactionCount = 500

    private static let maximumReactionPageCount = 20
    /// Anyone can send any number of reactions from a homeserver of their own.
    private static let maximumReactionCountOfMessage = 1_000

    /// Returns the reactions to messages.
    ///
    /// For messages of a page, one request fetches all newer reactions of the room. If there are
    /// too many, and for messages that were in no page, each message needs a request.
    public func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]] {
        let room = channelURL.rawValue
        try await requireRoom(room)
        let ids = messageIDs.map(\.rawValue)
        let events = try await concurrently(Array(pageTokens.groups(of: ids))) {
            (token, ids) throws(BackendError) in
            try await self.reactions(to: ids, in: room, since: token)
        }
        var found = Dictionary(ids.map { ($0, GroupedReactions()) }) { first, _ in first }
        for event in events.flatMap(\.self) {
            found[event.target]?.add(event.key, by: UserID(event.sender), at: event.time)
        }
        return Dictionary(
            uniqueKeysWithValues: found.filter { !$1.isEmpty }
                .map { (MessageID($0), $1.reactions) })
    }

    /// May return reactions to others, too.
    ///
    /// `token` is older than all of the messages, or `nil`.
    private func reactions(
        to ids: [String], in room: String, since token: String?
    ) async throws(BackendError) -> [ReactionEntry] {
        if ids.count > 1, let token, let events = try await reactions(in: room, since: token) {
            return events
        }
        return try await concurrently(ids) { id throws(BackendError) in
            do throws(BackendError) {
                return try await self.reactions(to: id, in: room).events
            } catch {
                // The message does not exist, or no request can name it.
                guard error.code == .notFound || error.cannotName(id) else { throw error }
                return []
            }
        }.flatMap(\.self)
    }

    private static let reactionPagesOfRoom = 3

    /// Returns the newer reactions; `nil` if there are ``maximumReactionCount`` or more, or more
    /// than ``reactionPagesOfRoom`` pages.
    ///
    /// A page may be short although others follow: the server omits the events of ignored users.
    private func reactions(
        in room: String, since start: String
    ) async throws(BackendError) -> [ReactionEntry]? {
        var (events, token): ([ReactionEntry], String) = ([], start)
        for _ in 0..<Self.reactionPagesOfRoom {
            let reply: EventsReply = try await call(upTo: Self.maximumReactionCount) { limit in
                .get(
                    "rooms", room, "messages",
                    query: [
                        ("dir", "f"), ("from", token), ("limit", "\(limit)"),
                        ("filter", #"{"types":["m.reaction"]}"#),
                    ])
            }
            receive(reply.events)
            events += reply.events.compactMap { ReactionEntry($0) }
            guard events.count < Self.maximumReactionCount else { return nil }
            guard let end = reply.end, end != token else { return events }
            token = end
        }
        return nil
    }

    /// Returns the reactions to a message, and whether these are all; a server returns any number.
    func reactions(
        to id: String, in room: String
    ) async throws(BackendError) -> (events: [ReactionEntry], areAll: Bool) {
        var events: [ReactionEntry] = []
        var token: String?
        for _ in 0..<Self.maximumReactionPageCount {
            let reply: EventsReply = try await call(upTo: Self.maximumReactionCount) { limit in
                var query = [("limit", "\(limit)"), ("dir", "f")]
                if let token { query.append(("from", token)) }
                return .get(
                    "rooms", room, "relations", id, "m.annotation", "m.reaction", query: query,
                    api: "_matrix/client/v1")
            }
            let reactions = reply.events.filter {
                $0.reaction?.target.utf8.elementsEqual(id.utf8) ?? false
            }
            receive(reactions)
            events += reactions.compactMap { ReactionEntry($0) }
            token = reply.end
            if token == nil || events.count >= Self.maximumReactionCountOfMessage { break }
        }
        return (events, token == nil)
    }
}

/// A reaction without the other fields of its event, which can be long.
struct ReactionEntry: Sendable {
    let id: String
    let sender: String
    let key: String
    let target: String
    let time: Timestamp

    init?(_ event: RoomEvent) {
        guard let (key, target) = event.reaction else { return nil }
        (id, sender, time) = (event.id, event.sender, event.time)
        (self.key, self.target) = (key, target)
    }
}

private struct GroupedReactions {
    private struct Group {
        let key: String
        var users: [UserID] = []
        var known: Set<UserID> = []
        var updatedAt: Timestamp
    }

    private var groups: [Group] = []
    /// The indexes of the groups by the bytes of their keys: comparing long keys with many marks as
    /// Unicode texts takes quadratic time.
    private var indexes: [[UInt8]: Int] = [:]

    var isEmpty: Bool { groups.isEmpty }

    mutating func add(_ key: String, by user: UserID, at time: Timestamp) {
        let bytes = Array(key.utf8)
        let index = indexes[bytes] ?? groups.endIndex
        if index == groups.endIndex {
            guard groups.count < Reaction.maximumCount else { return }
            indexes[bytes] = index
            groups.append(Group(key: key, updatedAt: time))
        }
        if groups[index].known.insert(user).inserted { groups[index].users.append(user) }
        groups[index].updatedAt = max(groups[index].updatedAt, time)
    }

    var reactions: [Reaction] {
        groups.map { group in
            var reaction = Reaction(key: group.key)
            (reaction.userIDs, reaction.updatedAt) = (group.users, group.updatedAt)
            return reaction
        }
    }
}
