public import Models

extension EmbeddedClient {
    // MARK: Group channels

    /// Returns a page of the group channels that match a query, in the query's order.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try ask { state, session throws(BackendError) in
            try state.channels(matching: query, after: cursor, for: session.userID)
        }
    }

    /// Returns a group channel with its complete state.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try ask { state, session throws(BackendError) in
            let channel = try state.groupChannel(url)
            _ = try state.readableChannel(url, for: session.userID)
            return try state.view(channel, for: session.userID)
        }
    }

    /// Returns a page of the members of a group channel, ordered by their IDs.
    public func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        try ask { state, session throws(BackendError) in
            try state.members(of: channelURL, after: cursor, limit: limit, for: session.userID)
        }
    }

    /// Creates a group channel with the user as member and operator.
    ///
    /// The listed users are invited. If the server lacks the capability for invitations, the listed
    /// users join immediately.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        let joinsAll = !capabilities.contains(.invitations)
        var params = params
        if !capabilities.contains(.distinctChannels) { params.isDistinct = false }
        return try ask(.channelCreation) { [params] state, session throws(BackendError) in
            try state.createChannel(params, by: session.userID, joinsAll: joinsAll)
        }
    }

    /// Changes the properties of a group channel.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try ask(.channelUpdates) { state, session throws(BackendError) in
            try state.updateChannel(url, with: patch, by: session.userID)
        }
    }

    /// Deletes a group channel with its messages for all members.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        try ask(.channelDeletion) { state, session throws(BackendError) in
            try state.deleteChannel(url, by: session.userID)
        }
    }

    /// Invites users to a group channel.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        let joinsAll = !capabilities.contains(.invitations)
        try ask(.inviting) { state, session throws(BackendError) in
            try state.invite(userIDs, to: url, by: session.userID, joinsAll: joinsAll)
        }
    }

    /// Accepts or declines an invitation to a group channel.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        try ask(.invitations) { state, session throws(BackendError) in
            try state.answerInvitation(to: url, accepts: accepts, by: session.userID)
        }
    }

    /// Joins a public group channel.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try ask(.joining) { state, session throws(BackendError) in
            try state.join(url, by: session.userID)
        }
    }

    /// Leaves a group channel.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        try ask(.leaving) { state, session throws(BackendError) in
            try state.leave(url, by: session.userID)
        }
    }

    /// Hides a group channel from the user's list, or shows it again.
    public func hide(_ url: ChannelURL, until hiddenState: HiddenState) async throws(BackendError) {
        try ask(.hiding) { state, session throws(BackendError) in
            try state.hide(url, until: hiddenState, by: session.userID)
        }
    }

    /// Removes the earlier messages of a group channel from this user's history, and returns the
    /// history's new lower bound.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        try ask(.historyReset) { state, session throws(BackendError) in
            try state.resetMyHistory(of: url, by: session.userID)
        }
    }

    // MARK: Receipts and typing

    /// Marks a channel as read up to the current time.
    public func markAsRead(_ channelURL: ChannelURL) async throws(BackendError) {
        try ask(.readReceipts) { state, session throws(BackendError) in
            try state.markAsRead(channelURL, by: session.userID)
        }
    }

    /// Marks the messages of a channel up to the current time as delivered to this device.
    public func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError) {
        try ask(.deliveryReceipts) { state, session throws(BackendError) in
            try state.markAsDelivered(channelURL, to: session.userID)
        }
    }

    /// Reports whether the user is typing.
    public func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        try ask(.typing) { state, session throws(BackendError) in
            try state.setTyping(isTyping, in: channelURL, by: session.userID)
        }
    }

    // MARK: Moderating

    /// Freezes a group or open channel, so that only its operators can send messages, or unfreezes
    /// it.
    public func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError) {
        try ask(.freezing) { state, session throws(BackendError) in
            try state.setFrozen(isFrozen, for: url, by: session.userID)
        }
    }

    /// Mutes or bans a user.
    ///
    /// The feed does not report that a restriction has ended. After the end of a mute, a channel
    /// that is fetched no longer shows it. After the end of a ban, the user may join again.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        let needed = restriction.capability.union(end == nil ? [] : .temporaryRestrictions)
        try ask(needed) { state, session throws(BackendError) in
            try state.restrict(
                userID, in: url, as: restriction, until: end, reason: reason, by: session.userID)
        }
    }

    /// Ends a restriction that ``restrict(_:in:as:until:reason:)`` has imposed.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try ask(restriction.capability) { state, session throws(BackendError) in
            try state.lift(restriction, of: userID, in: url, by: session.userID)
        }
    }

    /// Marks a message of a channel, and all newer ones, as unread.
    public func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try ask(.markingAsUnread, of: epoch) { state, session throws(BackendError) in
            try state.markAsUnread(from: messageID, in: channelURL, by: session.userID)
        }
    }

    /// Pins a message to a group channel, or unpins it.
    ///
    /// Every member who may send messages may also pin and unpin them.
    public func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try ask(.pinnedMessages, of: epoch) { state, session throws(BackendError) in
            try state.setPinned(isPinned, messageID, in: channelURL, by: session.userID)
        }
    }

    /// Sets the role of members of a group channel, or of users of an open channel: operator or
    /// ordinary member.
    public func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError) {
        try ask(.roleManagement) { state, session throws(BackendError) in
            try state.setRole(role, of: userIDs, in: url, by: session.userID)
        }
    }

    /// Returns a page of the muted or banned users of a channel, ordered by their IDs.
    public func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<RestrictedUser> {
        try ask(.restrictionLists) { state, session throws(BackendError) in
            try state.restrictedUsers(
                of: url, as: restriction, after: cursor, limit: limit, by: session.userID)
        }
    }

    // MARK: Polls

    /// Creates a poll; a message that is sent with the poll's ID shows the poll.
    public func createPoll(_ poll: Poll) async throws(BackendError) -> Poll {
        try ask(.polls) { state, session throws(BackendError) in
            try state.createPoll(poll, by: session.userID)
        }
    }

    /// Votes in the poll of a message, and returns the message with the new counts.
    public func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL,
        epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        try ask(.polls, of: epoch) { state, session throws(BackendError) in
            try state.vote(
                for: optionIDs, inPollOf: messageID, in: channelURL, by: session.userID)
        }
    }

    // MARK: Blocking and reporting

    /// Blocks or unblocks a user for the current user.
    ///
    /// A blocked user cannot invite the current user to a channel.
    public func setBlocked(
        _ isBlocked: Bool, _ userID: UserID
    ) async throws(BackendError) {
        try ask(.blocking) { state, session throws(BackendError) in
            try state.setBlocked(isBlocked, userID, by: session.userID)
        }
    }

    /// Returns a page of the users whom the current user has blocked, ordered by their IDs.
    public func blockedUsers(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<User> {
        try ask(.blocking) { state, session throws(BackendError) in
            try state.blockedUsers(after: cursor, limit: limit, by: session.userID)
        }
    }

    /// Reports a message, a user or a channel to the moderators: see ``EmbeddedServer/reports``.
    public func report(
        _ report: ModerationReport, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try ask(.reporting, of: epoch) { state, session throws(BackendError) in
            try state.file(report, by: session.userID)
        }
    }

    // MARK: Open channels

    /// Returns a page of the open channels, newest first.
    public func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel> {
        try ask(.openChannels) { state, _ throws(BackendError) in
            try state.openChannels(after: cursor, limit: limit)
        }
    }

    /// Returns an open channel.
    public func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try ask(.openChannels) { state, _ throws(BackendError) in
            state.view(try state.openChannelState(url))
        }
    }

    /// Creates an open channel with the user as operator.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try ask(.openChannels) { state, session throws(BackendError) in
            try state.createOpenChannel(params, by: session.userID)
        }
    }

    /// Enters an open channel until the user exits it or the device disconnects.
    public func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try ask(.openChannels) { state, session throws(BackendError) in
            try state.enter(url, session)
        }
    }

    /// Exits an open channel.
    public func exit(_ url: ChannelURL) async throws(BackendError) {
        try ask(.openChannels) { state, session throws(BackendError) in
            try state.exit(url, session)
        }
    }
}
