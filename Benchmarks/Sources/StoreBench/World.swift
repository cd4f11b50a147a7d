import Foundation
import Measuring
import Models

/// The messages with which every store is measured.
///
/// A message does not depend on the number of messages that are loaded.
struct World {
    static let channelCount = 100
    /// The time of the newest loaded message.
    ///
    /// Messages that are written later are newer.
    private static let end: Int64 = 1_763_712_000_000

    /// The number of messages that are loaded before the measurement.
    let size: Int

    var messagesPerChannel: Int { size / World.channelCount }

    static func url(_ channel: Int) -> ChannelURL {
        ChannelURL("group_channel_52601_\(100_000 + channel)")
    }

    /// Returns a loaded message of a channel.
    ///
    /// The channel has `age` newer messages.
    func loaded(_ channel: Int, age: Int) -> Item {
        Item(channel, -(age * World.channelCount + channel))
    }

    /// Returns a message that is newer than all loaded ones.
    ///
    /// Each number gives another message.
    func new(_ number: Int) -> Item { Item(number % World.channelCount, number + 1) }

    /// Returns a new message whose id is between existing ids of its channel.
    func amongOthers(_ number: Int) -> Item {
        let channel = number % World.channelCount
        let age = number / World.channelCount % messagesPerChannel
        return new(number).renamed(World.id(channel, age: age).rawValue + "-\(number)")
    }

    /// Returns a message of the separate channel from which messages are deleted.
    static func extra(age: Int) -> Item { Item(channelCount, -age) }

    /// Returns the time of a loaded message.
    static func time(_ channel: Int, age: Int) -> Timestamp {
        Timestamp(milliseconds: time(-(age * channelCount + channel)))
    }

    fileprivate static func time(_ turn: Int) -> Int64 { end + Int64(turn) * 1000 }

    static func id(_ channel: Int, age: Int) -> MessageID { id(-(age * channelCount + channel)) }

    fileprivate static func id(_ turn: Int) -> MessageID {
        MessageID(String(8_000_000_000 + turn))
    }
}

/// A message in all forms that the stores take.
struct Item {
    /// The index of the channel, starting with 0.
    let channel: Int
    let plain: PlainMessage
    let message: Message

    fileprivate init(_ channel: Int, _ turn: Int) {
        var plain = PlainMessage(abs(turn) % 997, in: .english)
        plain.messageID = World.id(turn).rawValue
        plain.createdAt = World.time(turn)
        plain.updatedAt = 0
        plain.channelURL = World.url(channel).rawValue
        // One in five messages is the user's own, and therefore has a request id.
        plain.requestID = turn % 5 == 0 ? "3f6c1a52-88d0-4e5b-9a31-\(1_000_000_000 + turn)" : ""
        plain.parentMessageID = ""
        plain.data =
            #"{"item":0,"v":\#(abs(turn) % 10),"topic":"plans","origin":"mobile/ios/17.2"}"#
        self.init(channel, plain)
    }

    private init(_ channel: Int, _ plain: PlainMessage) {
        self.channel = channel
        self.plain = plain
        message = Message(plain)
    }

    /// A sentence about the sizes of messages and channels, for the page.
    static var note: String {
        let world = World(size: 10_000)
        let sizes = (0..<1000).map { world.new($0).message.serializedBytes.count }
        let channels = (0..<100).map { ChannelItem($0).channel.serializedBytes.count }
        return "A message has \(sizes.reduce(0, +) / sizes.count) bytes in our binary form, a "
            + "channel of the list, with its last message, \(channels.reduce(0, +) / channels.count)."
    }

    /// Returns the message with an edited text.
    func edited(_ round: Int) -> Item {
        var plain = plain
        plain.text += " (edited: \(round))"
        plain.updatedAt = plain.createdAt + Int64(round + 1)
        return Item(channel, plain)
    }

    /// Returns the message with another id, and with another request id if it has one.
    fileprivate func renamed(_ id: String) -> Item {
        var plain = plain
        plain.messageID = id
        if !plain.requestID.isEmpty { plain.requestID += "-renamed" }
        return Item(channel, plain)
    }

    /// The message as an outbox item.
    ///
    /// The item has its own request id.
    var outboxItem: OutboxItem {
        var message = message
        message.messageID = nil
        return OutboxItem(message, requestID: RequestID("item-\(plain.messageID)"))
    }
}

/// A channel of the channel list.
struct ChannelItem {
    static let count = 10_000

    /// The index of the channel, starting with 0.
    let number: Int
    let channel: GroupChannel
    let lastMessageAt: Int64
    /// The channel's previous sort key in the list, or 0 for a new channel.
    let oldLastMessageAt: Int64

    init(_ number: Int) {
        var channel = GroupChannel(
            url: World.url(number), name: "Plans for week \(number)",
            createdAt: 1_600_000_000_000)
        channel.coverURL = "https://cdn.example.com/c/\(number).png"
        channel.members = (0..<6).map { index in
            let sender = PlainMessage(number + index, in: .english).sender
            return Member(
                User(
                    id: UserID("user-\(number + index)"), nickname: sender.nickname,
                    profileURL: sender.profileURL))
        }
        channel.memberCount = 6
        channel.joinedMemberCount = 6
        self.init(number, channel, at: ChannelItem.turn(-number), insteadOf: 0)
    }

    private init(_ number: Int, _ channel: GroupChannel, at time: Int64, insteadOf old: Int64) {
        var plain = PlainMessage(number % 997, in: .english)
        plain.createdAt = time
        plain.channelURL = channel.url.rawValue
        var channel = channel
        channel.lastMessage = Message(plain)
        self.number = number
        self.channel = channel
        lastMessageAt = time
        oldLastMessageAt = old
    }

    /// Returns the channel with a new message, which moves the channel to the top.
    func touched(_ turn: Int) -> ChannelItem {
        ChannelItem(number, channel, at: ChannelItem.turn(turn + 1), insteadOf: lastMessageAt)
    }

    private static func turn(_ turn: Int) -> Int64 { 1_763_712_000_000 + Int64(turn) * 1000 }
}

extension Dice {
    /// Returns the order in which the stores are measured in a round.
    ///
    /// A store leaves the processor's caches in some state for the next store. The order varies, so
    /// that this does not always affect the same store.
    static func turns(_ count: Int, round: Int) -> [Int] {
        var dice = Dice(round)
        return (0..<count).shuffled(using: &dice)
    }
}
