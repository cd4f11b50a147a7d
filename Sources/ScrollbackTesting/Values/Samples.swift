import Foundation
public import Models

extension Message {
    /// Creates a sample of a sent message.
    ///
    /// ```swift
    /// let history = (1...3).map { Message.sample($0) }  // 1, 2, 3: a minute apart, from alice
    /// ```
    ///
    /// The number is the message's ID. The default text is "message" and the number, and the
    /// default time `number` minutes after 14 November 2023, 22:13:20 UTC.
    public static func sample(
        _ number: Int = 1, in channelURL: ChannelURL = "general", from sender: UserID = "alice",
        text: String? = nil, at createdAt: Timestamp? = nil
    ) -> Message {
        Message(
            id: MessageID(String(number)), channelURL: channelURL, requestID: nil,
            sender: Sender(User.sample(sender)), text: text ?? "message \(number)",
            createdAt: createdAt ?? .sample(minute: number))
    }
}

extension GroupChannel {
    /// Creates a sample of a group channel that the current user has joined; its name is its URL.
    public static func sample(
        _ url: ChannelURL = "general", members: [UserID] = ["alice", "bob"],
        lastMessage: Message? = nil
    ) -> GroupChannel {
        var channel = GroupChannel(url: url, name: url.rawValue, createdAt: .sample(minute: 0))
        channel.members = members.map { Member(User.sample($0)) }
        channel.memberCount = members.count
        channel.joinedMemberCount = members.count
        channel.myMemberState = .joined
        channel.lastMessage = lastMessage
        return channel
    }
}

extension User {
    /// Creates a sample user; the nickname is the capitalized ID.
    public static func sample(_ id: UserID = "alice") -> User {
        User(id: id, nickname: id.rawValue.capitalized)
    }
}

extension OutboxItem {
    /// Creates a sample outbox item, which sends a user message.
    ///
    /// The default time is 14 November 2023, 22:13:20 UTC.
    public static func sample(
        _ text: String = "hello", in channelURL: ChannelURL = "general",
        requestID: RequestID = "r1", at createdAt: Timestamp? = nil
    ) -> OutboxItem {
        OutboxItem(NewMessage(text), requestID, channelURL, at: createdAt)
    }

    init(
        _ params: NewMessage, _ requestID: RequestID, _ channelURL: ChannelURL,
        at createdAt: Timestamp? = nil
    ) {
        var message = Message(
            id: nil, channelURL: channelURL, text: params.text, data: params.data,
            customType: params.customType, createdAt: createdAt ?? .sample(minute: 0),
            parentMessageID: params.parentMessageID)
        message.metaArrays = params.metaArrays
        message.newMessage = params
        self.init(message, requestID: requestID)
    }
}

extension Timestamp {
    /// Returns a time, limited to the range of `Timestamp`.
    static func sample(minute: Int) -> Timestamp {
        let (time, overflows) = Int64(minute).multipliedReportingOverflow(by: 60_000)
        let end: Int64 = minute < 0 ? .min : .max
        return ManualClock().advance(by: .milliseconds(overflows ? end : time))
    }
}
