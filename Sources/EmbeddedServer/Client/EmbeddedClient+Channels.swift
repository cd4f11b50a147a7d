public import Models

extension EmbeddedClient {
    // MARK: Group channels

    /// Returns a page of the group channels that a query is for, in its order.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try ask { state, session throws(BackendError) in
            try state.channels(matching: query, after: cursor, for: session.userID)
        }
    }

    /// Returns a group channel, with all there is to know of it.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try ask { state, session throws(BackendError) in
            let channel = try state.groupChannel(url)
            _ = try state.readableChannel(url, for: session.userID)
            return try state.view(channel, for: session.userID)
        }
    }

    /// Returns the members of a group channel, by their ids.
    public func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        try ask { state, session throws(BackendError) in
            try state.members(of: channelURL, after: cursor, limit: limit, for: session.userID)
        }
    }

    /// Creates a group channel; the user is a member, and moderates it.
    ///
    /// Those who are named are invited; without the capability, they have joined.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        let joinsAll = !capabilities.contains(.invitations)
        return try ask(.channelManagement) { state, session throws(BackendError) in
            try state.createChannel(params, by: session.userID, joinsAll: joinsAll)
        }
    }

    /// Changes what a group channel says of itself.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try ask(.channelManagement) { state, session throws(BackendError) in
            try state.updateChannel(url, with: patch, by: session.userID)
        }
    }

    /// Deletes a group channel with its messages, for all.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        try ask(.channelManagement) { state, session throws(BackendError) in
            try state.deleteChannel(url, by: session.userID)
        }
    }

    /// Invites users into a group channel.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        let joinsAll = !capabilities.contains(.invitations)
        try ask(.channelManagement) { state, session throws(BackendError) in
            try state.invite(userIDs, to: url, by: session.userID, joinsAll: joinsAll)
        }
    }

    /// Answers an invitation: joins the channel, or loses it.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        try ask(.invitations) { state, session throws(BackendError) in
            try state.answerInvitation(to: url, accepts: accepts, by: session.userID)
        }
    }

    /// Joins a public group channel.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try ask(.channelManagement) { state, session throws(BackendError) in
            try state.join(url, by: session.userID)
        }
    }

    /// Leaves a group channel.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        try ask(.channelManagement) { state, session throws(BackendError) in
            try state.leave(url, by: session.userID)
        }
    }

    /// Hides a group channel from the user's list, or shows it again.
    public func hide(_ url: ChannelURL, _ hiddenState: HiddenState) async throws(BackendError) {
        try ask(.hiding) { state, session throws(BackendError) in
            try state.hide(url, hiddenState, by: session.userID)
        }
    }

    /// Begins the history of a group channel anew for the user alone; returns its first time.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        try ask(.historyReset) { state, session throws(BackendError) in
            try state.resetMyHistory(of: url, by: session.userID)
        }
    }

    // MARK: Receipts and typing

    /// Tells that the user has read a channel up to now.
    public func markAsRead(_ channelURL: ChannelURL) async throws(BackendError) {
        try ask(.readReceipts) { state, session throws(BackendError) in
            try state.markAsRead(channelURL, by: session.userID)
        }
    }

    /// Tells that the messages of a channel up to now have come to this device.
    public func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError) {
        try ask(.deliveryReceipts) { state, session throws(BackendError) in
            try state.markAsDelivered(channelURL, to: session.userID)
        }
    }

    /// Tells that the user is typing, or is no more.
    public func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        try ask(.typing) { state, session throws(BackendError) in
            try state.setTyping(isTyping, in: channelURL, by: session.userID)
        }
    }

    // MARK: Moderating

    /// Freezes a channel, group or open, so that only who moderates it may send, or ends that.
    public func setFrozen(_ isFrozen: Bool, _ url: ChannelURL) async throws(BackendError) {
        try ask(.moderation) { state, session throws(BackendError) in
            try state.setFrozen(isFrozen, url, by: session.userID)
        }
    }

    /// Mutes or bans a user.
    ///
    /// The feed does not tell that a restriction ends by itself: whoever asks for the channel
    /// afterwards is not told of a mute any more, and whoever was banned may come back.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, _ restriction: RestrictionType, until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        try ask(.moderation) { state, session throws(BackendError) in
            try state.restrict(
                userID, in: url, restriction, until: end, reason: reason, by: session.userID)
        }
    }

    /// Ends what ``restrict(_:in:_:until:reason:)`` began.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try ask(.moderation) { state, session throws(BackendError) in
            try state.lift(restriction, of: userID, in: url, by: session.userID)
        }
    }

    // MARK: Open channels

    /// Returns a page of the open channels, the newest first.
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

    /// Creates an open channel; the user moderates it.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try ask(.openChannels) { state, session throws(BackendError) in
            try state.createOpenChannel(params, by: session.userID)
        }
    }

    /// Enters an open channel, until one exits or disconnects.
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
