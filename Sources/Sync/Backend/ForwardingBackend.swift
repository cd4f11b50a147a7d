public import Foundation
public import Models

/// A backend that hands each call on to another one.
///
/// For what stands between: whoever adopts it writes only the calls that it changes.
public protocol ForwardingBackend: Backend {
    /// The backend that does what is asked.
    var base: any Backend { get }
}

extension ForwardingBackend {
    /// What the other backend can do.
    public var capabilities: BackendCapabilities { base.capabilities }

    /// Asks the other backend.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try await base.connect(as: credentials)
    }

    /// Asks the other backend.
    public func disconnect() async {
        await base.disconnect()
    }

    /// Asks the other backend.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        try await base.feed(since: cursor)
    }

    /// Asks the other backend.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
    }

    /// Asks the other backend.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        try await base.lookup(messageIDs, in: channelURL)
    }

    /// Asks the other backend.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await base.replies(to: parentID, in: channelURL, at: anchor, older: older, newer: newer)
    }

    /// Asks the other backend.
    public func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int {
        try await base.countMessages(in: channelURL, from: lower, to: upper)
    }

    /// Asks the other backend.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint
    ) async throws(BackendError) -> MessageChangelog {
        try await base.messageChanges(in: channelURL, since: point)
    }

    /// Asks the other backend.
    public func channelChanges(
        since point: ChangelogPoint
    ) async throws(BackendError) -> GroupChannelChangelog {
        try await base.channelChanges(since: point)
    }

    /// Asks the other backend.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try await base.channels(matching: query, after: cursor)
    }

    /// Asks the other backend.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await base.channel(url)
    }

    /// Asks the other backend.
    public func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        try await base.members(of: channelURL, after: cursor, limit: limit)
    }

    /// Asks the other backend.
    public func send(_ draft: Draft) async throws(BackendError) -> Message {
        try await base.send(draft)
    }

    /// Asks the other backend.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID
    ) async throws(BackendError) -> Message {
        try await base.update(messageID, in: channelURL, with: update, requestID: requestID)
    }

    /// Asks the other backend.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) {
        try await base.delete(messageID, in: channelURL, requestID: requestID)
    }

    /// Asks the other backend.
    public func react(
        _ action: ReactionEventAction, _ key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) -> ReactionEvent {
        try await base.react(action, key, to: messageID, in: channelURL, requestID: requestID)
    }

    /// Asks the other backend.
    public func upload(
        _ file: UploadableFile, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        try await base.upload(file, requestID: requestID, progress: progress)
    }

    /// Asks the other backend.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        try await base.download(file)
    }

    /// Asks the other backend.
    public func markAsRead(_ channelURL: ChannelURL) async throws(BackendError) {
        try await base.markAsRead(channelURL)
    }

    /// Asks the other backend.
    public func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError) {
        try await base.markAsDelivered(channelURL)
    }

    /// Asks the other backend.
    public func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        try await base.setTyping(isTyping, in: channelURL)
    }

    /// Asks the other backend.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        try await base.createChannel(params)
    }

    /// Asks the other backend.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try await base.updateChannel(url, with: patch)
    }

    /// Asks the other backend.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        try await base.deleteChannel(url)
    }

    /// Asks the other backend.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        try await base.invite(userIDs, to: url)
    }

    /// Asks the other backend.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        try await base.answerInvitation(to: url, accepts: accepts)
    }

    /// Asks the other backend.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await base.join(url)
    }

    /// Asks the other backend.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        try await base.leave(url)
    }

    /// Asks the other backend.
    public func hide(_ url: ChannelURL, _ state: HiddenState) async throws(BackendError) {
        try await base.hide(url, state)
    }

    /// Asks the other backend.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        try await base.resetMyHistory(of: url)
    }

    /// Asks the other backend.
    public func setFrozen(_ isFrozen: Bool, _ url: ChannelURL) async throws(BackendError) {
        try await base.setFrozen(isFrozen, url)
    }

    /// Asks the other backend.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, _ restriction: RestrictionType, until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        try await base.restrict(userID, in: url, restriction, until: end, reason: reason)
    }

    /// Asks the other backend.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try await base.lift(restriction, of: userID, in: url)
    }

    /// Asks the other backend.
    public func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel> {
        try await base.openChannels(after: cursor, limit: limit)
    }

    /// Asks the other backend.
    public func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await base.openChannel(url)
    }

    /// Asks the other backend.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try await base.createOpenChannel(params)
    }

    /// Asks the other backend.
    public func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await base.enter(url)
    }

    /// Asks the other backend.
    public func exit(_ url: ChannelURL) async throws(BackendError) {
        try await base.exit(url)
    }
}
