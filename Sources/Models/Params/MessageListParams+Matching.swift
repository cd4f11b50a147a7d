extension MessageListParams {
    /// Whether a message is in the list that the params ask for, wherever in time it lies.
    ///
    /// ``showsSubchannelMessagesOnly`` is not looked at: a message does not say which subchannel
    /// it is of.
    public func belongsTo(_ message: Message) -> Bool {
        matches(message) && replyType.belongsTo(message)
    }

    /// Whether the left message comes before the right one in the list that the params ask for.
    ///
    /// Sent messages are ordered by position; what is not sent yet comes after them, in the order
    /// it was written; ``isReversed`` turns all of it around. A strict total order on messages
    /// with different ids.
    public func precedes(_ left: Message, _ right: Message) -> Bool {
        isReversed ? right.isOlder(than: left) : left.isOlder(than: right)
    }
}

extension ThreadedMessageListParams {
    /// Whether a message is among the replies to another one that the params ask for, wherever in
    /// time it lies.
    public func belongsTo(_ message: Message, parentMessageID: MessageID) -> Bool {
        message.parentMessageID == parentMessageID && matches(message)
    }

    /// Whether the left reply comes before the right one, as ``MessageListParams/precedes(_:_:)``.
    public func precedes(_ left: Message, _ right: Message) -> Bool {
        isReversed ? right.isOlder(than: left) : left.isOlder(than: right)
    }
}

extension MessageChangelogParams {
    /// Creates params for the changes of the messages that a list has.
    public init(_ params: MessageListParams) {
        self.init()
        replyType = params.replyType
        includesMetaArrays = params.includesMetaArrays
        includesReactions = params.includesReactions
        includesThreadInfo = params.includesThreadInfo
        includesParentMessageInfo = params.includesParentMessageInfo
    }

    /// Whether a changelog with these params tells of a message.
    public func belongsTo(_ message: Message) -> Bool { replyType.belongsTo(message) }
}

extension MessageRetrievalParams {
    /// Creates params for one message.
    public init(
        messageID: MessageID, channelURL: ChannelURL, channelType: ChannelType = .group
    ) {
        self.init { fields in
            fields.put(1, channelURL)
            fields.put(2, channelType)
            fields.put(3, messageID)
        }
    }

    /// Whether a message is the one that is asked for.
    public func belongsTo(_ message: Message) -> Bool {
        message.messageID == messageID && message.channelURL == channelURL
            && message.channelType == channelType
    }
}

extension ReplyType {
    /// Whether a list of this type has a message.
    public func belongsTo(_ message: Message) -> Bool {
        switch self {
        case .all: true
        case .none: !message.isReply
        case .onlyReplyToChannel: !message.isReply || message.isReplyToChannel
        }
    }
}

// MARK: What both kinds of lists filter by

private protocol MessageFilter {
    var messageType: MessageTypeFilter { get }
    var customTypes: [String] { get }
    var senderUserIDs: [UserID] { get }
}

extension MessageListParams: MessageFilter {}
extension ThreadedMessageListParams: MessageFilter {}

extension MessageFilter {
    fileprivate func matches(_ message: Message) -> Bool {
        switch messageType {
        case .all: break
        case .user: if message.type != .user { return false }
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
    /// Whether it comes before another one in its channel: what is sent before what is not.
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
