import Models
import Store

extension StoreReader {
    /// Returns an outbox item; `nil` also for a damaged one.
    ///
    /// The store keeps and reports a damaged item, and the engine continues its other work.
    func readableOutboxItem(_ id: RequestID) throws(StoreError) -> OutboxItem? {
        try unlessDamaged { () throws(StoreError) in try outboxItem(id) }
    }

    func outboxItem(of message: Message, by userID: UserID?) throws(StoreError) -> OutboxItem? {
        guard let userID, message.sender?.userID == userID, let id = message.requestID,
            let item = try readableOutboxItem(id), item.isUnderstood, item.operation == .send,
            item.channelURL == message.channelURL
        else { return nil }
        return item
    }

    /// Returns the message that the user, by default the stored one, has sent with a request ID.
    func message(
        requestID: RequestID, in url: ChannelURL, by userID: UserID?
    ) throws(StoreError) -> Message? {
        let userID = try userID == nil ? storedUser()?.userID : userID
        guard let userID, let message = try message(requestID: requestID, in: url),
            message.sender?.userID == userID
        else { return nil }
        return message
    }

    /// Returns the result of a read; `nil` if the read finds damage.
    ///
    /// Use it only for what a damaged cache must not prevent: to write what the user did, and to
    /// clear the cache.
    func unlessDamaged<Value>(
        _ read: () throws(StoreError) -> Value?
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.code == .corruption else { throw error }
            return nil
        }
    }

    func isInGap(_ position: Position, in url: ChannelURL) throws(StoreError) -> Bool {
        try gap(around: position, in: url) != nil
    }
}
