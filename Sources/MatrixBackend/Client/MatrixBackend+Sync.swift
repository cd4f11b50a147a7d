import Models
import Sync

extension MatrixBackend {
    /// Returns the changes since a token or, without one, the current state; throws `expired` for
    /// an unknown token.
    func sync(since token: String?, wait: Duration = .zero) async throws(BackendError) -> SyncReply
    {
        let limit = token == nil ? 4 : max(options.timelineLimit, 1)
        let isLongPoll = wait > .zero
        if isLongPoll { longPolls += 1 }
        defer {
            if isLongPoll {
                longPolls -= 1
                endEchoWaits()
            }
        }
        do {
            let reply: SyncReply
            do {
                reply = try await call(upTo: limit) { limit in
                    syncRequest(since: token, wait: wait, timelineLimit: limit)
                }
            } catch  where error.detail == .malformedData {
                // Servers of members can send receipts of any size, which stay in the room.
                reply = try await call(
                    syncRequest(since: token, wait: wait, timelineLimit: 1, hasReceipts: false))
            }
            for (id, room) in reply.joined {
                // The omitted events may have changed known messages.
                if room.isLimited { known.removeAll() }
                learn(room.state + room.timeline, in: id)
                receive(room.state + room.timeline)
                known.apply(room.timeline, in: id, seen)
            }
            timelineCount += reply.joined.isEmpty ? 0 : 1
            for id in reply.left.keys { people[id] = nil }
            return reply
        } catch  where error.code == .refused && error.detail == .invalidParameter && token != nil {
            throw BackendError(.expired, error.message)
        }
    }

    private func syncRequest(
        since token: String?, wait: Duration, timelineLimit: Int, hasReceipts: Bool = true
    ) -> MatrixRequest {
        let filter = filter(
            isFirst: token == nil, timelineLimit: timelineLimit, hasReceipts: hasReceipts)
        var request = MatrixRequest.get("sync", query: [("filter", filter)])
        request.wait = wait
        // No filter excludes these fields. Any server can send messages to this device, and change
        // the devices of its users.
        request.unneededFields = [UnneededField("to_device"), UnneededField("device_lists")]
        // The server accepts only integers.
        request.query.append(("timeout", "\(Int(wait / .milliseconds(1)))"))
        if let token { request.query.append(("since", token)) }
        return request
    }

    /// Each filter has a different number, which has no effect, because the filter excludes
    /// presence: Synapse caches its replies to equal requests of a device for two minutes, even
    /// across processes, so that a repeated request would not return later changes.
    private func filter(isFirst: Bool, timelineLimit: Int, hasReceipts: Bool) -> String {
        let quoted = { (types: [String]) in types.map { "\"\($0)\"" }.joined(separator: ",") }
        // A state event that the filter excludes from the timeline is not in the reply at all.
        let timeline =
            Self.stateTypes + (isFirst ? RoomEvent.messageTypes : RoomEvent.changeTypes)
        return """
            {"presence":{"types":[],"limit":\(options.uniqueNumber())},"account_data":{"types":["m.direct"]},"room":{\
            "account_data":{"types":[]},"ephemeral":{"types":[\(hasReceipts ? quoted(["m.receipt", "m.typing"]) : "")]},\
            "state":{"types":[\(quoted(Self.stateTypes))],\
            "lazy_load_members":true,"include_redundant_members":true},\
            "timeline":{"limit":\(timelineLimit),"types":[\(quoted(timeline))],"lazy_load_members":true}}}
            """
    }

    func receive(_ events: [RoomEvent]) {
        seen.insert(events)
        for event in events {
            eventTimes[event.id] = event.time
            guard event.sender == session?.user.rawValue, let (key, target) = event.reaction else {
                continue
            }
            ownReactions["\(target) \(key)"] = event.id
        }
    }

    /// If `timelineCount` is no longer `count`, its value before the request, the answer may be
    /// older than the changes that the feed has reported.
    func keep(_ events: [RoomEvent], in room: String, since count: Int) {
        receive(events)
        if count == timelineCount { known.insert(events, in: room) }
    }

    static let stateTypes = [
        "m.room.create", "m.room.name", "m.room.canonical_alias", "m.room.avatar",
        "m.room.join_rules", "m.room.power_levels", "m.room.tombstone", "m.room.pinned_events",
        "m.room.member", "m.room.topic", "m.room.encryption", "dev.scrollback",
    ]

    func updateList() async throws(BackendError) {
        // An update in flight may lack changes that happened before this call.
        while let listUpdate { _ = await listUpdate.value }
        let task = Task { () async -> Result<Void, BackendError> in
            // The task itself resets `listUpdate`. If its caller did, another call in the loop
            // above could resume first, and would await the completed task again and again: this
            // does not suspend, so the caller could never reset `listUpdate`.
            defer { self.listUpdate = nil }
            do throws(BackendError) {
                let reply = try await self.sync(since: self.list.token)
                self.apply(reply)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        listUpdate = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancelWithoutWaiting()
        }
        do {
            try result.get()
        } catch  where error.code == .expired {
            list = RoomList()
            throw error
        }
        try await correctInvitations()
        try await fetchStaleLastMessages()
    }

    /// Finds the rooms that are listed as invitations although the user is a member: another server
    /// can invite any user to any room, and may invent its state.
    ///
    /// The next batch of the feed reports these rooms.
    func correctInvitations() async throws(BackendError) {
        let open = list.rooms.values.filter { $0.isInvitation && !$0.isInvitationConfirmed }
        guard !open.isEmpty else { return }
        let joined = try await joinedRooms()
        for id in open.map(\.id).sorted() {
            guard joined?.contains(id) ?? false else {
                list.confirmInvitation(to: id)
                continue
            }
            var state: [RoomEvent]?
            do throws(BackendError) {
                if !isUnanswered(id) { state = try await self.state(of: id) }
            } catch  where Self.failuresOfRoom.contains(error.code) {
                if error.code == .unanswered { setUnanswered(id) }
            }
            list.removeInvitation(to: id, state: state)
        }
    }

    /// Returns the rooms of which the user is a member; `nil` if the homeserver lacks the call.
    func joinedRooms() async throws(BackendError) -> Set<String>? {
        do {
            let reply: JoinedRoomsReply = try await call(.get("joined_rooms"))
            return Set(reply.joined_rooms.texts)
        } catch  where error.code == .unsupported || error.code == .notFound {
            return nil
        }
    }

    func apply(_ reply: SyncReply) {
        guard let session else { return }
        let people = people
        list.apply(reply, me: session.user, seen: seen) { user, room in
            people[room]?[UserID(user)].map { Sender($0) } ?? Sender(id: UserID(user))
        }
    }

    func fetchStaleLastMessages() async throws(BackendError) {
        staleRooms = staleRooms.filter { isPaused($0.key) }
        let stale = list.rooms.values.filter { $0.lastMessageIsStale && !$0.isSpace }.map(\.id)
        _ = try await concurrently(stale) { id throws(BackendError) in
            try await self.fetchLastMessage(of: id)
        }
    }

    static let roomAttempts = 3
    private static let pauseOfRoom = Duration.seconds(5 * 60)

    func pause(_ room: String) { staleRooms[room] = options.instant() + Self.pauseOfRoom }

    func isPaused(_ room: String) -> Bool { isAhead(staleRooms[room]) }

    /// Other rooms must not wait again and again for a room about which the server does not answer,
    /// because it waits for another one.
    func setUnanswered(_ room: String) {
        unansweredRooms[room] = options.instant() + Self.pauseOfRoom
    }

    /// Returns `true`, and begins a pause, after several requests that were not answered, because a
    /// single one may have had another cause.
    func recordUnanswered(_ room: String) -> Bool {
        unansweredCounts[room, default: 0] += 1
        guard unansweredCounts[room]! >= Self.roomAttempts else { return false }
        unansweredCounts[room] = nil
        setUnanswered(room)
        return true
    }

    func isUnanswered(_ room: String) -> Bool { isAhead(unansweredRooms[room]) }

    private func isAhead(_ end: ContinuousClock.Instant?) -> Bool {
        end.map { options.instant() < $0 } ?? false
    }

    func fetchLastMessage(of id: String) async throws(BackendError) {
        guard let message = try await availableNewestMessage(in: id) else { return }
        // Meanwhile, another reply may have contained a newer message.
        guard list.rooms[id]?.lastMessageIsStale ?? false else { return }
        list.setLastMessage(message, of: id)
        lateLastMessages.insert(id)
        roomsWithoutLastMessage.remove(id)
    }

    /// Returns the newest message of a room, or `.some(nil)` if it has none; `nil` if the server
    /// did not return it, also during the pause that this begins.
    ///
    /// Other rooms must not wait for a room whose history the server cannot read. Another server
    /// may answer too late.
    func availableNewestMessage(in id: String) async throws(BackendError) -> Message?? {
        guard !isPaused(id) else { return nil }
        do {
            if let message = try await newestMessage(in: id) {
                staleRooms[id] = nil
                return message
            }
        } catch  where Self.failuresOfRoom.contains(error.code) {
            // The room is requested again after the pause.
        }
        pause(id)
        return nil
    }

    /// Returns the last messages that were fetched since the last batch of the feed.
    func takeLateLastMessages() -> [FeedEvent] {
        defer { lateLastMessages = [] }
        reportedOnce?.lastMessages = lateLastMessages
        return lateLastMessages.sorted().compactMap { id in
            guard let room = list.rooms[id], !room.lastMessageIsStale else { return nil }
            return lastMessageChange(of: id, to: room.lastMessage)
        }
    }

    func lastMessageChange(of room: String, to message: Message?) -> FeedEvent {
        var patch = Patch<GroupChannel>()
        patch.set(\.lastMessage, to: message)
        return .channel(ChannelUpdate(ChannelURL(room), patch))
    }

    // MARK: Members

    func learn(_ state: [RoomEvent], in room: String) {
        for event in state where event.type == "m.room.member" {
            // Messages of a user who has left still show the user's name.
            guard let id = event.stateKey,
                !["leave", "ban"].contains(event.content.membership)
            else { continue }
            if people[room]?.count ?? 0 >= WireLimit.knownMembers { people[room] = nil }
            people[room, default: [:]][UserID(id)] = event.user
        }
    }

    func senders(
        of events: [RoomEvent], in room: String
    ) async throws(BackendError) -> [UserID: Sender] {
        let authors = Set(events.map { UserID($0.sender) })
        let known = people[room] ?? [:]
        let unknown: [UserID] = authors.filter { known[$0] == nil }.sorted()
        let found = try await concurrently(unknown) { user throws(BackendError) in
            try await self.profile(of: user.rawValue, in: room)
        }
        for user in found.compactMap(\.self) {
            people[room, default: [:]][user.userID] = user
        }
        var senders: [UserID: Sender] = [:]
        for id in authors { senders[id] = people[room]?[id].map { Sender($0) } ?? Sender(id: id) }
        return senders
    }

    /// Returns `nil` if the user is requested again.
    private func profile(of user: String, in room: String) async throws(BackendError) -> User? {
        guard let content = try await membership(of: user, in: room) else {
            return isUnanswered(room) ? nil : User(id: UserID(user))
        }
        return User(
            id: UserID(user), nickname: content.displayName ?? "",
            profileURL: content.avatarURL ?? "")
    }

    /// Returns `nil` if the homeserver does not return the membership, or one that cannot be read.
    func membership(
        of user: String, in room: String
    ) async throws(BackendError) -> EventContent? {
        guard !isUnanswered(room) else { return nil }
        do {
            let content: EventContent = try await call(
                .get("rooms", room, "state", "m.room.member", user))
            unansweredCounts[room] = nil
            return content
        } catch
            where [.notFound, .refused, .unsupported].contains(error.code)
            || error.detail == .malformedData
        {
            // A proxy that decodes the path does not support IDs with a slash.
            return nil
        } catch  where error.code == .unanswered {
            guard recordUnanswered(room) else { throw error }
            return nil
        }
    }
}
