// Updates that come apart from the message. Each has a time of its own, so that none undoes a
// newer one, in whichever order they arrive.
extension Message {
    /// The reactions that somebody holds.
    ///
    /// Setting them forgets what was taken back.
    public var reactions: [Reaction] {
        get { reactionHistory.filter(\.isHeld) }
        set { reactionHistory = newValue }
    }

    /// Takes over a reaction that was given or taken back.
    ///
    /// Ids of messages are unique in an application, so the event's channel is not looked at. In a
    /// large channel, where not everybody is named, ``Reaction/hasCurrentUserReacted`` stays as it
    /// was, and an event that comes twice may count twice until the message is fetched again.
    ///
    /// - Returns: Whether the event was for this message, and as new as what is known of its key.
    @discardableResult
    public mutating func apply(_ event: ReactionEvent) -> Bool {
        guard event.messageID == messageID else { return false }
        var history = reactionHistory
        if let index = history.firstIndex(where: { $0.key == event.key }) {
            guard event.updatedAt >= history[index].updatedAt else { return false }
            history[index].apply(event)
        } else {
            var reaction = Reaction(key: event.key)
            reaction.apply(event)
            history.append(reaction)
        }
        reactionHistory = history
        return true
    }

    /// Takes over what became of the thread that this message began.
    ///
    /// - Returns: Whether the event was for this message, and as new as what is known.
    @discardableResult
    public mutating func apply(_ event: ThreadInfoUpdateEvent) -> Bool {
        guard event.parentMessageID == messageID, let info = event.threadInfo else { return false }
        if let known = threadInfo, info.updatedAt < known.updatedAt { return false }
        threadInfo = info
        return true
    }

    /// Takes over what the message that this one answers says now.
    ///
    /// - Returns: Whether `parent` is the message that this one answers.
    @discardableResult
    public mutating func apply(parent: Message) -> Bool {
        guard let parentMessageID, parent.messageID == parentMessageID else { return false }
        parentMessageInfo = ParentMessageInfo(parent)
        return true
    }

    /// Takes over what a poll says now, if it is the poll of this message and no older.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    public mutating func apply(_ newer: Poll) -> Bool {
        guard let poll, poll.id == newer.id else { return false }
        if let known = poll.updatedAt, (newer.updatedAt ?? 0) < known { return false }
        self.poll = newer
        return true
    }
}

extension Reaction {
    /// Whether somebody holds it.
    public var isHeld: Bool { !userIDs.isEmpty || (totalCount ?? 0) > 0 }

    /// How many users hold it.
    public var count: Int { totalCount ?? userIDs.count }

    fileprivate mutating func apply(_ event: ReactionEvent) {
        let wasThere = userIDs.contains(event.userID)
        switch event.operation {
        case .add where !wasThere:
            userIDs.append(event.userID)
            totalCount = totalCount.map { $0 + 1 }
        case .delete where wasThere || (totalCount != nil && event.updatedAt > updatedAt):
            // In a large channel not everybody is named.
            userIDs.removeAll { $0 == event.userID }
            sampledUserIDs.removeAll { $0 == event.userID }
            sampledUsers.removeAll { $0.userID == event.userID }
            totalCount = totalCount.map { max(0, $0 - 1) }
        default:
            break
        }
        updatedAt = event.updatedAt
    }
}

extension ParentMessageInfo {
    /// Creates what there is to know of a message that another one answers.
    public init(_ message: Message) {
        self.init()
        type = message.type
        createdAt = message.createdAt
        text = message.text
        sender = message.sender
        customType = message.customType
        file = message.file
        files = message.files
        messageID = message.messageID
    }
}
