public import Foundation
public import Models

extension Backend {
    package func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint
    ) async throws(BackendError) -> MessageChangelog {
        try await messageChanges(in: channelURL, since: point, params: nil)
    }

    package func channelChanges(
        since point: ChangelogPoint
    ) async throws(BackendError) -> GroupChannelChangelog {
        try await channelChanges(since: point, params: nil)
    }
}

// Changes of messages of the server's current epoch.
extension Backend {
    package func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID
    ) async throws(BackendError) -> Message {
        try await self.update(
            messageID, in: channelURL, with: update, requestID: requestID, epoch: nil)
    }

    package func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) {
        try await delete(messageID, in: channelURL, requestID: requestID, epoch: nil)
    }

    package func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) -> ReactionEvent {
        try await react(
            action, with: key, to: messageID, in: channelURL, requestID: requestID, epoch: nil)
    }

    package func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) -> Message {
        try await vote(for: optionIDs, inPollOf: messageID, in: channelURL, epoch: nil)
    }

    package func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await markAsUnread(from: messageID, in: channelURL, epoch: nil)
    }

    package func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await setPinned(isPinned, messageID, in: channelURL, epoch: nil)
    }

    package func report(_ report: ModerationReport) async throws(BackendError) {
        try await self.report(report, epoch: nil)
    }
}

extension Backend {
    /// By default, the server recognizes request IDs forever.
    public var deduplicationPeriod: Duration? { nil }

    /// `nil`: the backend refuses no messages because of the stored state of a channel.
    public func sendingRefusal(in channel: GroupChannel) -> BackendError? { nil }
}

// Default implementations of the calls that need a capability. Each throws `unsupported`.
extension Backend {
    /// Throws `unsupported`.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        throw .lacking(.threads)
    }

    /// Throws `unsupported`.
    public func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int {
        throw .lacking(.counts)
    }

    /// Throws `unsupported`.
    public func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message> {
        throw .lacking(.messageSearch)
    }

    /// Throws `unsupported`.
    public func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]] {
        throw .lacking(.separateReactions)
    }

    /// Throws `unsupported`.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent {
        throw .lacking(.reactions)
    }

    /// Throws `unsupported`.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        throw .lacking(.files)
    }

    /// Throws `unsupported`.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        throw .lacking(.files)
    }

    /// Throws `unsupported`.
    public func markAsRead(_ channelURL: ChannelURL) async throws(BackendError) {
        throw .lacking(.readReceipts)
    }

    /// Throws `unsupported`.
    public func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError) {
        throw .lacking(.deliveryReceipts)
    }

    /// Throws `unsupported`.
    public func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        throw .lacking(.typing)
    }

    /// Throws `unsupported`.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        throw .lacking(.channelCreation)
    }

    /// Throws `unsupported`.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        throw .lacking(.channelUpdates)
    }

    /// Throws `unsupported`.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        throw .lacking(.channelDeletion)
    }

    /// Throws `unsupported`.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        throw .lacking(.inviting)
    }

    /// Throws `unsupported`.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        throw .lacking(.joining)
    }

    /// Throws `unsupported`.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        throw .lacking(.leaving)
    }

    /// Throws `unsupported`.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        throw .lacking(.invitations)
    }

    /// Throws `unsupported`.
    public func hide(_ url: ChannelURL, until state: HiddenState) async throws(BackendError) {
        throw .lacking(.hiding)
    }

    /// Throws `unsupported`.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        throw .lacking(.historyReset)
    }

    /// Throws `unsupported`.
    public func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError) {
        throw .lacking(.freezing)
    }

    /// Throws `unsupported`.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?, reason: String
    ) async throws(BackendError) {
        throw .lacking(restriction.capability)
    }

    /// Throws `unsupported`.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        throw .lacking(restriction.capability)
    }

    /// Throws `unsupported`.
    public func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError) {
        throw .lacking(.markingAsUnread)
    }

    /// Throws `unsupported`.
    public func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError) {
        throw .lacking(.pinnedMessages)
    }

    /// Throws `unsupported`.
    public func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError) {
        throw .lacking(.roleManagement)
    }

    /// Throws `unsupported`.
    public func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<RestrictedUser> {
        throw .lacking(.restrictionLists)
    }

    /// Throws `unsupported`.
    public func setBlocked(
        _ isBlocked: Bool, _ userID: UserID
    ) async throws(BackendError) {
        throw .lacking(.blocking)
    }

    /// Throws `unsupported`.
    public func blockedUsers(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<User> {
        throw .lacking(.blocking)
    }

    /// Throws `unsupported`.
    public func report(
        _ report: ModerationReport, epoch: ServerEpoch?
    ) async throws(BackendError) {
        throw .lacking(.reporting)
    }

    /// Throws `unsupported`.
    public func createPoll(_ poll: Poll) async throws(BackendError) -> Poll {
        throw .lacking(.polls)
    }

    /// Throws `unsupported`.
    public func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL,
        epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        throw .lacking(.polls)
    }

    /// Throws `unsupported`.
    public func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel> {
        throw .lacking(.openChannels)
    }

    /// Throws `unsupported`.
    public func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        throw .lacking(.openChannels)
    }

    /// Throws `unsupported`.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        throw .lacking(.openChannels)
    }

    /// Throws `unsupported`.
    public func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        throw .lacking(.openChannels)
    }

    /// Throws `unsupported`.
    public func exit(_ url: ChannelURL) async throws(BackendError) {
        throw .lacking(.openChannels)
    }
}

extension BackendError {
    /// Returns the error that a call throws if the backend lacks a capability.
    public static func lacking(_ capability: BackendCapabilities) -> BackendError {
        BackendError(.unsupported, "this backend lacks \(capability)")
    }
}
