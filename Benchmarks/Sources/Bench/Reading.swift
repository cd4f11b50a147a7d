import Models
import Protobuf

// What is read of a message or a channel once it is decoded: by each in its own words, and into a
// tuple, so that every value has to be made.

/// What a list of messages shows.
@inline(__always)
func row(_ message: Message) -> some Any {
    let sender = message.sender
    return (
        message.type, message.messageID, message.createdAt, message.updatedAt,
        message.sendingStatus, message.text,
        sender?.userID, sender?.nickname, sender?.profileURL
    )
}

@inline(__always)
func row(_ message: ProtoMessage) -> some Any {
    let sender = message.user
    return (
        message.type, message.messageID, message.createdAt, message.updatedAt,
        message.sendingStatus, message.message,
        sender.userID, sender.nickname, sender.profileURL
    )
}

/// All that is in the sample.
@inline(__always)
func everything(_ message: Message) -> some Any {
    let reactions = message.reactionHistory
    return (
        row(message),
        message.channelURL, message.channelType, message.requestID,
        message.data, message.customType, message.parentMessageID,
        message.mentionedUserIDs, message.isOperatorMessage,
        reactions[0].key, reactions[0].userIDs, reactions[0].updatedAt
    )
}

@inline(__always)
func everything(_ message: ProtoMessage) -> some Any {
    let reactions = message.reactions
    return (
        row(message),
        message.channelURL, message.channelType, message.requestID,
        message.data, message.customType, message.parentMessageID,
        message.mentionedUserIds, message.isOpMsg,
        reactions[0].key, reactions[0].userIds, reactions[0].updatedAt
    )
}

/// What a list of channels shows.
@inline(__always)
func row(_ channel: GroupChannel) -> some Any {
    (channel.name, channel.url, channel.unreadMessageCount, channel.lastMessage?.text)
}

@inline(__always)
func row(_ channel: ProtoChannel) -> some Any {
    (channel.name, channel.channelURL, channel.unreadMessageCount, channel.lastMessage.message)
}
