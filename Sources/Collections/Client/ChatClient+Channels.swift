public import Models
import Store
public import Sync

// Channels. What asks the server needs a connection; what it returns is stored, and shown by collections.
extension ChatClient {
    // MARK: Getting

    /// Returns a group channel: from the cache if it is held, else from the server.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` if it is not held and there is no connection;
    ///   `refused`, where the cause says why; `store`, `closed`, `canceled`.
    public func channel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        let engine = try engine()
        let held = try engine.stored { (reader) throws(StoreError) in try reader.groupChannel(url) }
        if let held { return held }
        return try await engine.fetchChannel(url)
    }

    /// Returns a group channel as the server has it.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``channel(_:)`` does.
    @discardableResult
    public func refreshChannel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await engine().fetchChannel(url)
    }

    /// Returns a page of the members of a group channel, by their ids.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - cursor: Where the page before ended; `nil` for the first page.
    ///   - limit: How many, at most.
    /// - Returns: The page.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func members(
        of url: ChannelURL, after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(SyncError) -> Page<Member> {
        try await perform { (backend) throws(BackendError) in
            try await backend.members(of: url, after: cursor, limit: limit)
        }
    }

    // MARK: Managing

    /// Creates a group channel.
    ///
    /// - Returns: The channel.
    /// - Throws: ``/Sync/SyncError`` with code `notConnected`; `refused`, where the cause says why; `store`,
    ///   `closed`, `canceled`.
    @discardableResult
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(SyncError) -> GroupChannel {
        try await engine().createChannel(params)
    }

    /// Changes what a group channel says of itself: its name, picture, data, custom type, metadata.
    ///
    /// - Returns: The channel as it is then.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    @discardableResult
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(SyncError) -> GroupChannel {
        try await engine().updateChannel(url, with: patch)
    }

    /// Deletes a group channel with its messages, for all.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func deleteChannel(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in try await backend.deleteChannel(url) }
    }

    /// Joins a public group channel.
    ///
    /// - Returns: The channel.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    @discardableResult
    public func join(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await engine().join(url)
    }

    /// Leaves a group channel.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func leave(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in try await backend.leave(url) }
    }

    /// Invites users into a group channel.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.invite(userIDs, to: url)
        }
    }

    /// Accepts an invitation.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func acceptInvitation(to url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.answerInvitation(to: url, accepts: true)
        }
    }

    /// Declines an invitation.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func declineInvitation(to url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.answerInvitation(to: url, accepts: false)
        }
    }

    /// Hides a group channel from the user's list.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - hidesPreviousMessages: Whether the user's history begins anew.
    ///   - allowsAutoUnhide: Whether a new message shows it again.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func hide(
        _ url: ChannelURL, hidesPreviousMessages: Bool = false, allowsAutoUnhide: Bool = true
    ) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            if hidesPreviousMessages { _ = try await backend.resetMyHistory(of: url) }
            try await backend.hide(
                url, allowsAutoUnhide ? .hiddenAllowAutoUnhide : .hiddenPreventAutoUnhide)
        }
    }

    /// Shows a group channel again that was hidden.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func unhide(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.hide(url, .unhidden)
        }
    }

    /// Begins the user's own history of a channel anew; others keep theirs.
    ///
    /// - Returns: From when on the user has a history, by the server's clock.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    @discardableResult
    public func resetMyHistory(of url: ChannelURL) async throws(SyncError) -> Timestamp {
        try await perform { (backend) throws(BackendError) in
            try await backend.resetMyHistory(of: url)
        }
    }

    // MARK: Moderating

    /// Freezes a channel, so that only who moderates it may write.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func freeze(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.setFrozen(true, url)
        }
    }

    /// Ends ``freeze(_:)``.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func unfreeze(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.setFrozen(false, url)
        }
    }

    /// Mutes or bans a user in a channel.
    ///
    /// - Parameters:
    ///   - userID: Who.
    ///   - url: The channel.
    ///   - restriction: Whether the user is muted or banned.
    ///   - end: When it ends by itself; `nil` for never.
    ///   - reason: What is said of it.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, _ restriction: RestrictionType,
        until end: Timestamp? = nil, reason: String = ""
    ) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.restrict(userID, in: url, restriction, until: end, reason: reason)
        }
    }

    /// Ends ``restrict(_:in:_:until:reason:)``.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.lift(restriction, of: userID, in: url)
        }
    }

    // MARK: Receipts and typing

    /// Tells that the user has read a channel up to now.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func markAsRead(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in try await backend.markAsRead(url) }
    }

    /// Tells that the messages of a channel up to now have come to this device.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func markAsDelivered(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in
            try await backend.markAsDelivered(url)
        }
    }

    /// Tells that the user is typing, if that was not told a moment ago; call it with each key.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func startTyping(in url: ChannelURL) async throws(SyncError) {
        let now = options.now()
        if let last = lastTyping[url], last <= now,
            now.milliseconds - last.milliseconds < options.typingThrottle.milliseconds
        {
            return
        }
        lastTyping[url] = now
        try await perform { (backend) throws(BackendError) in
            try await backend.setTyping(true, in: url)
        }
    }

    /// Tells that the user is not typing any more.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func endTyping(in url: ChannelURL) async throws(SyncError) {
        lastTyping[url] = nil
        try await perform { (backend) throws(BackendError) in
            try await backend.setTyping(false, in: url)
        }
    }

    // MARK: Open channels

    /// Returns a page of the open channels, the newest first.
    ///
    /// - Parameters:
    ///   - cursor: Where the page before ended; `nil` for the first page.
    ///   - limit: How many, at most.
    /// - Returns: The page.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func openChannels(
        after cursor: PageCursor? = nil, limit: Int = 20
    ) async throws(SyncError) -> Page<OpenChannel> {
        try await perform { (backend) throws(BackendError) in
            try await backend.openChannels(after: cursor, limit: limit)
        }
    }

    /// Returns an open channel.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func openChannel(_ url: ChannelURL) async throws(SyncError) -> OpenChannel {
        try await perform { (backend) throws(BackendError) in try await backend.openChannel(url) }
    }

    /// Creates an open channel.
    ///
    /// - Returns: The channel.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    @discardableResult
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(SyncError) -> OpenChannel {
        try await perform { (backend) throws(BackendError) in
            try await backend.createOpenChannel(params)
        }
    }

    /// Enters an open channel: its messages come live until the user exits, or disconnects.
    ///
    /// - Returns: The channel.
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    @discardableResult
    public func enter(_ url: ChannelURL) async throws(SyncError) -> OpenChannel {
        try await perform { (backend) throws(BackendError) in try await backend.enter(url) }
    }

    /// Exits an open channel.
    ///
    /// - Throws: ``/Sync/SyncError``, as ``createChannel(_:)`` does.
    public func exit(_ url: ChannelURL) async throws(SyncError) {
        try await perform { (backend) throws(BackendError) in try await backend.exit(url) }
    }

    private func perform<Value: Sendable>(
        _ call: (any Backend) async throws(BackendError) -> Value
    ) async throws(SyncError) -> Value {
        try await engine().perform(call)
    }
}
