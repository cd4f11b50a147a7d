import Models
import Store

extension ServerState {
    func add(
        _ userID: UserID, to channel: ServerChannel, _ state: MemberState, by inviter: UserID?
    ) throws(BackendError) {
        _ = try knownOrNewAccount(userID)
        let isNew = channel.members[userID] == nil
        var member = channel.members[userID] ?? newMember(userID, of: channel, state)
        member.state = state
        setTimes(&member, state, invitedBy: inviter)
        member.readSequence = counters.sequence
        channel.members[userID] = member
        let source: CollectionEventSource =
            state == .joined ? .eventUserJoined : .eventUserReceivedInvitation
        // This entry notifies all members, even a user who was one already.
        append(.changed(.members, cause(source, [userID], by: inviter)), in: channel)
        if isNew {
            notifyGained(userID, of: channel, state, by: inviter)
        } else {
            storeMember(userID, of: channel)
        }
    }

    /// Returns a new member; a former member keeps the lower bound of the history.
    func newMember(
        _ userID: UserID, of channel: ServerChannel, _ state: MemberState
    ) -> Membership {
        var member = Membership(state, from: counters.sequence)
        if let offset = channel.offsets.removeValue(forKey: userID) {
            member.messageOffset = offset
            database.remove { $0.offset(channel.number, userID) }
        }
        return member
    }

    func setTimes(_ member: inout Membership, _ state: MemberState, invitedBy inviter: UserID?) {
        if state == .joined {
            member.joinedAt = now()
            member.readAt = now()
            member.deliveredAt = now()
        } else {
            member.invitedAt = now()
            member.inviter = inviter
        }
    }

    func notifyGained(
        _ userID: UserID, of channel: ServerChannel, _ state: MemberState, by actor: UserID?
    ) {
        let source: CollectionEventSource =
            state == .joined ? .eventUserJoined : .eventUserReceivedInvitation
        accounts[userID]?.channels.insert(channel.number)
        let sequence = append(
            .gained(cause(source, [userID], by: actor)), in: channel, only: userID)
        channel.members[userID]?.visibleFrom = sequence
        channel.members[userID]?.readSequence = sequence
        storeMember(userID, of: channel)
    }

    func notifyLost(
        _ userID: UserID, of channel: ServerChannel, _ cause: ChannelRemoval.Cause,
        by actor: UserID? = nil, reason: String = ""
    ) {
        if let offset = channel.members[userID]?.messageOffset {
            channel.offsets[userID] = offset
            database.put({ $0.offset(channel.number, userID) }, { $0.timestamp(offset) })
        }
        channel.members[userID] = nil
        accounts[userID]?.channels.remove(channel.number)
        storeMember(userID, of: channel)
        let sequence = append(
            .lost(channel.url, cause, by: actor, reason: reason), in: channel, only: userID)
        database.put({ $0.removal(userID, sequence) }, { $0.text(channel.url.rawValue) })
        if channel.typing.contains(userID) { endTyping(of: userID, in: channel) }
    }

    func invite(
        _ userIDs: [UserID], to url: ChannelURL, by userID: UserID, joinsAll: Bool
    ) throws(BackendError) {
        let channel = try joinedChannel(url, by: userID)
        for id in userIDs {
            _ = try knownOrNewAccount(id)
            try checkIsNotBlocked(userID, by: id)
            if let ban = ban(of: id, from: channel) { throw ban }
        }
        for id in userIDs where channel.members[id] == nil {
            try add(id, to: channel, joinsAll ? .joined : .invited, by: userID)
        }
    }

    func answerInvitation(
        to url: ChannelURL, accepts: Bool, by userID: UserID
    ) throws(BackendError) {
        let channel = try groupChannel(url)
        guard channel.members[userID]?.state == .invited else {
            throw BackendError(
                .refused, "\(userID) is not invited to channel \(url)", detail: .notAuthorized)
        }
        if accepts {
            try add(userID, to: channel, .joined, by: nil)
        } else {
            notifyLost(userID, of: channel, .left)
            append(
                .changed(.members, cause(.eventUserDeclinedInvitation, [userID], by: userID)),
                in: channel)
        }
    }

    func join(_ url: ChannelURL, by userID: UserID) throws(BackendError) -> GroupChannel {
        let channel = try groupChannel(url)
        if channel.members[userID]?.state != .joined {
            if let ban = ban(of: userID, from: channel) { throw ban }
            guard channel.group.isPublic || channel.members[userID] != nil else {
                throw BackendError(
                    .refused, "channel \(url) is not public: \(userID) needs an invitation",
                    detail: .notAuthorized)
            }
            try add(userID, to: channel, .joined, by: nil)
        }
        return try view(channel, for: userID)
    }

    func leave(_ url: ChannelURL, by userID: UserID) throws(BackendError) {
        let channel = try groupChannel(url)
        _ = try readableChannel(url, for: userID)
        notifyLost(userID, of: channel, .left)
        append(.changed(.members, cause(.eventUserLeft, [userID], by: userID)), in: channel)
    }

    func members(
        of url: ChannelURL, after cursor: PageCursor?, limit: Int, for userID: UserID
    ) throws(BackendError) -> Page<Member> {
        let channel = try groupChannel(url)
        _ = try readableChannel(url, for: userID)
        return try page(of: channel.memberIDs, after: cursor, limit: limit) {
            member($0, of: channel)
        }
    }

    /// Omits users whose element is `nil`; throws `expired` for an unknown cursor.
    func page<Element>(
        of ids: [UserID], after cursor: PageCursor?, limit: Int, _ element: (UserID) -> Element?
    ) throws(BackendError) -> Page<Element> {
        var ids = ids[...]
        if let cursor {
            let last = UserID(String(try counters.pageText(cursor)))
            ids = ids.drop { !(last < $0) }
        }
        let page = ids.prefix(min(max(limit, 1), conditions.listLimit))
        let next = page.count < ids.count ? page.last : nil
        return Page(
            page.compactMap(element),
            next: next.map { counters.pageCursor($0.rawValue) })
    }

    func hide(_ url: ChannelURL, until state: HiddenState, by userID: UserID) throws(BackendError) {
        let channel = try groupChannel(url)
        _ = try readableChannel(url, for: userID)
        channel.members[userID]?.hidden = state
        let source: CollectionEventSource =
            state == .unhidden ? .eventChannelChanged : .eventChannelHidden
        append(.changed(.mine, cause(source, by: userID)), in: channel, only: userID)
        storeMember(userID, of: channel)
    }

    func resetMyHistory(of url: ChannelURL, by userID: UserID) throws(BackendError) -> Timestamp {
        let channel = try joinedChannel(url, by: userID)
        let newest = try newest(of: channel)?.createdAt ?? .distantPast
        let offset = newest.next(at: now())
        channel.members[userID]?.messageOffset = offset
        channel.floor = max(channel.floor, offset)
        let sequence = append(
            .changed(.mine, cause(.eventChannelResetHistory, by: userID)), in: channel,
            only: userID)
        channel.members[userID]?.readSequence = sequence
        storeMember(userID, of: channel)
        return offset
    }
}
