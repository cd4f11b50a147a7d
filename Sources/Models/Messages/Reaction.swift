/// Who reacted to a message with one key, such as an emoji.
public struct Reaction: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<Reaction>()

    /// Creates a record without any field.
    public init() {}

    /// What was reacted with; unique within a message.
    public var key: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Who reacted, in the order they did, each once.
    public var userIDs: [UserID] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// When the last of them reacted, or took it back.
    public var updatedAt: Timestamp {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// How many reacted, where a large channel names only some of them.
    public var totalCount: Int? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Some of those who reacted, in a large channel.
    public var sampledUserIDs: [UserID] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The same, told whole.
    public var sampledUsers: [User] {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Whether the current user is among them; `nil` where nobody said.
    public var hasCurrentUserReacted: Bool? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "Reaction",
        [
            Field(1, "key", \Reaction.key),
            Field(2, "user_ids", \Reaction.userIDs),
            Field(3, "updated_at", \Reaction.updatedAt),
            Field(4, "count", \Reaction.totalCount),
            Field(5, "sampled_user_ids", \Reaction.sampledUserIDs),
            Field(6, "sampled_user_info_list", \Reaction.sampledUsers),
            Field(7, "has_current_user_reacted", \Reaction.hasCurrentUserReacted),
        ])
}

extension Reaction: SingularValue {}
