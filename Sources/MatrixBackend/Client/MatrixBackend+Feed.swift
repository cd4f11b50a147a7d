public import Models

extension MatrixBackend {
    /// Returns the next batch of events after a cursor.
    ///
    /// Besides `/sync`, there is a request for each edited message, and for each redacted event
    /// that this process has not seen.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        guard let cursor else { return try await beginning() }
        reportAgain(since: cursor)
        var events: [FeedEvent] = []
        refetched = RefetchedState()
        // The events of a connection's first request happened before, and are not live.
        let isWaiting = !isCatchingUp && !hasLateReaders
        let reply = try await sync(
            since: cursor.rawValue, wait: isWaiting ? options.longPoll : .zero)
        isCatchingUp = false
        let isListCurrent = list.token == cursor.rawValue
        if isListCurrent {
            apply(reply)
        } else if reply.changesState
            || reply.joined.keys.contains(where: { list.rooms[$0]?.isInvitation ?? false })
        {
            try await updateList()
        }
        try await correctInvitations()
        events += try await fetchMissingStates()
        if staleRooms.keys.contains(where: { !isPaused($0) }) { try await fetchStaleLastMessages() }
        events += takeLateLastMessages()
        events += try await channelsAfterPurge()
        if reply.directRooms != nil { events += try distinctChannels() }
        // The list may be newer than the reply: the user may have returned to the room.
        for id in reply.left.keys.sorted() {
            events.append(.channelRemoved(ChannelURL(id), try removal(from: id, reply.left[id]!)))
            roomsWithoutLastMessage.remove(id)
        }
        for id in reply.invited.keys.sorted() where list.rooms[id]?.isInvitation ?? false {
            events += try await completeState(of: id)
        }
        for id in reply.joined.keys.sorted() {
            guard let room = reply.joined[id], !(list.rooms[id]?.isJoinedSpace ?? false) else {
                continue
            }
            events += try await eventsOrLoss(of: room, id, isListCurrent: isListCurrent)
        }
        events += try await newLastMessages()
        reportedOnce?.next = FeedCursor(reply.nextBatch)
        return batch(events + (try await lateReaders()), reply.nextBatch)
    }

    /// Prepares to report again what the last batch has reported once, if the engine has not stored
    /// that batch, and so requests another one after the same cursor.
    private func reportAgain(since cursor: FeedCursor) {
        if let last = reportedOnce, last.cursor == cursor, last.next != cursor {
            for room in last.completedRooms { list.rooms[room]?.lacksState = true }
            mayHaveLostRooms = mayHaveLostRooms || last.hasComparedRooms
            lateLastMessages.formUnion(last.lastMessages.filter { list.rooms[$0] != nil })
            roomsWithoutLastMessage.formUnion(last.lastMessages.filter { list.rooms[$0] == nil })
        }
        reportedOnce = ReportedOnce(cursor: cursor)
    }

    /// Fetches the state of rooms that were listed as invitations although the user is a member.
    ///
    /// Messages of these rooms may have been omitted.
    private func fetchMissingStates() async throws(BackendError) -> [FeedEvent] {
        var events: [FeedEvent] = []
        let rooms = list.rooms.values.filter(\.lacksState).map(\.id).sorted()
        for id in rooms where !isUnanswered(id) {
            do {
                for event in try await state(of: id) { list.rooms[id]?.apply(event) }
                list.rooms[id]?.countUnknownMembers()
                let complete = try await completeState(of: id)
                list.rooms[id]?.lacksState = false
                reportedOnce?.completedRooms.insert(id)
                events += [.truncation(in: ChannelURL(id))] + complete
            } catch  where Self.failuresOfRoom.contains(error.code) {
                // A later batch tries again.
                if error.code == .unanswered { _ = recordUnanswered(id) }
            }
        }
        return events
    }

    /// Returns the last messages of the rooms whose last message was deleted or is unknown.
    ///
    /// They are requested at the same time, after all others: another server may answer late, and
    /// have many rooms. What is not returned is requested again by a batch after a pause.
    private func newLastMessages() async throws(BackendError) -> [FeedEvent] {
        let rooms = roomsWithoutLastMessage.filter { !isPaused($0) }.sorted()
        return try await concurrently(rooms) { id throws(BackendError) in
            try await self.newLastMessage(of: id)
        }.compactMap(\.self)
    }

    private func newLastMessage(of id: String) async throws(BackendError) -> FeedEvent? {
        guard let message = try await availableNewestMessage(in: id) else { return nil }
        roomsWithoutLastMessage.remove(id)
        reportedOnce?.lastMessages.insert(id)
        // Meanwhile, another reply may have contained a newer message.
        if list.rooms[id]?.lastMessageIsStale ?? false { list.setLastMessage(message, of: id) }
        return lastMessageChange(of: id, to: list.rooms[id].map(\.lastMessage) ?? message)
    }

    private func requestLastMessage(of room: String) {
        list.rooms[room]?.lastMessageIsStale = true
        roomsWithoutLastMessage.insert(room)
    }

    private func distinctChannels() throws(BackendError) -> [FeedEvent] {
        let me = try me
        return list.channelIDs.sorted().compactMap { list.channel($0, for: me) }.map { channel in
            var patch = Patch<GroupChannel>()
            patch.set(\.isDistinct, to: channel.isDistinct)
            return .channel(ChannelUpdate(channel.url, patch))
        }
    }

    private func beginning() async throws(BackendError) -> FeedBatch {
        let isFirstList = list.token == nil
        try await updateList()
        if isFirstList { mayHaveLostRooms = false } else { _ = try await channelsAfterPurge() }
        let me = try me
        guard let token = list.token else {
            throw BackendError(.unanswered, "the server returned no position in the list of rooms")
        }
        isCatchingUp = false
        let order = list.channelIDs.compactMap { list.channel($0, for: me) }
            .sorted { GroupChannelListOrder.latestLastMessage.precedes($0, $1) }.map(\.url.rawValue)
        try await resolveNewestReceipts(of: order)
        let channels = order.compactMap { list.channel($0, for: me) }
        let all = FeedEvent.channels(Set(channels.map(\.url)))
        (lateLastMessages, roomsWithoutLastMessage) = ([], [])
        return batch([all] + channels.map { FeedEvent(whole: $0) }, token)
    }

    /// Detects purged rooms, which cause no event.
    ///
    /// The server's list lacks invitations.
    private func channelsAfterPurge() async throws(BackendError) -> [FeedEvent] {
        guard mayHaveLostRooms else { return [] }
        let token = list.token
        // Meanwhile, another call may have listed a room that the user has just joined: the next
        // batch then compares again.
        guard let rooms = try await joinedRooms(), list.token == token else { return [] }
        list.keepJoined(rooms)
        mayHaveLostRooms = false
        reportedOnce?.hasComparedRooms = true
        return [.joinedChannels(Set(rooms.map { ChannelURL($0) }))]
    }

    private func batch(_ events: [FeedEvent], _ token: String) -> FeedBatch {
        FeedBatch(events: events, cursor: FeedCursor(token), epoch: Self.epoch, isLive: true)
    }

    /// Returns no events for a space.
    func completeState(
        of id: String, _ changes: [MembershipChange] = []
    ) async throws(BackendError) -> [FeedEvent] {
        try await resolveReceipts(of: id)
        try await resolveHeroes(of: id)
        guard let channel = list.channel(id, for: try me), !(list.rooms[id]?.isSpace ?? true)
        else { return [] }
        let isStale = list.rooms[id]?.lastMessageIsStale ?? false
        if isStale { requestLastMessage(of: id) }
        return events(of: changes, channel, omitsLastMessage: isStale)
    }

    // MARK: A room

    /// Errors that may concern one room only; `expired` can be about a token of its history.
    static let failuresOfRoom: Set<BackendError.Code> = [
        .unanswered, .refused, .notFound, .unsupported, .expired,
    ]

    /// Returns the events of a room; after ``roomAttempts`` failures, those of a loss, after which
    /// the engine fetches the history of the room.
    ///
    /// Other rooms must not wait for a request that the server always fails to answer. During a
    /// pause, such requests are not repeated for further batches.
    private func eventsOrLoss(
        of changes: SyncReply.JoinedRoom, _ room: String, isListCurrent: Bool
    ) async throws(BackendError) -> [FeedEvent] {
        var state: [FeedEvent]?
        if failedRooms[room, default: 0] >= Self.roomAttempts, isUnanswered(room),
            needsRequests(changes)
        {
            state = list.channel(room, for: try me).map {
                [FeedEvent(whole: $0, omitsLastMessage: true)]
            }
        } else {
            do throws(BackendError) {
                let events = try await events(of: changes, room, isListCurrent: isListCurrent)
                failedRooms[room] = nil
                return events
            } catch  where Self.failuresOfRoom.contains(error.code) {
                failedRooms[room, default: 0] += 1
                guard failedRooms[room]! >= Self.roomAttempts else { throw error }
                pause(room)
                setUnanswered(room)
                state = try? await completeState(of: room)
            }
        }
        list.rooms[room]?.lastMessageIsStale = true
        let url = ChannelURL(room)
        return [
            .truncation(in: url), .historyChanged(in: url, from: nil, through: nil),
        ] + (state ?? [])
    }

    private func needsRequests(_ changes: SyncReply.JoinedRoom) -> Bool {
        changes.timeline.contains { event in
            if case .reply = SeenEvents.Meaning(event) { return true }
            return event.edited != nil || event.redacts != nil
        }
    }

    private func events(
        of changes: SyncReply.JoinedRoom, _ room: String, isListCurrent: Bool
    ) async throws(BackendError) -> [FeedEvent] {
        let url = ChannelURL(room)
        var events: [FeedEvent] = []
        if changes.isLimited { events.append(.truncation(in: url)) }
        let current = try await currentMessages(changes.timeline, in: room)
        for (index, event) in changes.timeline.enumerated() {
            let isLast =
                event.edited != nil
                && !changes.timeline[(index + 1)...].contains { $0.edited == event.edited }
            events += try await self.events(of: event, in: room, current, isLastEdit: isLast)
        }
        events =
            try await channelEvents(of: changes, room, current, isListCurrent: isListCurrent)
            + events
        events += try await erasures(changes, in: room)
        let readers = try await readers(of: changes.receipts, in: room)
        for (user, time) in try kept(readers, in: room) {
            events.append(.read(by: UserID(user), in: url, at: time))
        }
        if let typing = changes.typing {
            let users = typing.map { user($0, in: room) }
            events.append(.typing(users, in: url))
        }
        return events
    }

    private func currentMessages(
        _ timeline: [RoomEvent], in room: String
    ) async throws(BackendError) -> [String: Message] {
        var messages: [String: Message] = [:]
        for message in try await self.messages(timeline.filter(\.isMessage), in: room) {
            messages[message.messageID?.rawValue ?? ""] = message
        }
        let edited = Array(Set(timeline.compactMap(\.edited).map { MessageID($0) }))
        let found = try await concurrently(edited) { id throws(BackendError) in
            try await self.currentEvent(id.rawValue, in: room)
        }
        let current = found.compactMap(\.self)
        for message in try await self.messages(current, in: room) {
            messages["edited \(message.messageID?.rawValue ?? "")"] = message
        }
        return messages
    }

    private func events(
        of event: RoomEvent, in room: String, _ current: [String: Message], isLastEdit: Bool
    ) async throws(BackendError) -> [FeedEvent] {
        let url = ChannelURL(room)
        if let message = current[event.id] {
            guard case .reply(let root) = SeenEvents.Meaning(event) else {
                return [.messageReceived(message)]
            }
            return try await [.messageReceived(message)] + thread(root, in: room)
        }
        if let edited = event.edited {
            guard isLastEdit, let message = current["edited \(edited)"] else { return [] }
            return [.messageUpdated(message)]
        }
        if let (key, target) = event.reaction {
            return [
                .reaction(
                    ReactionEvent(
                        .add, key, by: UserID(event.sender), to: MessageID(target), in: url,
                        at: event.time))
            ]
        }
        if let redacted = event.redacts {
            return try await redaction(of: redacted, in: room, at: event.time)
        }
        return []
    }

    private func thread(
        _ root: String, in room: String
    ) async throws(BackendError) -> [FeedEvent] {
        guard let event = try await event(root, in: room), event.isMessage,
            let info = event.thread.map(ThreadInfo.init)
        else { return [] }
        return [
            .threadInfo(
                ThreadInfoUpdateEvent(
                    parentMessageID: MessageID(root), channelURL: ChannelURL(room),
                    threadInfo: info))
        ]
    }

    /// Returns the channel's complete state if the room's state has changed, otherwise the
    /// properties that messages and receipts change.
    private func channelEvents(
        of changes: SyncReply.JoinedRoom, _ room: String, _ current: [String: Message],
        isListCurrent: Bool
    ) async throws(BackendError) -> [FeedEvent] {
        recordNewest(of: changes, in: room)
        if changes.changesState {
            return try await completeState(
                of: room, changes.timeline.compactMap { MembershipChange($0) })
        }
        var patch = Patch<GroupChannel>()
        if let count = changes.unreadCount { patch.set(\.unreadMessageCount, to: count) }
        if let count = changes.highlightCount { patch.set(\.unreadMentionCount, to: count) }
        if try await changesLastMessage(changes, room, current, isListCurrent: isListCurrent) {
            requestLastMessage(of: room)
        } else if let last = changes.timeline.last(where: \.isMessage) {
            patch.set(\.lastMessage, to: current["edited \(last.id)"] ?? current[last.id])
        } else if let last = list.rooms[room]?.lastMessage?.messageID?.rawValue,
            let message = current["edited \(last)"]
        {
            list.setLastMessage(message, of: room)
            patch.set(\.lastMessage, to: message)
        }
        guard !patch.isEmpty else { return [] }
        return [.channel(ChannelUpdate(ChannelURL(room), patch))]
    }

    private func recordNewest(of changes: SyncReply.JoinedRoom, in room: String) {
        newestEvents[room] = changes.timeline.last?.id ?? newestEvents[room]
        if changes.isLimited { newestMessages[room] = nil }
        for event in changes.timeline {
            if event.isMessage { newestMessages[room] = (event.id, event.time) }
            if let id = event.redacts, id == newestMessages[room]?.id { newestMessages[room] = nil }
        }
    }

    private func changesLastMessage(
        _ changes: SyncReply.JoinedRoom, _ room: String, _ current: [String: Message],
        isListCurrent: Bool
    ) async throws(BackendError) -> Bool {
        let last = isListCurrent ? list.rooms[room]?.lastMessage : nil
        // The engine replaces an edited last message, except a reply in a thread.
        if last == nil, current.contains(where: { $0.hasPrefix("edited ") && $1.isOnlyInThread }) {
            return true
        }
        let newest = last?.createdAt ?? newestMessages[room]?.time
        return changes.timeline.compactMap(\.redacts).contains { id in
            switch seen[id] {
            case .message, .reference, .reply:
                // Meanwhile, another call may have replaced the deleted message in the list.
                eventTimes[id].map { newest ?? $0 <= $0 } ?? true
            case .edit(let target): last.map { $0.messageID?.rawValue == target } ?? true
            case .reaction: false
            case nil, .deleted: true
            }
        }
    }
}

extension Message {
    fileprivate var isOnlyInThread: Bool { parentMessageID != nil && !isReplyToChannel }
}

extension FeedEvent {
    init(whole channel: GroupChannel, omitsLastMessage: Bool = false) {
        let isInvitation = channel.myMemberState == .invited
        self = .channel(
            ChannelUpdate(
                channel.url,
                Patch(wholeOfServer: channel, omitsLastMessage: omitsLastMessage),
                source: isInvitation ? .eventUserReceivedInvitation : .eventChannelChanged,
                actor: isInvitation ? channel.inviter : nil,
                reason: isInvitation ? channel.metadata[MetadataKey.reason] : nil))
    }
}

extension Patch<GroupChannel> {
    // Only the device sets `lastSyncedChangelogAt`. Receipts are never withdrawn, but a reply may
    // lack them, because it had too many.
    init(wholeOfServer channel: GroupChannel, omitsLastMessage: Bool) {
        var omitted: [PartialKeyPath<GroupChannel>] = [\.lastSyncedChangelogAt]
        if omitsLastMessage { omitted.append(\.lastMessage) }
        if channel.readReceipts.isEmpty { omitted.append(\.readReceipts) }
        if channel.myLastRead == nil { omitted.append(\.myLastRead) }
        self.init(whole: channel, except: omitted)
    }
}

extension SyncReply {
    fileprivate var changesState: Bool {
        !invited.isEmpty || !left.isEmpty || directRooms != nil
            || joined.values.contains(where: \.changesState)
    }
}
