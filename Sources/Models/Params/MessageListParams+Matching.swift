extension MessageListParams {
    /// Returns whether a message belongs to the list, regardless of its time.
    package func belongsTo(_ message: Message) -> Bool {
        matches(message) && replyType.belongsTo(message)
    }
}

extension ThreadedMessageListParams {
    /// Returns whether a message belongs to the list of replies to `parentMessageID`, regardless of
    /// its time.
    package func belongsTo(_ message: Message, parentMessageID: MessageID) -> Bool {
        message.parentMessageID == parentMessageID && matches(message)
    }
}

extension MessageChangelogParams {
    /// Creates parameters for the messages of a list.
    public init(_ params: MessageListParams) {
        self.init()
        replyType = params.replyType
    }

    /// Returns whether a changelog with these parameters reports a message.
    public func belongsTo(_ message: Message) -> Bool { replyType.belongsTo(message) }
}

extension ReplyType {
    /// Returns whether a list of this type contains a message.
    package func belongsTo(_ message: Message) -> Bool {
        switch self {
        case .all: true
        case .none: !message.isReply
        case .onlyReplyToChannel: !message.isReply || message.isReplyToChannel
        }
    }
}

// MARK: Both kinds of lists

extension MessageSelectionParams {
    /// Returns whether the left message precedes the right one in the list.
    ///
    /// Sent messages are ordered by position, then unsent ones in the order in which the user wrote
    /// them; ``isReversed`` reverses the whole list. Of two messages with different IDs, exactly
    /// one precedes the other.
    public func precedes(_ left: Message, _ right: Message) -> Bool {
        isReversed ? right.isOlder(than: left) : left.isOlder(than: right)
    }

    fileprivate func matches(_ message: Message) -> Bool {
        switch messageType {
        case .all: break
        case .text: if message.type != .text { return false }
        case .file: if message.type != .file { return false }
        case .admin: if message.type != .admin { return false }
        }
        let types = customTypes
        if !types.isEmpty && !types.contains(message.customType) { return false }
        let senders = senderUserIDs
        if senders.isEmpty { return true }
        return message.sender.map { senders.contains($0.userID) } ?? false
    }
}

extension Message {
    /// Returns `true` if the message precedes another one of its channel; sent ones precede unsent
    /// ones.
    fileprivate func isOlder(than other: Message) -> Bool {
        switch (position, other.position) {
        case (let left?, let right?): return left < right
        case (nil, nil): break
        case (let left, _): return left != nil
        }
        if createdAt != other.createdAt { return createdAt < other.createdAt }
        return (requestID ?? "") < (other.requestID ?? "")
    }
}
