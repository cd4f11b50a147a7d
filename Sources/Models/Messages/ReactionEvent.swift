/// One user's reaction to a message, given or taken back.
public struct ReactionEvent: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ReactionEvent>()

    /// Creates a record without any field.
    public init() {}

    /// The message.
    public var messageID: MessageID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// What was reacted with.
    public var key: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Who did.
    public var userID: UserID {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Whether the reaction was given or taken back.
    public var operation: ReactionEventAction {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// When.
    public var updatedAt: Timestamp {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The channel of the message.
    public var channelURL: ChannelURL {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The request that did it, if it was made on this device.
    public var requestID: RequestID? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ReactionEvent",
        [
            Field(1, "msg_id", \ReactionEvent.messageID, aliases: ["message_id"]),
            Field(2, "reaction", \ReactionEvent.key),
            Field(3, "user_id", \ReactionEvent.userID),
            Field(4, "operation", \ReactionEvent.operation),
            Field(5, "updated_at", \ReactionEvent.updatedAt),
            Field(6, "channel_url", \ReactionEvent.channelURL),
            Field(7, "req_id", \ReactionEvent.requestID, aliases: ["request_id"]),
        ])
}

extension ReactionEvent: SingularValue {}

/// Whether a reaction was given or taken back.
public enum ReactionEventAction: Int, CaseIterable, Sendable {
    /// Given.
    case add = 0
    /// Taken back.
    case delete = 1
}

extension ReactionEventAction: WireEnum {
    static var names: [String] { ["ADD", "DELETE"] }
    static var aliases: [String: Self] { ["add": .add, "delete": .delete] }
}
