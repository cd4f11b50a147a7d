import Models

extension MatrixBackend {
    /// The state that was fetched again for redactions in the feed's current batch.
    struct RefetchedState {
        /// The number of redacted parts of a room's state above which the whole state is fetched.
        static let partLimit = 3

        /// The types and keys of the requested parts, as bytes.
        var parts: [String: Set<[[UInt8]]>] = [:]
        /// The numbers of parts that were still current.
        var counts: [String: Int] = [:]
        /// The rooms whose whole state was requested, and those that have returned it.
        var requestedRooms: Set<String> = []
        var rooms: Set<String> = []
        var hasUpdatedList = false
    }

    /// A redaction contains only the ID of the redacted event.
    func redaction(
        of id: String, in room: String, at time: Timestamp
    ) async throws(BackendError) -> [FeedEvent] {
        let url = ChannelURL(room)
        let deletion = FeedEvent.messageDeleted(MessageID(id), in: url, at: time)
        switch seen[id] {
        case .message, .reference: return [deletion]
        case .deleted(let createdAt):
            return [.messageOrEditDeleted(MessageID(id), in: url, createdAt: createdAt, at: time)]
        case .reply(let root): return try await [deletion] + reverted(root, in: room)
        case .edit(let edited): return try await reverted(edited, in: room)
        case .reaction(let key, let target, let user):
            if user == (try me).rawValue { ownReactions["\(target) \(key)"] = nil }
            return [
                .reaction(
                    ReactionEvent(
                        .delete, key, by: UserID(user), to: MessageID(target), in: url, at: time))
            ]
        case nil:
            guard let event = try await event(id, in: room) else { return [deletion] }
            if let key = event.stateKey {
                return try await stateWithoutRedacted(event, key, in: room)
            }
            // A redacted event no longer names the message that it was for: an edit or a reaction
            // may have been for any older message of the room.
            if event.hasMessageType {
                return [
                    .messageOrEditDeleted(MessageID(id), in: url, createdAt: event.time, at: time)
                ]
            }
            guard event.type == "m.reaction" else { return [] }
            // The sender's server chooses the time of an event. Later messages are not concerned.
            return [.historyChanged(in: url, from: nil, through: min(event.time, options.now()))]
        }
    }

    /// Returns the events for a redacted event of the state, if it is still part of the state.
    private func stateWithoutRedacted(
        _ redacted: RoomEvent, _ key: String, in room: String
    ) async throws(BackendError) -> [FeedEvent] {
        // State fetched since the reply lacks the content of all its redactions.
        let name = [Array(redacted.type.utf8), Array(key.utf8)]
        guard !refetched.rooms.contains(room),
            refetched.parts[room, default: []].insert(name).inserted
        else { return [] }
        let current: CurrentStateEvent
        do {
            current = try await call(
                .get("rooms", room, "state", redacted.type, key, query: [("format", "event")]))
        } catch  where error.code != .unanswered && Self.failuresOfRoom.contains(error.code) {
            // The state has no such part, or its name cannot be requested.
            return []
        }
        guard current.id.map({ $0 == redacted.id }) ?? true else { return [] }
        let count = (refetched.counts[room] ?? 0) + 1
        refetched.counts[room] = count
        if !refetched.hasUpdatedList {
            try await updateList()
            refetched.hasUpdatedList = true
        }
        var state: [RoomEvent]?
        // Some servers ignore the format, and return only the content.
        if current.id == nil || count > RefetchedState.partLimit,
            refetched.requestedRooms.insert(room).inserted
        {
            state = try await availableState(of: room)
            if state != nil { refetched.rooms.insert(room) }
        }
        if state == nil, current.id == nil { return [] }
        for event in state ?? [redacted] { list.rooms[room]?.apply(event) }
        return try await completeState(of: room)
    }

    /// The events for a message that has lost an edit or a reply, and so has an earlier version.
    private func reverted(_ id: String, in room: String) async throws(BackendError) -> [FeedEvent] {
        guard let message = try await message(id, in: room) else { return [] }
        return [.messageChanged(MessageID(id), in: ChannelURL(room)), .messageUpdated(message)]
    }
}
