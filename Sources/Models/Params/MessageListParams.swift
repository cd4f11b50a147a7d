/// Which messages of a channel to list, and what they come with.
public struct MessageListParams: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<MessageListParams>()

    /// Creates a record without any field.
    public init() {}

    /// How many messages before the starting point; 40 by default.
    public var previousResultSize: Int {
        get { self[1, default: 40] }
        set { self[1, default: 40] = newValue }
    }

    /// How many messages after the starting point; 40 by default.
    public var nextResultSize: Int {
        get { self[2, default: 40] }
        set { self[2, default: 40] = newValue }
    }

    /// Whether messages at the starting point itself are listed; they are by default.
    public var isInclusive: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// Whether the newest message comes first.
    public var isReversed: Bool {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The kinds of messages that are listed.
    public var messageType: MessageTypeFilter {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The custom types that are listed; empty for all.
    public var customTypes: [String] {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Whose messages are listed; empty for everybody's.
    public var senderUserIDs: [UserID] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Whether replies are listed; by default they are not.
    public var replyType: ReplyType {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Whether only messages of the user's subchannel are listed.
    public var showsSubchannelMessagesOnly: Bool {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// Whether messages come with their meta arrays.
    public var includesMetaArrays: Bool {
        get { self[10, default: true] }
        set { self[10, default: true] = newValue }
    }

    /// Whether messages come with their reactions.
    public var includesReactions: Bool {
        get { self[11, default: true] }
        set { self[11, default: true] = newValue }
    }

    /// Whether messages come with what is known of their replies.
    public var includesThreadInfo: Bool {
        get { self[12, default: true] }
        set { self[12, default: true] = newValue }
    }

    /// Whether replies come with what they answer.
    public var includesParentMessageInfo: Bool {
        get { self[13, default: true] }
        set { self[13, default: true] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "MessageListParams",
        [
            Field(1, "prev_result_size", \MessageListParams.previousResultSize, default: 40),
            Field(2, "next_result_size", \MessageListParams.nextResultSize, default: 40),
            Field(3, "is_inclusive", \MessageListParams.isInclusive, default: true),
            Field(4, "reverse", \MessageListParams.isReversed),
            Field(5, "message_type", \MessageListParams.messageType),
            Field(6, "custom_types", \MessageListParams.customTypes),
            Field(7, "sender_user_ids", \MessageListParams.senderUserIDs),
            Field(8, "reply_type", \MessageListParams.replyType),
            Field(
                9, "show_subchannel_messages_only", \MessageListParams.showsSubchannelMessagesOnly),
            Field(10, "include_meta_array", \MessageListParams.includesMetaArrays, default: true),
            Field(11, "include_reactions", \MessageListParams.includesReactions, default: true),
            Field(12, "include_thread_info", \MessageListParams.includesThreadInfo, default: true),
            Field(
                13, "include_parent_message_info", \MessageListParams.includesParentMessageInfo,
                default: true),
        ])
}

extension MessageListParams: SingularValue {}

/// The kinds of messages that a list has.
public enum MessageTypeFilter: Int, CaseIterable, Sendable {
    /// All kinds.
    case all = 0
    /// Users' texts.
    case user = 1
    /// Users' files.
    case file = 2
    /// What channels say themselves.
    case admin = 3
}

extension MessageTypeFilter: WireEnum {
    static var names: [String] { ["all", "user", "file", "admin"] }
}

/// Whether a list has replies.
public enum ReplyType: Int, CaseIterable, Sendable {
    /// Only messages that answer none.
    case none = 0
    /// All messages.
    case all = 1
    /// Of the replies only those that are shown in the channel too.
    case onlyReplyToChannel = 2
}

extension ReplyType: WireEnum {
    static var names: [String] { ["none", "all", "only_reply_to_channel"] }
}
