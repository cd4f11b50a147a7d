public import Models
import Store
public import Sync

// Requests to the server need a connection. Their results are stored, and collections show them.
extension ChatClient {
    // MARK: Requests

    /// Runs a request on the server, such as one that the app declares: see
    /// ``/Sync/BackendRequest``.
    ///
    /// - Throws: As ``createChannel(_:)``; `unsupported` if the server does not support the
    ///   request.
    public func perform<Request: BackendRequest>(
        _ request: Request
    ) async throws(SyncError) -> Request.Answer {
        try await engine.perform(request)
    }

    /// Returns `true` if the server supports a request; valid while the user is connected.
    ///
    /// - Throws: `noUser`.
    public func supports(_ type: any BackendRequest.Type) throws(SyncError) -> Bool {
        try engine.supports(type)
    }

    // MARK: Getting

    /// Returns a group channel from the cache or, if it is not stored, from the server.
    ///
    /// - Throws: `notConnected` if the channel is not stored and there is no connection; `refused`,
    ///   with the server's reason as its cause; `store`, `closed`, `canceled`.
    public func channel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        let engine = try self.engine
        let stored = try engine.stored { (reader) throws(StoreError) in
            try reader.groupChannel(url)
        }
        if let stored { return stored }
        return try await engine.fetchChannel(url)
    }

    /// Fetches a group channel from the server.
    ///
    /// - Throws: As ``channel(_:)``.
    @discardableResult
    public func refreshChannel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await engine.fetchChannel(url)
    }

    /// Returns a page of the members of a group channel, ordered by their IDs.
    ///
    /// A `cursor` of `nil` requests the first page. `limit` is clamped to 1...10,000.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func members(
        of url: ChannelURL, after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(SyncError) -> Page<Member> {
        try await perform(ListMembers(of: url, after: cursor, limit: limit))
    }

    // MARK: Managing

    /// Creates a group channel.
    ///
    /// - Throws: `notConnected`; `refused`, with the server's reason as its cause; `store`,
    ///   `closed`, `canceled`.
    @discardableResult
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(SyncError) -> GroupChannel {
        try await perform(CreateChannel(params))
    }

    /// Creates a group channel with a name, and members whom the backend invites or lets join at
    /// once.
    ///
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func createChannel(
        name: String, members: [UserID]
    ) async throws(SyncError) -> GroupChannel {
        try await createChannel(GroupChannelCreateParams(name, userIDs: members))
    }

    /// Changes the name of a group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func updateChannel(
        _ url: ChannelURL, name: String
    ) async throws(SyncError) -> GroupChannel {
        var patch = Patch<GroupChannel>()
        patch.set(\.name, to: name)
        return try await updateChannel(url, with: patch)
    }

    /// Changes the name, cover image, data, custom type and metadata of a group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(SyncError) -> GroupChannel {
        try await perform(UpdateChannel(url, with: patch))
    }

    /// Deletes a group channel with its messages for all members.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func deleteChannel(_ url: ChannelURL) async throws(SyncError) {
        try await perform(DeleteChannel(url))
    }

    /// Joins a public group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func join(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await perform(JoinChannel(url))
    }

    /// Leaves a group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func leave(_ url: ChannelURL) async throws(SyncError) {
        try await perform(LeaveChannel(url))
    }

    /// Invites users to a group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(SyncError) {
        try await perform(InviteUsers(userIDs, to: url))
    }

    /// Accepts an invitation to a group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func acceptInvitation(to url: ChannelURL) async throws(SyncError) {
        try await perform(AnswerInvitation(to: url, accepts: true))
    }

    /// Declines an invitation to a group channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func declineInvitation(to url: ChannelURL) async throws(SyncError) {
        try await perform(AnswerInvitation(to: url, accepts: false))
    }

    /// Hides a group channel from the user's list, until a new message arrives if
    /// `allowsAutoUnhide` is true.
    ///
    /// If `hidesPreviousMessages` is true, the call also resets the user's history, as
    /// ``resetMyHistory(of:)`` does.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func hide(
        _ url: ChannelURL, hidesPreviousMessages: Bool = false, allowsAutoUnhide: Bool = true
    ) async throws(SyncError) {
        if hidesPreviousMessages { try await resetMyHistory(of: url) }
        try await perform(
            HideChannel(
                url, until: allowsAutoUnhide ? .hiddenAllowAutoUnhide : .hiddenPreventAutoUnhide))
    }

    /// Shows a hidden group channel again.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func unhide(_ url: ChannelURL) async throws(SyncError) {
        try await perform(HideChannel(url, until: .unhidden))
    }

    /// Removes the earlier messages of a channel from the current user's history.
    ///
    /// - Returns: The new lower bound of the history, on the server's clock.
    /// - Throws: As ``createChannel(_:)``.
    @discardableResult
    public func resetMyHistory(of url: ChannelURL) async throws(SyncError) -> Timestamp {
        try await perform(ResetMyHistory(of: url))
    }

    // MARK: Moderating

    /// Freezes a channel, so that only its operators can send messages.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func freeze(_ url: ChannelURL) async throws(SyncError) {
        try await perform(SetFrozen(true, for: url))
    }

    /// Unfreezes a channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func unfreeze(_ url: ChannelURL) async throws(SyncError) {
        try await perform(SetFrozen(false, for: url))
    }

    /// Mutes or bans a user in a channel, until a time or, if `end` is `nil`, without an end.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp? = nil, reason: String = ""
    ) async throws(SyncError) {
        try await perform(
            RestrictUser(userID, in: url, as: restriction, until: end, reason: reason))
    }

    /// Ends a restriction that was imposed by ``restrict(_:in:as:until:reason:)``.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func liftRestriction(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(SyncError) {
        try await perform(LiftRestriction(restriction, of: userID, in: url))
    }

    /// Sets the role of members of a channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(SyncError) {
        try await perform(SetRole(role, of: userIDs, in: url))
    }

    /// Returns a page of the muted or banned users of a channel, as ``members(of:after:limit:)``
    /// does.
    public func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor? = nil,
        limit: Int = 100
    ) async throws(SyncError) -> Page<RestrictedUser> {
        try await perform(
            ListRestrictedUsers(of: url, as: restriction, after: cursor, limit: limit))
    }

    // MARK: Blocking and reporting

    /// Blocks a user for the current user; the server decides what the block prevents.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func block(_ userID: UserID) async throws(SyncError) {
        try await perform(SetBlocked(true, userID))
    }

    /// Unblocks a user for the current user.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func unblock(_ userID: UserID) async throws(SyncError) {
        try await perform(SetBlocked(false, userID))
    }

    /// Returns a page of the users whom the current user has blocked, as
    /// ``members(of:after:limit:)`` does.
    public func blockedUsers(
        after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(SyncError) -> Page<User> {
        try await perform(ListBlockedUsers(after: cursor, limit: limit))
    }

    /// Reports a message, a user or a channel to the moderators of the service.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func report(
        _ subject: ModerationReport.Subject, as category: ModerationReport.Category,
        comment: String = ""
    ) async throws(SyncError) {
        try await perform(
            ReportAbuse(ModerationReport(subject, as: category, comment: comment)))
    }

    // MARK: Pinned messages

    /// Pins a message to a channel for all members.
    ///
    /// The channel's `pinnedMessageIDs` change once the feed reports the pin.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func pinMessage(_ id: MessageID, in url: ChannelURL) async throws(SyncError) {
        try await perform(SetPinned(true, id, in: url))
    }

    /// Unpins a message from a channel for all members.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func unpinMessage(_ id: MessageID, in url: ChannelURL) async throws(SyncError) {
        try await perform(SetPinned(false, id, in: url))
    }

    // MARK: Receipts and typing

    /// Marks a message of a channel, and all newer ones, as unread.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func markAsUnread(
        from id: MessageID, in url: ChannelURL
    ) async throws(SyncError) {
        try await perform(MarkAsUnread(from: id, in: url))
    }

    /// Marks a channel as read up to the current time.
    ///
    /// Without a connection, the receipt waits in the outbox, and covers only the messages now on
    /// this device.
    ///
    /// - Throws: `noUser`; `refused`, with the server's reason as its cause; `unsupported`,
    ///   `store`, `closed`, `canceled`.
    public func markAsRead(_ url: ChannelURL) async throws(SyncError) {
        try await perform(MarkAsRead(url))
    }

    /// Marks the messages of a channel up to the current time as delivered to this device.
    ///
    /// Without a connection, the receipt waits in the outbox.
    ///
    /// - Throws: As ``markAsRead(_:)``.
    public func markAsDelivered(_ url: ChannelURL) async throws(SyncError) {
        try await perform(MarkAsDelivered(url))
    }

    /// Reports that the user is typing in a channel.
    ///
    /// An app may call this method for each key press: see ``ChatClientOptions/typingThrottle``.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func startTyping(in url: ChannelURL) async throws(SyncError) {
        let now = options.now()
        if let last = lastTyping[url], last <= now,
            last.duration(to: now) < options.typingThrottle
        {
            return
        }
        lastTyping[url] = now
        try await perform(SetTyping(true, in: url))
    }

    /// Reports that the user has stopped typing in a channel.
    ///
    /// - Throws: As ``createChannel(_:)``.
    public func endTyping(in url: ChannelURL) async throws(SyncError) {
        lastTyping[url] = nil
        try await perform(SetTyping(false, in: url))
    }
}
