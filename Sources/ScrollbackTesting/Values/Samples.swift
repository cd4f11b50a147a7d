import Foundation
public import Models

extension Message {
    /// Creates a message that says its id, for tests that need some message.
    ///
    /// ```swift
    /// let history = (1...3).map { Message.sample($0) }  // 1, 2, 3: a minute apart, from alice
    /// ```
    ///
    /// - Parameters:
    ///   - number: Its id, in decimal; a later number is a later message.
    ///   - channelURL: The channel.
    ///   - sender: Who wrote it.
    ///   - text: The text; `nil` for "message" and the number.
    ///   - createdAt: When the server accepted it; `nil` for so many minutes after 14 November 2023,
    ///     22:13:20 UTC.
    /// - Returns: A user message that was sent.
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
    /// Creates a group channel that the current user has joined, for tests that need some channel.
    ///
    /// - Parameters:
    ///   - url: The channel; its name is the same text.
    ///   - members: Who has joined it.
    ///   - lastMessage: Its newest message.
    /// - Returns: A channel.
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
    /// Creates a user whose nickname is the id with a capital, for tests that need somebody.
    public static func sample(_ id: UserID = "alice") -> User {
        User(id: id, nickname: id.rawValue.capitalized)
    }
}

extension Draft {
    /// Creates a draft of a user message, for tests that send something.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - channelURL: The channel.
    ///   - requestID: The name of the request.
    ///   - createdAt: When the user wrote it; `nil` for 14 November 2023, 22:13:20 UTC.
    /// - Returns: A draft that sends.
    public static func sample(
        _ text: String = "hello", in channelURL: ChannelURL = "general",
        requestID: RequestID = "r1", at createdAt: Timestamp? = nil
    ) -> Draft {
        Draft(UserMessageCreateParams(text), requestID, channelURL, createdAt)
    }

    /// A draft of whatever its params say.
    init(
        _ params: UserMessageCreateParams, _ requestID: RequestID, _ channelURL: ChannelURL,
        _ createdAt: Timestamp? = nil
    ) {
        var message = Message(
            id: nil, channelURL: channelURL, text: params.text, data: params.data,
            customType: params.customType, createdAt: createdAt ?? .sample(minute: 0),
            parentMessageID: params.parentMessageID)
        message.metaArrays = params.metaArrays
        message.userMessageParams = params
        self.init(message, requestID: requestID)
    }
}

extension Timestamp {
    /// So many minutes after the time at which a ``ManualClock`` begins.
    static func sample(minute: Int) -> Timestamp {
        Timestamp(milliseconds: 1_700_000_000_000 + Int64(minute) * 60_000)
    }
}
