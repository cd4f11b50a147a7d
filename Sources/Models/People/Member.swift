/// A user as a member of a group channel.
public struct Member: Person {
    /// The fields, in the binary form.
    public var fields = RecordFields<Member>()

    /// Creates a record without any field.
    public init() {}

    /// The user's role in the channel.
    public var role: Role {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// Whether the current user has blocked them.
    public var isBlockedByMe: Bool {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// Whether they have blocked the current user.
    public var isBlockingMe: Bool {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// Whether the user has joined or is invited.
    public var state: MemberState {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// Whether the user may not send messages here.
    public var isMuted: Bool {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// Why the user was muted.
    public var mutedDescription: String? {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// When the mute ends; negative for never.
    public var mutedEndAt: Timestamp? {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// When the user joined.
    public var joinedAt: Timestamp? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// Up to when messages were delivered to the user.
    public var deliveredAt: Timestamp? {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// Up to when the user has read.
    public var readAt: Timestamp? {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// Whether the user gets push notifications of the channel.
    public var isPushEnabled: Bool {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// Which messages of the channel are pushed.
    public var pushTriggerOption: GroupChannelPushTriggerOption {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// Whether the user asked not to be disturbed.
    public var doNotDisturb: Bool {
        get { self[24] }
        set { self[24] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "Member",
        personFields + [
            Field(12, "role", \Member.role),
            Field(13, "is_blocked_by_me", \Member.isBlockedByMe),
            Field(14, "is_blocking_me", \Member.isBlockingMe),
            Field(15, "state", \Member.state, aliases: ["member_state"]),
            Field(16, "is_muted", \Member.isMuted),
            Field(17, "muted_description", \Member.mutedDescription),
            Field(18, "muted_end_at", \Member.mutedEndAt),
            Field(19, "joined_ts", \Member.joinedAt, aliases: ["joined_at"]),
            Field(20, "delivered_ts", \Member.deliveredAt, aliases: ["delivered_at"]),
            Field(21, "read_ts", \Member.readAt, aliases: ["read_at"]),
            Field(22, "push_enabled", \Member.isPushEnabled, aliases: ["is_push_enabled"]),
            Field(23, "push_trigger_option", \Member.pushTriggerOption),
            Field(24, "do_not_disturb", \Member.doNotDisturb),
        ])
}

extension Member: SingularValue {}
