/// The parameters of a list of replies to a message.
public struct ThreadedMessageListParams: Record {
    /// The binary form.
    public var fields = RecordFields<ThreadedMessageListParams>()

    /// Creates an empty record.
    public init() {}

    /// The number of replies older than the anchor: 20 by default, clamped to 0...10,000.
    public var previousResultSize: Int {
        get { self[1, default: 20] }
        set { self[1, default: 20] = newValue }
    }

    /// The number of replies newer than the anchor: 20 by default, clamped to 0...10,000.
    public var nextResultSize: Int {
        get { self[2, default: 20] }
        set { self[2, default: 20] = newValue }
    }

    /// A Boolean value that indicates whether replies at the anchor's own time are listed; true by
    /// default.
    public var isInclusive: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// A Boolean value that indicates whether the newest reply comes first.
    public var isReversed: Bool {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The kinds of messages to list.
    public var messageType: MessageTypeFilter {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The custom types to list; empty for all.
    public var customTypes: [String] {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The users whose replies are listed; empty for all.
    public var senderUserIDs: [UserID] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The schema.
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
        ])
}

extension ThreadedMessageListParams: SingularValue {}
