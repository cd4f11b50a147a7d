public import Models
public import Store

/// The changes of a channel's messages that the server has not confirmed.
///
/// A list applies them to stored messages, and so immediately shows edits, deletions and reactions.
/// The stored rows keep the server's state: nothing is rolled back if it rejects a change.
public struct UnsentChanges: Hashable, Sendable {
    private var changes: [MessageID: [OutboxItem]] = [:]
    private var changesOfUnsent: [RequestID: [OutboxItem]] = [:]
    private let userID: UserID?

    /// True if there are no changes.
    public var isEmpty: Bool { changes.isEmpty && changesOfUnsent.isEmpty }

    /// Collects the changes from the outbox items of a channel, in order.
    ///
    /// Failed items have no effect. `userID` is the user whose reactions change.
    public init(_ items: some Sequence<OutboxItem>, userID: UserID?) {
        self.userID = userID
        for item in items
        where item.isUnderstood && item.operation != .send && item.state == .pending {
            if let id = item.messageID {
                changes[id, default: []].append(item)
            } else if let id = item.targetRequestID {
                changesOfUnsent[id, default: []].append(item)
            }
        }
    }

    package func changes(_ message: Message) -> Bool {
        if isEmpty { return false }
        return message.messageID.map { changes[$0] != nil } ?? false
            || message.requestID.map { changesOfUnsent[$0] != nil } ?? false
    }

    /// Returns a message with the user's changes; `nil` if the user has deleted it.
    public func shown(_ message: Message) -> Message? {
        var message = message
        let items =
            (message.requestID.flatMap { changesOfUnsent[$0] } ?? [])
            + (message.messageID.flatMap { changes[$0] } ?? [])
        for item in items {
            switch item.operation {
            case .send, .request: break
            case .update: if let update = item.update { message.apply(update) }
            case .delete: return nil
            case .addReaction, .deleteReaction: react(item, &message)
            }
        }
        return message
    }

    private func react(_ item: OutboxItem, _ message: inout Message) {
        guard let userID, let key = item.reactionKey else { return }
        let known = message.reactionHistory.first { $0.hasKey(key) }
        var event = ReactionEvent()
        event.key = key
        event.userID = userID
        event.operation = item.operation == .addReaction ? .add : .delete
        // The change must take effect even if the device's clock is slow.
        event.updatedAt = known?.updatedAt ?? message.createdAt
        message.react(event)
    }
}

extension StoreReader {
    /// Returns the new messages of a channel that are waiting to be sent or in flight, as they were
    /// written, in O(*n*) of the channel's outbox items.
    ///
    /// - Throws: `closed`, `io` or `corruption`.
    public func pendingMessages(in url: ChannelURL) throws(StoreError) -> [Message] {
        try unsentMessages(in: url, .pending)
    }

    /// Returns the new messages of a channel that have failed, as ``pendingMessages(in:)`` does.
    ///
    /// - Throws: `closed`, `io` or `corruption`.
    public func failedMessages(in url: ChannelURL) throws(StoreError) -> [Message] {
        try unsentMessages(in: url, .failed)
    }

    private func unsentMessages(
        in url: ChannelURL, _ state: OutboxItemState
    ) throws(StoreError) -> [Message] {
        let items = try outboxItems(in: url)
        let unsentChanges = UnsentChanges(items, userID: try storedUser()?.userID)
        return items.filter { $0.isUnderstood && $0.state == state && $0.operation == .send }
            .compactMap { $0.message.flatMap(unsentChanges.shown) }
    }
}
