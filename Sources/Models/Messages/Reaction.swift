/// A reaction to a message, such as an emoji, with its users.
public struct Reaction: Record {
    /// The binary form.
    public var fields = RecordFields<Reaction>()

    /// Creates an empty record.
    public init() {}

    /// The key of the reaction, such as an emoji; unique within a message.
    public var key: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The users who have the reaction, in the order in which they reacted.
    public var userIDs: [UserID] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time at which the reaction was last added or removed.
    public var updatedAt: Timestamp {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The number of users; `nil` if ``userIDs`` contains all, as in all but large channels.
    public var totalCount: Int? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Some of the users, in a large channel.
    public var sampledUserIDs: [UserID] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The users of ``sampledUserIDs``, with their properties.
    public var sampledUsers: [User] {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Reaction",
        [
            Field(1, "key", \Reaction.key),
            Field(2, "user_ids", \Reaction.userIDs),
            Field(3, "updated_at", \Reaction.updatedAt),
            Field(4, "count", \Reaction.totalCount),
            Field(5, "sampled_user_ids", \Reaction.sampledUserIDs),
            Field(6, "sampled_user_info_list", \Reaction.sampledUsers),
        ])
}

extension Reaction: SingularValue {}

extension Reaction {
    /// The maximum number of reactions to a message; events with further keys are ignored.
    package static let maximumCount = 200

    /// The key's bytes, because comparing Unicode texts with many marks takes quadratic time.
    package var keyBytes: [UInt8] { Array(key.utf8) }

    package func hasKey(_ key: String) -> Bool { self.key.utf8.elementsEqual(key.utf8) }
}
