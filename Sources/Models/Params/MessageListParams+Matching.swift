extension MessageListParams {
    /// Returns a Boolean value that indicates whether a message belongs to the list, regardless of
    /// its time.
    public func belongsTo(_ message: Message) -> Bool {
        matches(message) && replyType.belongsTo(message)
    }

    /// Returns a Boolean value that indicates whether the left message precedes the right one in
    /// the list.
    ///
    /// Sent messages are ordered by position. Unsent messages follow them, in the order in which
    /// the user wrote them. If ``isReversed`` is set, the whole list is reversed. Of two messages
    /// with different IDs, exactly one precedes the other.
    public func precedes(_ left: Message, _ right: Message) -> Bool {
        isReversed ? right.isOlder(than: left) : left.isOlder(than: right)
    }
}

extension ThreadedMessageListParams {
    /// Returns a Boolean value that indicates whether a message belongs to the list of replies to
    /// `parentMessageID`, regardless of its time.
    public func belongsTo(_ message: Message, parentMessageID: MessageID) -> Bool {
        message.parentMessageID == parentMessageID && matches(message)
    }

    /// Returns a Boolean value that indicates whether the left reply precedes the right one, in the
    /// order of ``MessageListParams/precedes(_:_:)``.
    public func precedes(_ left: Message, _ right: Message) -> Bool {
        isReversed ? right.isOlder(than: left) : left.isOlder(than: right)
    }
}

extension MessageChangelogParams {
    /// Creates parameters for the changes of the messages of a list.
    public init(_ params: MessageListParams) {
        self.init()
        replyType = params.replyType
    }

    /// Returns a Boolean value that indicates whether a changelog with these parameters reports a
    /// message.
    public func belongsTo(_ message: Message) -> Bool { replyType.belongsTo(message) }
}

extension ReplyType {
    /// Returns a Boolean value that indicates whether a list of this type contains a message.
    public func belongsTo(_ message: Message) -> Bool {
        switch self {
        case .all: true
        case .none: !message.isReply
        case .onlyReplyToChannel: !message.isReply || message.isReplyToChannel
        }
    }
}

// MARK: Filters of both kinds of lists

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
    /// Returns a Boolean value that indicates whether the message precedes another message of the
    /// same channel.
    ///
    /// Sent messages precede unsent ones.
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
