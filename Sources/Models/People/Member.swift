/// A member of a group channel.
public struct Member: Person {
    /// The binary form.
    public var fields = RecordFields<Member>()

    /// Creates an empty record.
    public init() {}

    /// The user's role in the channel.
    public var role: Role {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The user's membership.
    public var state: MemberState {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// A Boolean value that indicates whether the user is muted in this channel.
    public var isMuted: Bool {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The reason why the user was muted.
    public var mutedDescription: String? {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The time at which the mute ends; negative if never.
    public var mutedEndAt: Timestamp? {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// The time at which the user joined.
    public var joinedAt: Timestamp? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// The time up to which messages were delivered to the user.
    public var deliveredAt: Timestamp? {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// The time up to which the user has read the channel.
    public var readAt: Timestamp? {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Member",
        personFields + [
            Field(12, "role", \Member.role),
            // Number 13 was `is_blocked_by_me`. Do not use it again.
            Field(15, "state", \Member.state, aliases: ["member_state"]),
            Field(16, "is_muted", \Member.isMuted),
            Field(17, "muted_description", \Member.mutedDescription),
            Field(18, "muted_end_at", \Member.mutedEndAt),
            Field(19, "joined_ts", \Member.joinedAt, aliases: ["joined_at"]),
            Field(20, "delivered_ts", \Member.deliveredAt, aliases: ["delivered_at"]),
            Field(21, "read_ts", \Member.readAt, aliases: ["read_at"]),
        ])
}

extension Member: SingularValue {}
