extension Message {
    /// Creates a message; by default, its sending status is `succeeded` with an `id`, and otherwise
    /// `none`.
    public init(
        type: MessageType = .text,
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

    /// The position in the channel's history; `nil` until the message has an ID.
    public var position: Position? {
        messageID.map { Position(createdAt: createdAt, messageID: $0) }
    }

    /// A Boolean value that indicates whether the message is a reply.
    package var isReply: Bool { parentMessageID != nil }

    /// A Boolean value that indicates whether the message failed or was canceled, and the sender
    /// may resend it.
    public var isResendable: Bool {
        guard messageID == nil, sendingStatus == .failed || sendingStatus == .canceled else {
            return false
        }
        return errorCode?.isResendable ?? false
    }
}
