extension Draft {
    /// Creates a draft of a new message.
    ///
    /// - Parameters:
    ///   - message: The message as lists show it, with the params it is made from. It becomes
    ///     pending, and gets the request id. Its channel and time are the draft's.
    ///   - requestID: The name of the request, and of the message.
    ///   - follows: The newest position known in the channel.
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

    /// Creates a draft of any kind.
    ///
    /// What is not a parameter is set afterwards.
    ///
    /// - Parameters:
    ///   - operation: What the server is asked to do.
    ///   - requestID: The name of the request.
    ///   - channelURL: The channel.
    ///   - channelType: The kind of that channel.
    ///   - createdAt: When the user wrote it, by the clock of this device.
    ///   - message: The new message; `nil` for a change.
    ///   - messageID: The message to change.
    ///   - targetRequestID: The draft of the message to change, if that was not sent itself.
    ///   - reactionKey: What is reacted with.
    ///   - userMessageUpdateParams: What an edit changes in a user message.
    ///   - fileMessageUpdateParams: What an edit changes in a file message.
    ///   - follows: The newest position known in the channel.
    public init(
        _ operation: DraftOperation,
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

    /// The newest position known in the channel when this was written; `nil` if none was.
    ///
    /// A message that is not sent comes after it, whatever the clock of this device says.
    public var follows: Position? {
        get { followsMessageID.map { Position(createdAt: followsCreatedAt, messageID: $0) } }
        set {
            followsCreatedAt = newValue?.createdAt ?? 0
            followsMessageID = newValue?.messageID
        }
    }

    /// What a new user message is made from, as its ``message`` holds it.
    public var userMessageCreateParams: UserMessageCreateParams? { message?.userMessageParams }

    /// What a new file message is made from, as its ``message`` holds it.
    public var fileMessageCreateParams: FileMessageCreateParams? { message?.fileMessageParams }

    /// What a new message with several files is made from, as its ``message`` holds it.
    public var multipleFilesMessageCreateParams: MultipleFilesMessageCreateParams? {
        message?.multipleFilesMessageParams
    }
}
