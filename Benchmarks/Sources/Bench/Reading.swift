import Measuring
import Models
import Protobuf

// These functions read all values of a decoded message or channel with a library's own accessors.
// Each returns a sum over the values. Therefore every value has to be created, but no value has to
// be stored.

extension String {
    fileprivate var size: Int { utf8.count }
}

extension Identifier {
    fileprivate var size: Int { rawValue.utf8.count }
}

extension Timestamp {
    fileprivate var size: Int { Int(truncatingIfNeeded: milliseconds) }
}

/// Reads the fields that a message list shows: the type, the id, two times, the status, the text
/// and the sender.
@inline(__always)
func row(_ message: Message) -> Int {
    var sum = message.type.rawValue &+ message.createdAt.size &+ message.sendingStatus.rawValue
    sum &+= (message.messageID?.size ?? 0) &+ (message.updatedAt?.size ?? 0) &+ message.text.size
    guard let sender = message.sender else { return sum }
    return sum &+ sender.userID.size &+ sender.nickname.size &+ sender.profileURL.size
}

@inline(__always)
func row(_ message: ProtoMessage) -> Int {
    var sum = message.type.rawValue &+ Int(message.createdAt) &+ message.sendingStatus.rawValue
    sum &+= message.messageID.size &+ Int(message.updatedAt) &+ message.message.size
    guard message.hasUser else { return sum }
    let sender = message.user
    return sum &+ sender.userID.size &+ sender.nickname.size &+ sender.profileURL.size
}

/// Reads all fields that the sample messages have.
@inline(__always)
func everything(_ message: Message) -> Int {
    var sum = row(message) &+ message.channelURL.size &+ message.channelType.rawValue
    sum &+= (message.requestID?.size ?? 0) &+ message.data.size &+ message.customType.size
    sum &+= (message.parentMessageID?.size ?? 0) &+ (message.isOperatorMessage ? 1 : 0)
    for userID in message.mentionedUserIDs { sum &+= userID.size }
    for reaction in message.reactionHistory {
        sum &+= reaction.key.size &+ reaction.updatedAt.size
        for userID in reaction.userIDs { sum &+= userID.size }
    }
    return sum
}

@inline(__always)
func everything(_ message: ProtoMessage) -> Int {
    var sum = row(message) &+ message.channelURL.size &+ message.channelType.rawValue
    sum &+= message.requestID.size &+ message.data.size &+ message.customType.size
    sum &+= message.parentMessageID.size &+ (message.isOpMsg ? 1 : 0)
    for userID in message.mentionedUserIds { sum &+= userID.size }
    for reaction in message.reactions {
        sum &+= reaction.key.size &+ Int(reaction.updatedAt)
        for userID in reaction.userIds { sum &+= userID.size }
    }
    return sum
}

/// Reads the fields that a channel list shows: the name, the URL, the unread count, and the text of
/// the last message.
@inline(__always)
func row(_ channel: GroupChannel) -> Int {
    channel.name.size &+ channel.url.size &+ channel.unreadMessageCount
        &+ (channel.lastMessage?.text.size ?? 0)
}

@inline(__always)
func row(_ channel: ProtoChannel) -> Int {
    channel.name.size &+ channel.channelURL.size &+ Int(channel.unreadMessageCount)
        &+ channel.lastMessage.message.size
}
