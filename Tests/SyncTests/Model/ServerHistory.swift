import Models

/// What a server holds for one user, and all that it ever held, noted beside it.
///
/// A value, so that a backup is a copy. Things that happened are counted; each is told by the feed or not yet,
/// depending on how many a cursor stands behind.
struct ServerHistory {
    struct Entry {
        let tag: String
        let position: Position
        /// The message as the user sees it, the newest version last.
        var versions: [Message]
        let createdAt: Int
        var changedAt: Int
        var diedAt: Int?
        /// What the newest version says.
        var essence: MessageEssence
    }

    struct Channel {
        var isThere = true
        /// Whether the user has a part in it, and when that began or ended.
        var isMine = true
        var changedAt = 0
        /// Where the user's history begins, and since when.
        var offset: Timestamp?
        var resetAt = 0
        var entries: [MessageID: Entry] = [:]

        /// Whether the user could see a message now, if there is one.
        func isVisible(_ entry: Entry) -> Bool {
            isThere && isMine && entry.diedAt == nil
                && entry.position.createdAt >= offset ?? .distantPast
        }

        /// What the user finds in the channel, the oldest first.
        var visible: [Entry] {
            entries.values.filter(isVisible).sorted { $0.position < $1.position }
        }
    }

    var channels: [ChannelURL: Channel] = [:]

    func place(of tag: String) -> (url: ChannelURL, id: MessageID)? {
        for (url, channel) in channels {
            // Sent again in doubt it may be there twice: in each process, the same one is meant.
            let ids = channel.entries.filter { $0.value.tag == tag }.keys
            if let id = ids.min() { return (url, id) }
        }
        return nil
    }

    func entry(_ tag: String) -> Entry? {
        place(of: tag).flatMap { channels[$0.url]?.entries[$0.id] }
    }
}

/// What is compared of a message: all that users can change.
struct MessageEssence: Hashable, CustomStringConvertible {
    var text: String
    var version: Timestamp
    var reactions: [String]
    var replyCount: Int
    var requestID: RequestID?
    var parentID: MessageID?

    init(_ message: Message) {
        text = message.text
        version = message.updatedAt ?? message.createdAt
        reactions = message.reactions.map { "\($0.key)\($0.userIDs.sorted())" }.sorted()
        replyCount = message.threadInfo?.replyCount ?? 0
        requestID = message.requestID
        parentID = message.parentMessageID
    }

    var description: String {
        "\(text) v\(version) \(reactions.joined()) \(replyCount) replies, by \(requestID ?? "-")"
    }
}
