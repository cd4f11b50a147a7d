import Models

/// Only `/sync` returns unread counts, invitations and numbers of members: one without a token
/// loads the list, and shorter ones with a token update it.
struct RoomList {
    var rooms: [String: Room] = [:]
    private(set) var directRooms: [String: [String]] = [:] {
        didSet { allDirectRooms = Set(directRooms.values.joined()) }
    }
    private var allDirectRooms: Set<String> = []
    /// The rooms of the user that an invitation, which may be false, has replaced.
    private var replacedRooms: [String: Room] = [:]
    /// The token of the last update; `nil` until the list is loaded.
    private(set) var token: String?

    mutating func apply(
        _ reply: SyncReply, me: UserID, seen: SeenEvents, names: (String, String) -> Sender
    ) {
        for (id, changes) in reply.joined {
            let isInvitation = rooms[id]?.isInvitation ?? false
            let known = isInvitation ? replacedRooms.removeValue(forKey: id) : rooms[id]
            var room = known ?? Room(id)
            // Another server can invite a user who is already a member; the user's server then
            // sends no state.
            let all = changes.state + changes.timeline
            if isInvitation { room.lacksState = !all.contains { $0.type == "m.room.create" } }
            room.apply(changes, me: me.rawValue)
            for event in changes.timeline { room.follow(event, me, seen: seen, names: names) }
            // The newest message is unknown.
            if changes.isLimited, !changes.timeline.contains(where: \.isMessage) {
                room.lastMessageIsStale = true
            }
            rooms[id] = room
        }
        for (id, invitation) in reply.invited {
            var room = Room(id)
            room.isInvitation = true
            for event in invitation.state { room.apply(event) }
            if let known = rooms[id], !known.isInvitation { replacedRooms[id] = known }
            rooms[id] = room
        }
        for id in reply.left.keys { (rooms[id], replacedRooms[id]) = (nil, nil) }
        if let direct = reply.directRooms { directRooms = direct }
        token = reply.nextBatch
    }

    mutating func confirmInvitation(to id: String) {
        rooms[id]?.isInvitationConfirmed = true
        replacedRooms[id] = nil
    }

    /// Lists a room as one of the user again, of which events may have been omitted.
    mutating func removeInvitation(to id: String, state: [RoomEvent]?) {
        guard rooms[id]?.isInvitation ?? false else { return }
        var room = replacedRooms.removeValue(forKey: id) ?? Room(id)
        for event in state ?? [] { room.apply(event) }
        room.countUnknownMembers()
        room.lacksState = true
        room.lastMessageIsStale = true
        rooms[id] = room
    }

    mutating func setLastMessage(_ message: Message?, of id: String) {
        rooms[id]?.lastMessage = message
        rooms[id]?.lastMessageIsStale = false
    }

    mutating func keepJoined(_ joined: Set<String>) {
        rooms = rooms.filter { $0.value.isInvitation || joined.contains($0.key) }
    }

    var channelIDs: [String] { rooms.values.filter { !$0.isSpace }.map(\.id) }

    func channel(_ id: String, for me: UserID) -> GroupChannel? {
        rooms[id].map { room in
            room.channel(
                for: me.rawValue,
                isDirect: allDirectRooms.contains(id)
                    || room.isDirectInvitation(of: me.rawValue))
        }
    }
}

extension Room {
    fileprivate mutating func follow(
        _ event: RoomEvent, _ me: UserID, seen: SeenEvents,
        names: (String, String) -> Sender
    ) {
        if event.isMessage {
            lastMessage = message(event, sender: names(event.sender, id), me: me)
            lastMessageIsStale = false
        } else if let edited = event.edited {
            // This reply need not contain the last message that it changes.
            if isLastMessage(edited) { lastMessageIsStale = true }
        } else if let redacted = event.redacts {
            if isLastMessage(redacted) {
                lastMessage = nil
                lastMessageIsStale = true
            } else if mayBeEditOfLastMessage(redacted, seen) {
                lastMessageIsStale = true
            }
        }
    }

    private func isLastMessage(_ id: String) -> Bool { lastMessage?.messageID?.rawValue == id }

    private func mayBeEditOfLastMessage(_ id: String, _ seen: SeenEvents) -> Bool {
        switch seen[id] {
        case .edit(let edited): isLastMessage(edited)
        case nil, .deleted: lastMessage?.updatedAt != nil
        default: false
        }
    }
}
