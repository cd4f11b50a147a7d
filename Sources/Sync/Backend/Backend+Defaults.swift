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
}

extension Backend {
    /// By default, the server recognizes request IDs forever.
    public var deduplicationPeriod: Duration? { nil }

    /// `nil`: the backend refuses no messages because of the stored state of a channel.
    public func sendingRefusal(in channel: GroupChannel) -> BackendError? { nil }

    /// No requests.
    public var requests: RequestHandlers { RequestHandlers() }

    /// Calls the handler of the request.
    public func perform<Request: BackendRequest>(
        _ request: Request
    ) async throws(BackendError) -> Request.Answer {
        try await requests.answer(request)
    }
}

// Default implementations of the calls that a backend may lack. Each throws `unsupported`.
extension Backend {
    /// Throws `unsupported`.
    public func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        throw .lacking(.threads)
    }

    /// Throws `unsupported`.
    public func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage {
        throw .lacking(.kindFilter)
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
    public func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        throw .withoutChangelog
    }

    /// Throws `unsupported`.
    public func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        throw .withoutChangelog
    }
}

extension BackendError {
    fileprivate static let withoutChangelog = BackendError(
        .unsupported, "this backend has no changelogs")
}
