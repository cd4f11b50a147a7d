public import Models
import Sync

// Matrix has no changelogs: they are created from the events after a token.
extension MatrixBackend {
    /// Returns the changes of a room's messages since a point, oldest first.
    ///
    /// The engine applies `params`. There is one request for each hundred messages since the point,
    /// and one for each edited message.
    ///
    /// The server does not report to which message a deleted edit or reply belonged. If this
    /// process has not received the deleted event, a changelog since a time reports it as a deleted
    /// message.
    ///
    /// - Throws: `expired` if the server does not know the point; if the point is one of the feed
    ///   and an older event was deleted that this process has not received; if a reaction was
    ///   removed and its message cannot be determined.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        let room = channelURL.rawValue
        try await requireRoom(room)
        let (token, isSinceTime, first) = try await start(of: point, in: room)
        let filter = RoomEvent.changeTypes.map { "\"\($0)\"" }.joined(separator: ",")
        let reply: EventsReply
        do {
            reply = try await call(upTo: 100) { limit in
                .get(
                    "rooms", room, "messages",
                    query: [
                        ("dir", "f"), ("from", token), ("limit", "\(limit)"),
                        ("filter", #"{"types":[\#(filter)]}"#),
                    ])
            }
        } catch  where error.detail == .invalidParameter {
            throw BackendError(.expired, error.message)
        }
        receive(reply.events)
        seen.insertDeleted(reply.events)
        var changes = MessageChanges()
        for event in first + reply.events { changes.add(event, seen) }
        try await resolve(&changes, in: room, isSinceTime: isSinceTime)
        let next = (isSinceTime ? Self.timePrefix : "") + (reply.end ?? token)
        return try await changelog(changes, in: room, next: next, hasMore: reply.end != nil)
    }

    private static let timePrefix = "time "

    private func start(
        of point: ChangelogPoint, in room: String
    ) async throws(BackendError) -> (token: String, isSinceTime: Bool, first: [RoomEvent]) {
        switch point {
        case .token(let token) where token.hasPrefix(Self.timePrefix):
            return (String(token.dropFirst(Self.timePrefix.count)), true, [])
        case .token(let token): return (token, false, [])
        case .feed(let cursor): return (cursor.rawValue, false, [])
        case .time(let time):
            let (start, event) = try await self.point(at: time, in: room)
            guard let start else {
                throw BackendError(
                    .expired, "the server returned no position in \(room) at \(time)")
            }
            return (start.token, true, [event].compactMap(\.self))
        }
    }

    private func resolve(
        _ changes: inout MessageChanges, in room: String, isSinceTime: Bool
    ) async throws(BackendError) {
        let unknown = changes.unknown.keys.sorted()
        let events = try await concurrently(unknown) { id throws(BackendError) in
            try await self.event(id.rawValue, in: room)
        }
        for (id, event) in zip(unknown, events) {
            // A redacted event no longer names the message that it was for. With the type of a
            // message, it may have been an edit, or a reply in a thread.
            let isMessage = event?.hasMessageType ?? true
            if event?.type == "m.reaction" || event != nil && isMessage && !isSinceTime {
                throw BackendError(
                    .expired, "the deleted event \(id) of \(room) changed a message that is unknown"
                )
            }
            if isMessage { changes.deleted[id] = changes.unknown[id] }
        }
    }

    private func changelog(
        _ changes: MessageChanges, in room: String, next: String, hasMore: Bool
    ) async throws(BackendError) -> MessageChangelog {
        let ids = changes.updated.subtracting(changes.deleted.keys).sorted()
        let events = try await concurrently(ids) { id throws(BackendError) in
            try await self.event(id.rawValue, in: room)
        }
        var changelog = MessageChangelog()
        changelog.updated = try await messages(
            events.compactMap(\.self).filter(\.isMessage), in: room)
        changelog.deleted = changes.deleted.keys.sorted().map { id in
            var deleted = DeletedMessage()
            deleted.messageID = id
            deleted.deletedAt = changes.deleted[id]
            deleted.createdAt = changes.createdAt[id]
            return deleted
        }
        changelog.hasMore = hasMore
        changelog.next = next
        return changelog
    }

    /// Returns the changes of the user's rooms since a point, with one `/sync`; the engine applies
    /// `params`.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        let token =
            switch point {
            case .token(let token): token
            case .feed(let cursor): cursor.rawValue
            case .time: throw BackendError.lacking(.channelChangelogByTime)
            }
        let reply = try await sync(since: token)
        try await updateList()
        let me = try me
        let changed = Set(reply.joined.keys).union(reply.invited.keys)
        _ = try await concurrently(changed.sorted()) { room throws(BackendError) in
            try await self.resolveReceipts(of: room)
        }
        var changelog = GroupChannelChangelog()
        changelog.updated = list.channelIDs.sorted().filter(changed.contains)
            .compactMap { list.channel($0, for: me) }
        changelog.deletedURLs = reply.left.keys.sorted().filter { list.rooms[$0] == nil }
            .map { ChannelURL($0) }
        changelog.next = reply.nextBatch
        return changelog
    }
}

private struct MessageChanges {
    // Two IDs may be equal as Unicode texts.
    var updated: Set<MessageID> = []
    var deleted: [MessageID: Timestamp] = [:]
    /// The times of deleted messages that may have been edits.
    var createdAt: [MessageID: Timestamp] = [:]
    var unknown: [MessageID: Timestamp] = [:]

    mutating func add(_ event: RoomEvent, _ seen: SeenEvents) {
        if let edited = event.edited {
            updated.insert(MessageID(edited))
        } else if let (_, target) = event.reaction {
            updated.insert(MessageID(target))
        } else if case .reply(let root) = SeenEvents.Meaning(event) {
            updated.insert(MessageID(root))
        } else if let redacted = event.redacts {
            switch seen[redacted] {
            case .message, .reference: deleted[MessageID(redacted)] = event.time
            case .deleted(let time):
                deleted[MessageID(redacted)] = event.time
                createdAt[MessageID(redacted)] = time
            case .reply(let root):
                deleted[MessageID(redacted)] = event.time
                updated.insert(MessageID(root))
            case .edit(let target), .reaction(_, let target, _): updated.insert(MessageID(target))
            case nil: unknown[MessageID(redacted)] = event.time
            }
        }
    }
}
