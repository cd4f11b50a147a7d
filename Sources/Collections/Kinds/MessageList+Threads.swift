public import Models
import Store

extension MessageList.Row {
    /// The replies to a message.
    public struct Thread: Hashable, Sendable {
        /// The newest stored reply; `nil` if the cache has none.
        ///
        /// The message's `threadInfo` has the server's last time and number of replies.
        public let lastReply: Message?

        /// The number of other users' replies, among the newest 100 stored ones, that are newer
        /// than the channel's `myLastRead`.
        public let unreadCount: Int

        /// The users who have replied: first the server's most frequent ones, then the senders of
        /// the newest stored replies.
        public let participants: [User]
    }
}

extension Message {
    var lastReplyPosition: Position? {
        position.map {
            Position(createdAt: threadInfo?.lastRepliedAt ?? createdAt, messageID: $0.messageID)
        }
    }
}

extension StoreReader {
    /// Returns the next rows of a list; for a list of threads, in O(*n*) for *n* threads.
    func rows(
        of kinds: MessageKinds, _ order: MessageList.Order, for userID: UserID?,
        in url: ChannelURL?, after last: Message?, limit: Int
    ) throws(StoreError) -> [MessageList.Row] {
        if order == .newestFirst {
            return try messages(of: kinds, for: userID, in: url, after: last, limit: limit)
                .map { MessageList.Row($0) }
        }
        let end = last.map { MessageList.Place.message($0, order) }
        let threads = try messages(of: kinds, for: userID, in: url, limit: .max)
            .map { (place: MessageList.Place.message($0, order), message: $0) }
            .filter { thread in end.map { $0 < thread.place } ?? true }
            .sorted { $0.place < $1.place }
        var rows: [MessageList.Row] = []
        for (_, message) in threads.prefix(limit) {
            rows.append(MessageList.Row(message, try thread(of: message, for: userID)))
        }
        return rows
    }

    func thread(
        of message: Message, for userID: UserID?
    ) throws(StoreError) -> MessageList.Row.Thread {
        let url = message.channelURL
        let replies = try replies(to: message.messageID ?? "", in: url, limit: 100)
        let read = try groupChannel(url)?.myLastRead ?? .distantPast
        var participants = message.threadInfo?.mostRepliedUsers ?? []
        var known = Set(participants.map(\.userID))
        for sender in replies.compactMap(\.sender) where known.insert(sender.userID).inserted {
            participants.append(User(person: sender))
        }
        return MessageList.Row.Thread(
            lastReply: replies.first,
            unreadCount: replies.count { $0.createdAt > read && $0.sender?.userID != userID },
            participants: participants)
    }
}
