/// The addition or removal of a reaction by a user.
public struct ReactionEvent: Record {
    /// The binary form.
    public var fields = RecordFields<ReactionEvent>()

    /// Creates an empty record.
    public init() {}

    /// The message's ID.
    public var messageID: MessageID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The key of the reaction, such as an emoji.
    public var key: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The user who added or removed the reaction.
    public var userID: UserID {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Whether the reaction was added or removed.
    public var operation: ReactionEventAction {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The time of the event.
    public var updatedAt: Timestamp {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The URL of the message's channel.
    public var channelURL: ChannelURL {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The ID of the request that caused the event, if this device sent it.
    public var requestID: RequestID? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The schema.
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

/// The action of a reaction event.
public enum ReactionEventAction: Int, CaseIterable, Sendable {
    /// The reaction was added.
    case add = 0
    /// The reaction was removed.
    case delete = 1
}

extension ReactionEventAction: WireEnum {
    static var names: [String] { ["ADD", "DELETE"] }
    static var aliases: [String: Self] { ["add": .add, "delete": .delete] }
}
