// Updates that arrive separately: each has its own time, so that an older one never replaces a
// newer one.
extension Message {
    /// The current reactions; setting them removes all others from ``reactionHistory``.
    public var reactions: [Reaction] {
        get { reactionHistory.filter(\.isHeld) }
        set { reactionHistory = newValue }
    }

    /// The message without the times of its reactions and without removed ones, which apps do not
    /// show.
    package var withoutReactionTimes: Message {
        var message = self
        message.reactions = reactions.map { reaction in
            var reaction = reaction
            reaction.updatedAt = 0
            return reaction
        }
        return message
    }

    /// Applies a reaction event, and returns `true` if it is for this message and not older than
    /// the reaction's known state.
    ///
    /// The event's channel is ignored: message IDs are unique.
    ///
    /// In a large channel, a repeated event may be counted twice until the message is fetched
    /// again.
    @discardableResult
    public mutating func apply(_ event: ReactionEvent) -> Bool {
        guard event.messageID == messageID else { return false }
        return react(event)
    }

    @discardableResult
    package mutating func react(_ event: ReactionEvent) -> Bool {
        var history = reactionHistory
        let listsUser = history.reduce(0) { $0 + $1.userIDs.count } < Reaction.maximumUserCount
        if let index = history.firstIndex(where: { $0.hasKey(event.key) }) {
            guard event.updatedAt >= history[index].updatedAt else { return false }
            history[index].apply(event, listsUser: listsUser)
        } else {
            if history.count >= Reaction.maximumCount {
                guard let removed = history.firstIndex(where: { !$0.isHeld }) else { return true }
                history.remove(at: removed)
            }
            var reaction = Reaction(key: event.key)
            reaction.apply(event, listsUser: listsUser)
            history.append(reaction)
        }
        reactionHistory = history
        return true
    }

    /// Applies an update, and returns `true` if it is for this message and not older than the known
    /// state.
    @discardableResult
    package mutating func apply(_ event: ThreadInfoUpdateEvent) -> Bool {
        guard event.parentMessageID == messageID, let info = event.threadInfo else { return false }
        if let known = threadInfo, info.updatedAt < known.updatedAt { return false }
        threadInfo = info
        return true
    }

    /// Updates the summary of the parent message, and returns `true` if `parent` is the parent.
    @discardableResult
    package mutating func apply(parent: Message) -> Bool {
        guard let parentMessageID, parent.messageID == parentMessageID else { return false }
        parentMessageInfo = ParentMessageInfo(parent)
        return true
    }

    /// Replaces the poll by a newer version; returns `false` if the message has another poll or
    /// none, or a later version.
    @discardableResult
    package mutating func apply(_ newer: Poll) -> Bool {
        guard let poll, poll.id == newer.id else { return false }
        if let known = poll.updatedAt, (newer.updatedAt ?? 0) < known { return false }
        self.poll = newer
        return true
    }
}

extension Reaction {
    /// A Boolean value that indicates whether any user currently has the reaction.
    package var isHeld: Bool { !userIDs.isEmpty || (totalCount ?? 0) > 0 }

    /// The number of users who currently have the reaction.
    public var count: Int { totalCount ?? userIDs.count }

    fileprivate mutating func apply(_ event: ReactionEvent, listsUser: Bool) {
        let wasThere = userIDs.contains(event.userID)
        switch event.operation {
        case .add where !wasThere && !listsUser:
            totalCount = min(totalCount ?? userIDs.count, .max - 1) + 1
        case .add where !wasThere:
            userIDs.append(event.userID)
            totalCount = totalCount.map { min($0, .max - 1) + 1 }
        case .delete where wasThere || (totalCount != nil && event.updatedAt > updatedAt):
            // In a large channel, the list may not contain the user.
            userIDs.removeAll { $0 == event.userID }
            totalCount = totalCount.map { max($0, 1) - 1 }
        default:
            break
        }
        updatedAt = event.updatedAt
    }
}

extension ParentMessageInfo {
    /// Creates the summary that a reply to a message contains.
    public init(_ message: Message) {
        self.init()
        type = message.type
        createdAt = message.createdAt
        text = message.text
        sender = message.sender
        customType = message.customType
        singleFile = message.singleFile
        fileList = message.fileList
        messageID = message.messageID
    }
}
