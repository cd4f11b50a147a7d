import Foundation
import Models
import Store
import Sync

/// A backend with one deliberate mistake.
///
/// It changes one call; other calls may record data for it.
struct WrongBackend: ForwardingBackend {
    let base: any Backend
    var onConnect: (@Sendable (Credentials) async throws -> BackendSession)?
    var onFeed: (@Sendable (FeedCursor?) async throws -> FeedBatch)?
    var onMessages: (@Sendable (ChannelURL, MessageAnchor, Int, Int) async throws -> MessagePage)?
    var onLookup: (@Sendable ([MessageID], ChannelURL) async throws -> MessageLookup)?
    var onChanges: (@Sendable (ChannelURL, ChangelogPoint) async throws -> MessageChangelog)?
    var onSend: (@Sendable (OutboxItem) async throws -> Message)?
    var onUpdate:
        (@Sendable (MessageID, ChannelURL, MessageUpdate, RequestID) async throws -> Message)?
    var onDelete: (@Sendable (MessageID, ChannelURL, RequestID) async throws -> Void)?
    var onTyping: (@Sendable (Bool, ChannelURL) async throws -> Void)?
    var onChannelChanges: (@Sendable (ChangelogPoint) async throws -> GroupChannelChangelog)?
    var onChannels:
        (@Sendable (GroupChannelListQuery, PageCursor?) async throws -> Page<GroupChannel>)?
    var onChannel: (@Sendable (ChannelURL) async throws -> GroupChannel)?
    var onMembers: (@Sendable (ChannelURL, PageCursor?, Int) async throws -> Page<Member>)?
    var onReplies:
        (@Sendable (MessageID, ChannelURL, MessageAnchor, Int, Int) async throws -> MessagePage)?
    var onCount: (@Sendable (ChannelURL, Timestamp?, Timestamp?) async throws -> Int)?
    var onSearch: (@Sendable (MessageSearchParams, PageCursor?, Int) async throws -> Page<Message>)?
    var onReact:
        (
            @Sendable (ReactionEventAction, String, MessageID, ChannelURL, RequestID) async throws
                -> ReactionEvent
        )?
    var onDownload: (@Sendable (FileInfo) async throws -> Data)?
    var onCreate: (@Sendable (GroupChannelCreateParams) async throws -> GroupChannel)?
    var onUpdateChannel: (@Sendable (ChannelURL, Patch<GroupChannel>) async throws -> GroupChannel)?
    var onDeleteChannel: (@Sendable (ChannelURL) async throws -> Void)?
    var onInvite: (@Sendable ([UserID], ChannelURL) async throws -> Void)?
    var onAnswer: (@Sendable (ChannelURL, Bool) async throws -> Void)?
    var onLeave: (@Sendable (ChannelURL) async throws -> Void)?
    var onHide: (@Sendable (ChannelURL, HiddenState) async throws -> Void)?
    var onFrozen: (@Sendable (Bool, ChannelURL) async throws -> Void)?
    var onRestrict: (@Sendable (UserID, ChannelURL, RestrictionType) async throws -> Void)?
    var onExit: (@Sendable (ChannelURL) async throws -> Void)?
    var onUnread: (@Sendable (MessageID, ChannelURL) async throws -> Void)?
    var onPin: (@Sendable (Bool, MessageID, ChannelURL) async throws -> Void)?
    var onPoll: (@Sendable (Poll) async throws -> Poll)?
    var onVote: (@Sendable ([Int64], MessageID, ChannelURL) async throws -> Message)?
    var onBlock: (@Sendable (Bool, UserID) async throws -> Void)?
    var onBlocked: (@Sendable (PageCursor?, Int) async throws -> Page<User>)?
    var onReport: (@Sendable (ModerationReport) async throws -> Void)?
    var onRole: (@Sendable (Role, [UserID], ChannelURL) async throws -> Void)?
    var onRestricted:
        (
            @Sendable (ChannelURL, RestrictionType, PageCursor?, Int) async throws
                -> Page<RestrictedUser>
        )?
    var disconnects = true
    var losesChangesWithParams = false

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
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog {
        if losesChangesWithParams, params != nil {
            var changes = try await base.messageChanges(in: channelURL, since: point)
            changes.updated = []
            return changes
        }
        guard let onChanges else {
            return try await base.messageChanges(in: channelURL, since: point, params: params)
        }
        return try await failing { try await onChanges(channelURL, point) }
    }

    func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog {
        if losesChangesWithParams, params != nil {
            var changes = try await base.channelChanges(since: point)
            changes.updated = []
            return changes
        }
        guard let onChannelChanges else {
            return try await base.channelChanges(since: point, params: params)
        }
        return try await failing { try await onChannelChanges(point) }
    }

    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        guard let onChannels else {
            return try await base.channels(matching: query, after: cursor)
        }
        return try await failing { try await onChannels(query, cursor) }
    }

    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        guard let onChannel else { return try await base.channel(url) }
        return try await failing { try await onChannel(url) }
    }

    func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        guard let onMembers else {
            return try await base.members(of: channelURL, after: cursor, limit: limit)
        }
        return try await failing { try await onMembers(channelURL, cursor, limit) }
    }

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        guard let onSend else { return try await base.send(item) }
        return try await failing { try await onSend(item) }
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
        try await failing { try await onTyping(isTyping, channelURL) }
    }

    func failing<Answer>(
        _ body: () async throws -> Answer
    ) async throws(BackendError) -> Answer {
        do { return try await body() } catch {
            throw (error as? BackendError) ?? BackendError(.serverFailure, "\(error)")
        }
    }
}

/// The state that all devices of a wrong backend share.
final class Memory: Sendable {
    struct Contents {
        var outboxItems: [RequestID: Int] = [:]
        var messages: [Message] = []
        var senders: [MessageID: any Backend] = [:]
        var pages: [String: MessagePage] = [:]
        var told: [ChannelURL: Message] = [:]
        var user: UserID?
        var cursors: Set<FeedCursor> = []
        var channels: [ChannelURL: Int] = [:]
        var reactions: Set<String> = []
        var count = 0
    }

    private let contents = Locked(Contents())

    func use<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { body(&$0) }
    }
}
