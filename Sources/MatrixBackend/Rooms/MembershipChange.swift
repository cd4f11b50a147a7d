import Models

struct MembershipChange {
    let source: CollectionEventSource
    let userID: String
    let actorID: String
    let reason: String?

    init?(_ event: RoomEvent) {
        guard event.type == "m.room.member", let userID = event.stateKey,
            let membership = event.content.membership, membership != event.previousMembership
        else { return nil }
        self.userID = userID
        actorID = event.sender
        reason = event.content.givenReason
        switch membership {
        case "join": source = .eventUserJoined
        case "invite": source = .eventUserReceivedInvitation
        case "knock": source = .eventUserRequestedToJoin
        case "ban": source = .eventUserBanned
        case "leave":
            source =
                switch event.previousMembership {
                case "ban": .eventUserUnbanned
                case "invite" where userID == actorID: .eventUserDeclinedInvitation
                default: .eventUserLeft
                }
        default: return nil
        }
    }
}

extension EventContent {
    var givenReason: String? { reason.flatMap { $0.isEmpty ? nil : $0 } }
}

extension MatrixBackend {
    /// Returns an event for each change; the first one also contains the channel's state.
    func events(
        of changes: [MembershipChange], _ channel: GroupChannel, omitsLastMessage: Bool
    ) -> [FeedEvent] {
        guard !changes.isEmpty else {
            return [FeedEvent(whole: channel, omitsLastMessage: omitsLastMessage)]
        }
        let whole = Patch(wholeOfServer: channel, omitsLastMessage: omitsLastMessage)
        return changes.enumerated().map { index, change in
            .channel(
                ChannelUpdate(
                    channel.url, index == 0 ? whole : Patch(),
                    source: change.source, users: [user(change.userID, in: channel.url.rawValue)],
                    actor: user(change.actorID, in: channel.url.rawValue), reason: change.reason))
        }
    }

    func removal(
        from id: String, _ room: SyncReply.LeftRoom
    ) throws(BackendError) -> ChannelRemoval {
        let me = try me.rawValue
        let event = room.events.last { $0.type == "m.room.member" && $0.stateKey == me }
        guard let event else { return ChannelRemoval(.unknown) }
        let isBan = event.content.membership == "ban"
        if !isBan, event.sender == me { return ChannelRemoval(.left) }
        return ChannelRemoval(
            isBan ? .banned : .removed, by: user(event.sender, in: id),
            reason: event.content.givenReason)
    }

    func user(_ id: String, in room: String) -> User {
        people[room]?[UserID(id)] ?? User(id: UserID(id))
    }
}
