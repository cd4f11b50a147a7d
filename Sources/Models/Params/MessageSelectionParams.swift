/// The parameters that lists of messages and lists of replies have in common.
public protocol MessageSelectionParams: Record {}

extension MessageSelectionParams {
    /// A Boolean value that indicates whether the list contains the messages at the anchor's own
    /// time; true by default.
    public var isInclusive: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// A Boolean value that indicates whether the newest message comes first.
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

    /// The users whose messages are listed; empty for all.
    public var senderUserIDs: [UserID] {
        get { self[7] }
        set { self[7] = newValue }
    }

    static var selectionFields: [Field] {
        [
            Field(3, "is_inclusive", \Self.isInclusive, default: true),
            Field(4, "reverse", \Self.isReversed),
            Field(5, "message_type", \Self.messageType),
            Field(6, "custom_types", \Self.customTypes),
            Field(7, "sender_user_ids", \Self.senderUserIDs),
        ]
    }
}
