import Models
import Store
import Sync

/// A backend with something wrong on purpose: a call that it changes, and what the others remember.
struct WrongBackend: ForwardingBackend {
    let base: any Backend
    var onConnect: (@Sendable (Credentials) async throws -> BackendSession)?
    var onFeed: (@Sendable (FeedCursor?) async throws -> FeedBatch)?
    var onMessages: (@Sendable (ChannelURL, MessageAnchor, Int, Int) async throws -> MessagePage)?
    var onLookup: (@Sendable ([MessageID], ChannelURL) async throws -> MessageLookup)?
    var onChanges: (@Sendable (ChannelURL, ChangelogPoint) async throws -> MessageChangelog)?
    var onSend: (@Sendable (Draft) async throws -> Message)?
    var onUpdate:
        (@Sendable (MessageID, ChannelURL, MessageUpdate, RequestID) async throws -> Message)?
    var onDelete: (@Sendable (MessageID, ChannelURL, RequestID) async throws -> Void)?
    var onTyping: (@Sendable (ChannelURL) async throws -> Void)?
    var disconnects = true

    init(_ base: any Backend) { self.base = base }

    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        guard let onConnect else { return try await base.connect(as: credentials) }
        return try await failing { try await onConnect(credentials) }
    }

    func disconnect() async { if disconnects { await base.disconnect() } }

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        guard let onFeed else { return try await base.feed(since: cursor) }
        return try await failing { try await onFeed(cursor) }
    }

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        guard let onMessages else {
            return try await base.messages(in: channelURL, at: anchor, older: older, newer: newer)
        }
        return try await failing { try await onMessages(channelURL, anchor, older, newer) }
    }

    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        guard let onLookup else { return try await base.lookup(messageIDs, in: channelURL) }
        return try await failing { try await onLookup(messageIDs, channelURL) }
    }

    func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint
    ) async throws(BackendError) -> MessageChangelog {
        guard let onChanges else {
            return try await base.messageChanges(in: channelURL, since: point)
        }
        return try await failing { try await onChanges(channelURL, point) }
    }

    func send(_ draft: Draft) async throws(BackendError) -> Message {
        guard let onSend else { return try await base.send(draft) }
        return try await failing { try await onSend(draft) }
    }

    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID
    ) async throws(BackendError) -> Message {
        guard let onUpdate else {
            return try await base.update(
                messageID, in: channelURL, with: update, requestID: requestID)
        }
        return try await failing { try await onUpdate(messageID, channelURL, update, requestID) }
    }

    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) {
        guard let onDelete else {
            return try await base.delete(messageID, in: channelURL, requestID: requestID)
        }
        try await failing { try await onDelete(messageID, channelURL, requestID) }
    }

    func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        guard let onTyping else { return try await base.setTyping(isTyping, in: channelURL) }
        try await failing { try await onTyping(channelURL) }
    }

    private func failing<Answer>(
        _ body: () async throws -> Answer
    ) async throws(BackendError) -> Answer {
        do { return try await body() } catch {
            throw (error as? BackendError) ?? BackendError(.serverFailure, "\(error)")
        }
    }
}

/// What all devices of a wrong backend remember together.
final class Memory: Sendable {
    struct Contents {
        var drafts: [RequestID: Int] = [:]
        var messages: [Message] = []
        var senders: [MessageID: any Backend] = [:]
        var pages: [String: MessagePage] = [:]
        var told: [ChannelURL: Message] = [:]
        var user: UserID?
    }

    private let contents = Locked(Contents())

    func use<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { body(&$0) }
    }
}
