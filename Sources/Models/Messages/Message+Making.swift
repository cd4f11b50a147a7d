extension Message {
    /// Creates a message.
    ///
    /// What is not a parameter is set afterwards.
    ///
    /// - Parameters:
    ///   - type: What kind of message it is.
    ///   - id: The name the server gave it; `nil` until it is sent.
    ///   - channelURL: The channel it belongs to.
    ///   - channelType: The kind of that channel.
    ///   - requestID: The name its sender's device gave it.
    ///   - sender: Who wrote it; `nil` in an admin message.
    ///   - text: The text.
    ///   - data: What the application attached.
    ///   - customType: What the application sorts its messages by.
    ///   - createdAt: When the server accepted it, or when it was written.
    ///   - updatedAt: When it was last edited.
    ///   - parentMessageID: The message it answers.
    ///   - sendingStatus: How far it has come. The default is succeeded for a message that has
    ///     an `id`, and none for any other.
    public init(
        type: MessageType = .user,
        id: MessageID?,
        channelURL: ChannelURL,
        channelType: ChannelType = .group,
        requestID: RequestID? = nil,
        sender: Sender? = nil,
        text: String = "",
        data: String = "",
        customType: String = "",
        createdAt: Timestamp,
        updatedAt: Timestamp? = nil,
        parentMessageID: MessageID? = nil,
        sendingStatus: MessageSendingStatus? = nil
    ) {
        let status = sendingStatus ?? (id == nil ? .none : .succeeded)
        self.init { fields in
            fields.put(1, type)
            fields.put(2, id)
            fields.put(3, createdAt)
            fields.put(4, updatedAt)
            fields.put(5, status)
            fields.put(6, sender)
            fields.put(7, text)
            fields.put(8, channelURL)
            fields.put(9, requestID)
            fields.put(10, data)
            fields.put(11, customType)
            fields.put(13, parentMessageID)
            fields.put(17, channelType)
        }
    }

    /// The place in the channel's history; `nil` while it has no id.
    public var position: Position? {
        messageID.map { Position(createdAt: createdAt, messageID: $0) }
    }

    /// Whether it answers another message.
    public var isReply: Bool { parentMessageID != nil }

    /// Whether its sender may send it again: it failed or was canceled, and not for good.
    public var isResendable: Bool {
        guard sendingStatus == .failed || sendingStatus == .canceled else { return false }
        return errorCode?.isResendable ?? false
    }

    /// The meta arrays with some keys, in the order of the message.
    public func metaArrays(withKeys keys: some Sequence<String>) -> [MetaArray] {
        let keys = Set(keys)
        return metaArrays.filter { keys.contains($0.key) }
    }
}
