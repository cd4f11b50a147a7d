import Models

/// The history of a server as one user sees it, including everything that was deleted.
///
/// It is a value, so a copy is a backup. Events are numbered, and the number of a cursor is that of
/// the last event that the feed has delivered.
struct ServerHistory {
    struct Entry {
        let tag: String
        let position: Position
        /// The versions of the message that the user could see, oldest first.
        var versions: [Message]
        let createdAt: Int
        var changedAt: Int
        var diedAt: Int?
        /// The content of the newest version.
        var essence: MessageEssence
    }

    struct Channel {
        var isThere = true
        /// `isMine` is true if the user is a member of the channel.
        ///
        /// `changedAt` is the number of the event that last changed this.
        var isMine = true
        var changedAt = 0
        /// `offset` is the start of the history that the user may see.
        ///
        /// `resetAt` is the number of the event that set this start.
        var offset: Timestamp?
        var resetAt = 0
        var entries: [MessageID: Entry] = [:]

        /// Returns whether the user can see a message now.
        func isVisible(_ entry: Entry) -> Bool {
            isThere && isMine && entry.diedAt == nil
                && entry.position.createdAt >= offset ?? .distantPast
        }

        /// The messages of the channel that the user can see, oldest first.
        var visible: [Entry] {
            entries.values.filter(isVisible).sorted { $0.position < $1.position }
        }
    }

    var channels: [ChannelURL: Channel] = [:]

    func place(of tag: String) -> (url: ChannelURL, id: MessageID)? {
        for (url, channel) in channels {
            // After a doubtful item was resent, two messages may have this tag. Every process must
            // choose the same one.
            let ids = channel.entries.filter { $0.value.tag == tag }.keys
            if let id = ids.min() { return (url, id) }
        }
        return nil
    }

    func entry(_ tag: String) -> Entry? {
        place(of: tag).flatMap { channels[$0.url]?.entries[$0.id] }
    }
}

/// The fields of a message that users can change.
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
