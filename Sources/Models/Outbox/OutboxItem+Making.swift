extension OutboxItem {
    /// Creates an outbox item with a pending copy of a new message.
    ///
    /// `message` is the message as lists show it.
    public init(_ message: Message, requestID: RequestID, follows: Position? = nil) {
        var message = message
        message.requestID = requestID
        message.sendingStatus = .pending
        message.errorCode = nil
        self.init(
            .send, requestID: requestID, channelURL: message.channelURL,
            channelType: message.channelType, createdAt: message.createdAt, message: message,
            follows: follows)
    }

    /// Creates an outbox item of any kind.
    package init(
        _ operation: OutboxOperation,
        requestID: RequestID,
        channelURL: ChannelURL,
        channelType: ChannelType = .group,
        createdAt: Timestamp,
        message: Message? = nil,
        messageID: MessageID? = nil,
        targetRequestID: RequestID? = nil,
        reactionKey: String? = nil,
        userMessageUpdateParams: UserMessageUpdateParams? = nil,
        fileMessageUpdateParams: FileMessageUpdateParams? = nil,
        follows: Position? = nil
    ) {
        self.init { fields in
            fields.put(1, requestID)
            fields.put(2, channelURL)
            fields.put(3, channelType)
            fields.put(4, operation)
            fields.put(6, createdAt)
            fields.put(7, message)
            fields.put(8, messageID)
            fields.put(9, targetRequestID)
            fields.put(10, reactionKey)
            fields.put(14, userMessageUpdateParams)
            fields.put(15, fileMessageUpdateParams)
            fields.put(20, follows?.createdAt)
            fields.put(21, follows?.messageID)
        }
    }

    /// The newest known position in the channel when the user wrote the item, if any.
    ///
    /// Lists show an unsent message after it, even if this device's clock is wrong.
    package var follows: Position? {
        get { followsMessageID.map { Position(createdAt: followsCreatedAt, messageID: $0) } }
        set {
            followsCreatedAt = newValue?.createdAt ?? 0
            followsMessageID = newValue?.messageID
        }
    }

    /// The new message as the user wrote it; `nil` if the item is a change.
    public var newMessage: NewMessage? { message?.newMessage }
}
