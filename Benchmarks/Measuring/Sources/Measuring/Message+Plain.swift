public import Models

extension Message {
    /// Creates a message from an app's values.
    public init(_ plain: PlainMessage) {
        self.init(
            id: MessageID(plain.messageID), channelURL: ChannelURL(plain.channelURL),
            requestID: RequestID(plain.requestID),
            sender: Sender(
                id: UserID(plain.sender.userID), nickname: plain.sender.nickname,
                profileURL: plain.sender.profileURL),
            text: plain.text, data: plain.data, customType: plain.customType,
            createdAt: Timestamp(milliseconds: plain.createdAt),
            updatedAt: Timestamp(milliseconds: plain.updatedAt),
            parentMessageID: MessageID(plain.parentMessageID))
        reactionHistory = plain.reactions.map {
            Reaction(
                key: $0.key, userIDs: $0.userIDs.map { UserID($0) },
                updatedAt: Timestamp(milliseconds: $0.updatedAt))
        }
        mentionedUserIDs = plain.mentionedUserIDs.map { UserID($0) }
        isOperatorMessage = plain.isOperatorMessage
    }
}
