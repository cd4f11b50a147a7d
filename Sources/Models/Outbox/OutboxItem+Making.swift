extension OutboxItem {
    /// Creates an outbox item for a new message.
    ///
    /// - Parameters:
    ///   - message: The message as lists show it, with its parameters. It becomes pending and gets
    ///     `requestID`. The item gets the message's channel and time.
    ///   - requestID: The ID of the request and of the message.
    ///   - follows: The newest known position in the channel.
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
    ///
    /// Set the remaining properties after the initialization.
    ///
    /// - Parameters:
    ///   - operation: The requested operation.
    ///   - requestID: The ID of the request.
    ///   - channelURL: The URL of the channel.
    ///   - channelType: The type of the channel.
    ///   - createdAt: The time at which the user wrote the item, on this device's clock.
    ///   - message: The new message; `nil` for a change.
    ///   - messageID: The ID of the message to change.
    ///   - targetRequestID: The request ID of the message to change, if that message is not sent
    ///     yet.
    ///   - reactionKey: The key of the reaction.
    ///   - userMessageUpdateParams: The edit of a user message.
    ///   - fileMessageUpdateParams: The edit of a file message.
    ///   - follows: The newest known position in the channel.
    public init(
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

    /// The newest known position in the channel when the user wrote the item; `nil` if no message
    /// was known.
    ///
    /// Lists show an unsent message after this position, whatever this device's clock says.
    public var follows: Position? {
        get { followsMessageID.map { Position(createdAt: followsCreatedAt, messageID: $0) } }
        set {
            followsCreatedAt = newValue?.createdAt ?? 0
            followsMessageID = newValue?.messageID
        }
    }

    /// The parameters of a new user message, as stored in ``message``.
    public var userMessageCreateParams: UserMessageCreateParams? { message?.userMessageParams }

    /// The parameters of a new file message, as stored in ``message``.
    public var fileMessageCreateParams: FileMessageCreateParams? { message?.fileMessageParams }

    /// The parameters of a new message with several files, as stored in ``message``.
    public var multipleFilesMessageCreateParams: MultipleFilesMessageCreateParams? {
        message?.multipleFilesMessageParams
    }
}
