import Foundation
public import Models

// The request ID is the transaction ID, by which the server recognizes repeated requests of the
// same device for about a day.
extension MatrixBackend {
    /// Sends a message, and waits until the feed reports it with the server's time.
    ///
    /// A request before it asks whether the room is encrypted. Without a feed, another one reads
    /// the message.
    public func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        let room = item.channelURL.rawValue
        try await requireRoom(room)
        if let message = try await sentMessage(of: item) { return message }
        var relation: JSONValue?
        if let new = item.newMessage, let parent = new.parentMessageID {
            relation = try await self.relation(to: parent, in: room, new)
        }
        let reply: EventIDReply
        do {
            reply = try await put(item, relation, in: room)
        } catch  where error.code == .refused && error.detail == .notAuthorized {
            throw try await reason(for: error, in: room)
        } catch  where error.detail == .invalidParameter {
            guard let parent = item.newMessage?.parentMessageID,
                let root = relation?["event_id"]?.string, try await isInvalid(root, in: room)
            else { throw error }
            reply = try await put(item, .reply(to: parent), in: room)
        }
        await waitForEcho(of: reply.event_id.text)
        guard let event = try await requestedCurrentEvent(reply.event_id.text, in: room),
            let message = try await messages([event], in: room).first
        else {
            throw BackendError(
                .refused, "the message \(item.requestID) was deleted on the server",
                detail: .messageNotFound)
        }
        return message
    }

    /// Returns `true` if the root of a thread refers to another event, or cannot be read in this
    /// room.
    ///
    /// Other servers may permit such a thread; the user's server accepts no reply in it.
    private func isInvalid(_ root: String, in room: String) async throws(BackendError) -> Bool {
        switch try await event(root, in: room).flatMap(SeenEvents.Meaning.init) {
        case .reply, .reference, .edit, .reaction, nil: true
        case .message, .deleted: false
        }
    }

    private func put(
        _ item: OutboxItem, _ relation: JSONValue?, in room: String
    ) async throws(BackendError) -> EventIDReply {
        try await requireUnencrypted(room)
        return try await call(
            .put(
                "rooms", room, "send", "m.room.message", item.requestID.rawValue,
                body: try .content(of: item, relation: relation), kind: .sending))
    }

    /// Servers forget transaction IDs, so a later attempt first searches the user's messages since
    /// the item's creation for its request ID.
    private func sentMessage(of item: OutboxItem) async throws(BackendError) -> Message? {
        let (day, written) = (Int64(24 * 60 * 60 * 1000), item.createdAt.milliseconds)
        // Both times may be any number.
        let now = options.now().milliseconds
        guard item.attempts != 1, written > 0, now > day, written < now - day * 3 / 4 else {
            return nil
        }
        let (room, me) = (item.channelURL.rawValue, try me.rawValue)
        let filter: JSONValue = ["types": ["m.room.message"], "senders": [.string(me)]]
        var found: RoomEvent?
        try await newestPages(of: room, limit: 100, filter: filter.description) { page in
            found = page.events.first {
                $0.isMessage && $0.content.own?.requestID == item.requestID.rawValue
            }
            // The clocks of the device and of the server may differ, so search one more day.
            return found != nil || page.events.contains { $0.time.milliseconds < written - day }
        }
        guard let found else { return nil }
        return try await messages([found], in: room).first
    }

    /// A reply that is also shown in the channel is outside of threads, like one to a message that
    /// refers to an event and cannot start a thread.
    private func relation(
        to parent: MessageID, in room: String, _ params: NewMessage
    ) async throws(BackendError) -> JSONValue {
        if params.isReplyToChannel { return .reply(to: parent) }
        var meaning = seen[parent.rawValue]
        if meaning == nil {
            meaning = try await requestedEvent(parent.rawValue, in: room)
                .flatMap(SeenEvents.Meaning.init)
        }
        let answered = params.metaArrays.first { $0.key == MetaArrayKey.answered }?.values.first
        switch meaning {
        case .reply(let root):
            return .reply(to: answered.map { MessageID($0) } ?? parent, inThread: root)
        case .message, .deleted, nil:
            return .reply(to: answered.map { MessageID($0) }, inThread: parent.rawValue)
        case .reference, .edit, .reaction: return .reply(to: parent)
        }
    }

    private func reason(
        for error: BackendError, in room: String
    ) async throws(BackendError) -> BackendError {
        try await updateList()
        let me = try me
        guard let room = list.rooms[room] else {
            return BackendError(.refused, error.message, detail: .notMember)
        }
        if room.isMuted(me) {
            return BackendError(.refused, error.message, detail: .mutedInChannel)
        }
        guard room.isFrozen, room.role(of: me) == .none else { return error }
        return BackendError(.refused, error.message, detail: .channelFrozen)
    }

    /// Edits a message, and waits until the feed reports the edit with its time.
    ///
    /// A request before it asks whether the room is encrypted. Without a feed, another one reads
    /// the result. Another one reads the current content, if neither the feed nor a page has
    /// contained it completely.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        let room = channelURL.rawValue
        let current = try await existing(messageID, in: room)
        guard try current.sender == me.rawValue else {
            throw BackendError(
                .refused, "\(messageID) is a message of another user", detail: .notOwnerOfMessage)
        }
        let content = JSONValue.edit(
            update, of: try await wholeContent(of: current, in: room), messageID)
        try await requireUnencrypted(room)
        let edit: EventIDReply = try await call(
            .put(
                "rooms", room, "send", "m.room.message", requestID.rawValue, body: content,
                kind: .sending))
        await waitForEcho(of: edit.event_id.text)
        var event = known[messageID.rawValue, in: room]
        if event?.replacement?.id != edit.event_id.text || isCatchingUp {
            event = try await requestedEvent(messageID.rawValue, in: room)
        }
        guard let event, event.isMessage,
            let message = try await messages([event], in: room).first
        else { throw .noMessage(messageID, in: room) }
        return message
    }

    private func wholeContent(
        of event: RoomEvent, in room: String
    ) async throws(BackendError) -> JSONValue {
        if let content = event.currentContent { return content }
        guard event.type == "m.room.message" else { return [:] }
        // A page may have been cut, because others of its messages were too long.
        var request = MatrixRequest.get("rooms", room, "event", event.id).forWritingBack
        // The latest reply of a thread may be of any form.
        request.unneededFields = [.references, UnneededField("m.thread", of: "m.relations")]
        do throws(BackendError) {
            let reply: EventReply = try await call(request)
            if reply.answersRequest(for: event.id), let content = reply.event?.currentContent {
                return content
            }
        } catch  where error.detail == .malformedData {}
        throw BackendError(.refused, "the content of \(event.id) cannot be read completely")
    }

    /// Redacts a message, after a request that checks whether it still exists, unless the feed
    /// reports its changes.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError) {
        let room = channelURL.rawValue
        _ = try await existing(messageID, in: room)
        try await redact(messageID.rawValue, in: room, requestID: requestID)
        known.remove(messageID.rawValue, in: room)
    }

    @discardableResult
    private func redact(
        _ id: String, in room: String, requestID: RequestID
    ) async throws(BackendError) -> String {
        let reply: EventIDReply = try await call(
            .put("rooms", room, "redact", id, requestID.rawValue, body: [:], kind: .sending))
        return reply.event_id.text
    }

    private func existing(
        _ id: MessageID, in room: String
    ) async throws(BackendError) -> RoomEvent {
        // A message that no request can name may exist.
        if let event = try await requestedCurrentEvent(id.rawValue, in: room) { return event }
        // In rooms of old versions, the sender's homeserver chooses the ID.
        guard !id.rawValue.hasControlCharacters else {
            throw BackendError(.refused, "the ID of the message contains control characters")
        }
        try await requireMembership(of: room)
        throw .noMessage(id, in: room)
    }

    // MARK: Reactions

    /// Adds or removes a reaction with one request, and waits until the feed reports the change
    /// with its time.
    ///
    /// Without a feed, another request reads the time. Another one looks up the message or the
    /// removed reaction, if the feed has not reported it.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent {
        let room = channelURL.rawValue
        let me = try me
        var id: String?
        switch action {
        case .add:
            _ = try await existing(messageID, in: room)
            id = try await addReaction(key, to: messageID, in: room, requestID)
        case .delete:
            for event in try await ownReactions(key, to: messageID.rawValue, in: room) {
                id = try await redact(event, in: room, requestID: requestID)
            }
            ownReactions["\(messageID) \(key)"] = nil
        }
        let time: Timestamp
        if let id {
            time = try await acceptedTime(of: id, in: room)
        } else {
            // There was no event to redact, so the message is unchanged.
            time = try await existing(messageID, in: room).time
        }
        return ReactionEvent(
            action, key, by: me, to: messageID, in: channelURL, at: time, requestID: requestID)
    }

    private func acceptedTime(
        of id: String, in room: String
    ) async throws(BackendError) -> Timestamp {
        await waitForEcho(of: id)
        if let time = eventTimes[id] { return time }
        guard let event = try await requestedEvent(id, in: room) else {
            throw BackendError(.unanswered, "the server does not return the event \(id)")
        }
        return event.time
    }

    private func ownReactions(
        _ key: String, to id: String, in room: String
    ) async throws(BackendError) -> [String] {
        if !isCatchingUp, let event = ownReactions["\(id) \(key)"] { return [event] }
        let me = try me.rawValue
        do throws(BackendError) {
            let (events, areAll) = try await reactions(to: id, in: room)
            let own = events.filter { $0.sender == me && $0.key == key }.map(\.id)
            guard areAll || !own.isEmpty else {
                throw BackendError(
                    .refused, "the reaction is not among the first \(events.count) of \(id)")
            }
            return own
        } catch  where error.code == .notFound {
            return []
        }
    }

    private func addReaction(
        _ key: String, to messageID: MessageID, in room: String, _ requestID: RequestID
    ) async throws(BackendError) -> String? {
        let body: JSONValue = [
            "m.relates_to": [
                "rel_type": "m.annotation", "event_id": .string(messageID.rawValue),
                "key": .string(key),
            ]
        ]
        do {
            let reply: EventIDReply = try await call(
                .put(
                    "rooms", room, "send", "m.reaction", requestID.rawValue, body: body,
                    kind: .sending))
            return reply.event_id.text
        } catch  where error.detail == .duplicatedData {
            // A message may have too many reactions to find this one.
            return (try? await ownReactions(key, to: messageID.rawValue, in: room))?.first
        }
    }
}

extension BackendError {
    fileprivate static func noMessage(_ id: MessageID, in room: String) -> BackendError {
        BackendError(.notFound, "\(room) has no message \(id)", detail: .messageNotFound)
    }
}
