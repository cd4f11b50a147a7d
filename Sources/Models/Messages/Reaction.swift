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
    ///
    /// In a large channel, the server may report only some users.
    public var userIDs: [UserID] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time at which the reaction was last added or removed.
    public var updatedAt: Timestamp {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The number of users; `nil` if ``userIDs`` contains all.
    public var totalCount: Int? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Reaction",
        [
            Field(1, "key", \Reaction.key),
            Field(2, "user_ids", \Reaction.userIDs),
            Field(3, "updated_at", \Reaction.updatedAt),
            Field(4, "count", \Reaction.totalCount),
            // Numbers 5 and 6 were samples of the users. Do not use them again.
        ])
}

extension Reaction: SingularValue {}

extension Reaction {
    /// The maximum number of reactions to a message; events with further keys are ignored.
    package static let maximumCount = 200

    /// The maximum number of users in the lists of a message's reactions; further ones are counted.
    package static let maximumUserCount = 1_000

    /// The key's bytes, because comparing Unicode texts with many marks takes quadratic time.
    package var keyBytes: [UInt8] { Array(key.utf8) }

    package func hasKey(_ key: String) -> Bool { self.key.utf8.elementsEqual(key.utf8) }
}
