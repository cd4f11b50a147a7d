public import Foundation
public import Models

/// A backend that forwards calls to another backend.
///
/// Implement ``forward(_:)`` to observe, delay, change or refuse calls of any kind, or single
/// methods of `Backend` to change these.
public protocol ForwardingBackend: Backend {
    /// The wrapped backend.
    var base: any Backend { get }

    /// Makes a call of ``base``, by default unchanged; all calls except `disconnect()` use it.
    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer
}

extension ForwardingBackend {
    /// Makes the call on ``base``.
    public func forward<Call: BackendCall>(
        _ call: Call
    ) async throws(BackendError) -> Call.Answer {
        try await call.make(on: base)
    }

    /// The capabilities of ``base``.
    public var capabilities: BackendCapabilities { base.capabilities }

    /// The deduplication period of ``base``.
    public var deduplicationPeriod: Duration? { base.deduplicationPeriod }

    /// The requests of ``base``.
    public var requests: RequestHandlers { base.requests }

    /// The error of ``base``.
    public func sendingRefusal(in channel: GroupChannel) -> BackendError? {
        base.sendingRefusal(in: channel)
    }

    /// Forwards the request.
    public func perform<Request: BackendRequest>(
        _ request: Request
    ) async throws(BackendError) -> Request.Answer {
        try await forward(request)
    }

    /// Forwards the call.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try await forward(CoreCall.Connect(credentials: credentials))
    }

    /// Disconnects ``base``.
    public func disconnect() async { await base.disconnect() }

    /// Forwards the call.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        try await forward(CoreCall.Feed(since: cursor))
    }

    /// Forwards the call.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await forward(
            CoreCall.Messages(channelURL: channelURL, anchor: anchor, older: older, newer: newer))
    }

    /// Forwards the call.
    public func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage {
        try await forward(
            CoreCall.MessagesOfKinds(
                kinds: kinds, channelURL: channelURL, anchor: anchor, older: older))
    }

    /// Forwards the call.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        try await forward(
            CoreCall.Replies(
                parentID: parentID, channelURL: channelURL, anchor: anchor, older: older,
                newer: newer))
    }

    /// Forwards the call.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        try await forward(CoreCall.Lookup(messageIDs: messageIDs, channelURL: channelURL))
    }

    /// Forwards the call.
    public func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]] {
        try await forward(CoreCall.Reactions(messageIDs: messageIDs, channelURL: channelURL))
    }

    /// Forwards the call.
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        try await forward(
            CoreCall.MessageChanges(channelURL: channelURL, since: point, params: params))
    }

    /// Forwards the call.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        try await forward(CoreCall.ChannelChanges(since: point, params: params))
    }

    /// Forwards the call.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try await forward(CoreCall.Channels(query: query, cursor: cursor))
    }

    /// Forwards the call.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await forward(CoreCall.Channel(channelURL: url))
    }

    /// Forwards the call.
    public func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        try await forward(CoreCall.Send(item: item))
    }

    /// Forwards the call.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        try await forward(
            CoreCall.Update(
                messageID: messageID, channelURL: channelURL, update: update,
                requestID: requestID, epoch: epoch))
    }

    /// Forwards the call.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError) {
        try await forward(
            CoreCall.Delete(
                messageID: messageID, channelURL: channelURL, requestID: requestID, epoch: epoch))
    }

    /// Forwards the call.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent {
        try await forward(
            CoreCall.React(
                action: action, key: key, messageID: messageID, channelURL: channelURL,
                requestID: requestID, epoch: epoch))
    }

    /// Forwards the call.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        try await forward(
            CoreCall.Upload(file: file, source: source, requestID: requestID, progress: progress))
    }

    /// Forwards the call.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        try await forward(CoreCall.Download(file: file))
    }
}
