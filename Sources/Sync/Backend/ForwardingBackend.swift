public import Foundation
public import Models

/// A backend that forwards calls to another backend.
///
/// Adopt this protocol in a backend that wraps another one, and implement only the calls that it
/// changes.
public protocol ForwardingBackend: Backend {
    /// The wrapped backend.
    var base: any Backend { get }

    /// Makes a call of ``base``.
    ///
    /// Implement this function to observe, delay or refuse calls. Each forwarded call uses it,
    /// except `disconnect()`. By default, it executes `body`.
    ///
    /// - Parameters:
    ///   - call: The name of the call with its labels, such as `markAsRead(_:)`.
    ///   - arguments: The arguments in the order of the labels, without closures.
    ///   - body: A closure that makes the call.
    /// - Returns: The result of the call.
    /// - Throws: The error of the call.
    func perform<Answer: Sendable>(
        _ call: String, _ arguments: [(any Sendable)?],
        _ body: () async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer
}

extension ForwardingBackend {
    /// Executes `body`, which makes the call.
    public func perform<Answer: Sendable>(
        _ call: String, _ arguments: [(any Sendable)?],
        _ body: () async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        try await body()
    }

    /// The capabilities of ``base``.
    public var capabilities: BackendCapabilities { base.capabilities }

    /// The deduplication period of ``base``.
    public var deduplicationPeriod: Duration? { base.deduplicationPeriod }

    /// The error of ``base``.
    public func sendingRefusal(in channel: GroupChannel) -> BackendError? {
        base.sendingRefusal(in: channel)
    }

    /// Forwards the call to ``base``.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try await perform(#function, [credentials]) { () async throws(BackendError) in
            try await base.connect(as: credentials)
        }
    }

    /// Forwards the call to ``base``.
    public func disconnect() async {
        await base.disconnect()
    }

    /// Forwards the call to ``base``.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        try await perform(#function, [cursor]) { () async throws(BackendError) in
            try await base.feed(since: cursor)
        }
    }

    /// Forwards the call to ``base``.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await perform(#function, [channelURL, anchor, older, newer]) {
            () async throws(BackendError) in
            try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// Forwards the call to ``base``.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        try await perform(#function, [messageIDs, channelURL]) { () async throws(BackendError) in
            try await base.lookup(messageIDs, in: channelURL)
        }
    }

    /// Forwards the call to ``base``.
    public func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]] {
        try await perform(#function, [messageIDs, channelURL]) { () async throws(BackendError) in
            try await base.reactions(of: messageIDs, in: channelURL)
        }
    }

    /// Forwards the call to ``base``.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await perform(#function, [parentID, channelURL, anchor, older, newer]) {
            () async throws(BackendError) in
            try await base.replies(
                to: parentID, in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// Forwards the call to ``base``.
    public func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int {
        try await perform(#function, [channelURL, lower, upper]) { () async throws(BackendError) in
            try await base.countMessages(in: channelURL, from: lower, to: upper)
        }
    }

    /// Forwards the call to ``base``.
    public func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message> {
        try await perform(#function, [params, cursor, limit]) { () async throws(BackendError) in
            try await base.searchMessages(matching: params, after: cursor, limit: limit)
        }
    }

    /// Forwards the call to ``base``.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        try await perform(#function, [channelURL, point, params]) { () async throws(BackendError) in
            try await base.messageChanges(in: channelURL, since: point, params: params)
        }
    }

    /// Forwards the call to ``base``.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        try await perform(#function, [point, params]) { () async throws(BackendError) in
            try await base.channelChanges(since: point, params: params)
        }
    }

    /// Forwards the call to ``base``.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try await perform(#function, [query, cursor]) { () async throws(BackendError) in
            try await base.channels(matching: query, after: cursor)
        }
    }

    /// Forwards the call to ``base``.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.channel(url)
        }
    }

    /// Forwards the call to ``base``.
    public func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        try await perform(#function, [channelURL, cursor, limit]) { () async throws(BackendError) in
            try await base.members(of: channelURL, after: cursor, limit: limit)
        }
    }

    /// Forwards the call to ``base``.
    public func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        try await perform(#function, [item]) { () async throws(BackendError) in
            try await base.send(item)
        }
    }

    /// Forwards the call to ``base``.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        try await perform(#function, [messageID, channelURL, update, requestID, epoch]) {
            () async throws(BackendError) in
            try await base.update(
                messageID, in: channelURL, with: update, requestID: requestID, epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError) {
        try await perform(#function, [messageID, channelURL, requestID, epoch]) {
            () async throws(BackendError) in
            try await base.delete(messageID, in: channelURL, requestID: requestID, epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent {
        try await perform(#function, [action, key, messageID, channelURL, requestID, epoch]) {
            () async throws(BackendError) in
            try await base.react(
                action, with: key, to: messageID, in: channelURL, requestID: requestID,
                epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        try await perform(#function, [file, source, requestID]) { () async throws(BackendError) in
            try await base.upload(file, from: source, requestID: requestID, progress: progress)
        }
    }

    /// Forwards the call to ``base``.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        try await perform(#function, [file]) { () async throws(BackendError) in
            try await base.download(file)
        }
    }

    /// Forwards the call to ``base``.
    public func markAsRead(_ channelURL: ChannelURL) async throws(BackendError) {
        try await perform(#function, [channelURL]) { () async throws(BackendError) in
            try await base.markAsRead(channelURL)
        }
    }

    /// Forwards the call to ``base``.
    public func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError) {
        try await perform(#function, [channelURL]) { () async throws(BackendError) in
            try await base.markAsDelivered(channelURL)
        }
    }

    /// Forwards the call to ``base``.
    public func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        try await perform(#function, [isTyping, channelURL]) { () async throws(BackendError) in
            try await base.setTyping(isTyping, in: channelURL)
        }
    }

    /// Forwards the call to ``base``.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        try await perform(#function, [params]) { () async throws(BackendError) in
            try await base.createChannel(params)
        }
    }

    /// Forwards the call to ``base``.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try await perform(#function, [url, patch]) { () async throws(BackendError) in
            try await base.updateChannel(url, with: patch)
        }
    }

    /// Forwards the call to ``base``.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.deleteChannel(url)
        }
    }

    /// Forwards the call to ``base``.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        try await perform(#function, [userIDs, url]) { () async throws(BackendError) in
            try await base.invite(userIDs, to: url)
        }
    }

    /// Forwards the call to ``base``.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        try await perform(#function, [url, accepts]) { () async throws(BackendError) in
            try await base.answerInvitation(to: url, accepts: accepts)
        }
    }

    /// Forwards the call to ``base``.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.join(url)
        }
    }

    /// Forwards the call to ``base``.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.leave(url)
        }
    }

    /// Forwards the call to ``base``.
    public func hide(_ url: ChannelURL, until state: HiddenState) async throws(BackendError) {
        try await perform(#function, [url, state]) { () async throws(BackendError) in
            try await base.hide(url, until: state)
        }
    }

    /// Forwards the call to ``base``.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.resetMyHistory(of: url)
        }
    }

    /// Forwards the call to ``base``.
    public func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError) {
        try await perform(#function, [isFrozen, url]) { () async throws(BackendError) in
            try await base.setFrozen(isFrozen, for: url)
        }
    }

    /// Forwards the call to ``base``.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?, reason: String
    ) async throws(BackendError) {
        try await perform(#function, [userID, url, restriction, end, reason]) {
            () async throws(BackendError) in
            try await base.restrict(userID, in: url, as: restriction, until: end, reason: reason)
        }
    }

    /// Forwards the call to ``base``.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try await perform(#function, [restriction, userID, url]) { () async throws(BackendError) in
            try await base.lift(restriction, of: userID, in: url)
        }
    }

    /// Forwards the call to ``base``.
    public func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try await perform(#function, [messageID, channelURL, epoch]) {
            () async throws(BackendError) in
            try await base.markAsUnread(from: messageID, in: channelURL, epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try await perform(#function, [isPinned, messageID, channelURL, epoch]) {
            () async throws(BackendError) in
            try await base.setPinned(isPinned, messageID, in: channelURL, epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError) {
        try await perform(#function, [role, userIDs, url]) { () async throws(BackendError) in
            try await base.setRole(role, of: userIDs, in: url)
        }
    }

    /// Forwards the call to ``base``.
    public func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<RestrictedUser> {
        try await perform(#function, [url, restriction, cursor, limit]) {
            () async throws(BackendError) in
            try await base.restrictedUsers(of: url, as: restriction, after: cursor, limit: limit)
        }
    }

    /// Forwards the call to ``base``.
    public func setBlocked(
        _ isBlocked: Bool, _ userID: UserID
    ) async throws(BackendError) {
        try await perform(#function, [isBlocked, userID]) { () async throws(BackendError) in
            try await base.setBlocked(isBlocked, userID)
        }
    }

    /// Forwards the call to ``base``.
    public func blockedUsers(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<User> {
        try await perform(#function, [cursor, limit]) { () async throws(BackendError) in
            try await base.blockedUsers(after: cursor, limit: limit)
        }
    }

    /// Forwards the call to ``base``.
    public func report(
        _ report: ModerationReport, epoch: ServerEpoch?
    ) async throws(BackendError) {
        try await perform(#function, [report, epoch]) { () async throws(BackendError) in
            try await base.report(report, epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func createPoll(_ poll: Poll) async throws(BackendError) -> Poll {
        try await perform(#function, [poll]) { () async throws(BackendError) in
            try await base.createPoll(poll)
        }
    }

    /// Forwards the call to ``base``.
    public func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL,
        epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        try await perform(#function, [optionIDs, messageID, channelURL, epoch]) {
            () async throws(BackendError) in
            try await base.vote(
                for: optionIDs, inPollOf: messageID, in: channelURL, epoch: epoch)
        }
    }

    /// Forwards the call to ``base``.
    public func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel> {
        try await perform(#function, [cursor, limit]) { () async throws(BackendError) in
            try await base.openChannels(after: cursor, limit: limit)
        }
    }

    /// Forwards the call to ``base``.
    public func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.openChannel(url)
        }
    }

    /// Forwards the call to ``base``.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try await perform(#function, [params]) { () async throws(BackendError) in
            try await base.createOpenChannel(params)
        }
    }

    /// Forwards the call to ``base``.
    public func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.enter(url)
        }
    }

    /// Forwards the call to ``base``.
    public func exit(_ url: ChannelURL) async throws(BackendError) {
        try await perform(#function, [url]) { () async throws(BackendError) in
            try await base.exit(url)
        }
    }
}
