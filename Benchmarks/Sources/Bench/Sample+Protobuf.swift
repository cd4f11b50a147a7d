import Measuring
import Models
import Protobuf

// `Message` is also the name of a protocol in swift-protobuf.
typealias Message = Models.Message
typealias ProtoMessage = Scrollback_Message
typealias ProtoChannel = Scrollback_GroupChannel

extension ProtoMessage {
    /// Creates a message from an app's values.
    init(_ plain: PlainMessage) {
        self.init()
        messageID = plain.messageID
        createdAt = plain.createdAt
        updatedAt = plain.updatedAt
        channelURL = plain.channelURL
        channelType = .group
        requestID = plain.requestID
        var sender = Scrollback_Sender()
        sender.userID = plain.sender.userID
        sender.nickname = plain.sender.nickname
        sender.profileURL = plain.sender.profileURL
        user = sender
        message = plain.text
        data = plain.data
        customType = plain.customType
        sendingStatus = .succeeded
        parentMessageID = plain.parentMessageID
        reactions = plain.reactions.map {
            var reaction = Scrollback_Reaction()
            reaction.key = $0.key
            reaction.userIds = $0.userIDs
            reaction.updatedAt = $0.updatedAt
            return reaction
        }
        mentionedUserIds = plain.mentionedUserIDs
        isOpMsg = plain.isOperatorMessage
    }
}
