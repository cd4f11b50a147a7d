/// Which replies to a message to list, and what they come with.
public struct ThreadedMessageListParams: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ThreadedMessageListParams>()

    /// Creates a record without any field.
    public init() {}

    /// How many replies before the starting point.
    public var previousResultSize: Int {
        get { self[1, default: 20] }
        set { self[1, default: 20] = newValue }
    }

    /// How many replies after the starting point.
    public var nextResultSize: Int {
        get { self[2, default: 20] }
        set { self[2, default: 20] = newValue }
    }

    /// Whether replies at the starting point itself are listed.
    public var isInclusive: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// Whether the newest reply comes first.
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

    /// Whose replies are listed; empty for everybody's.
    public var senderUserIDs: [UserID] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Whether replies come with their meta arrays.
    public var includesMetaArrays: Bool {
        get { self[10, default: true] }
        set { self[10, default: true] = newValue }
    }

    /// Whether replies come with their reactions.
    public var includesReactions: Bool {
        get { self[11, default: true] }
        set { self[11, default: true] = newValue }
    }

    /// Whether replies come with what they answer.
    public var includesParentMessageInfo: Bool {
        get { self[13, default: true] }
        set { self[13, default: true] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ThreadedMessageListParams",
        [
            Field(
                1, "prev_result_size", \ThreadedMessageListParams.previousResultSize, default: 20),
            Field(2, "next_result_size", \ThreadedMessageListParams.nextResultSize, default: 20),
            Field(3, "is_inclusive", \ThreadedMessageListParams.isInclusive, default: true),
            Field(4, "reverse", \ThreadedMessageListParams.isReversed),
            Field(5, "message_type", \ThreadedMessageListParams.messageType),
            Field(6, "custom_types", \ThreadedMessageListParams.customTypes),
            Field(7, "sender_user_ids", \ThreadedMessageListParams.senderUserIDs),
            Field(
                10, "include_meta_array", \ThreadedMessageListParams.includesMetaArrays,
                default: true),
            Field(
                11, "include_reactions", \ThreadedMessageListParams.includesReactions, default: true
            ),
            Field(
                13, "include_parent_message_info",
                \ThreadedMessageListParams.includesParentMessageInfo, default: true),
        ])
}

extension ThreadedMessageListParams: SingularValue {}
