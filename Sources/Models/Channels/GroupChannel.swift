/// A channel that users are members of.
public struct GroupChannel: Channel {
    /// The binary form.
    public var fields = RecordFields<GroupChannel>()

    /// Creates an empty record.
    public init() {}

    /// A Boolean value that indicates whether any user may join.
    public var isPublic: Bool {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// A Boolean value that indicates whether the server creates only one channel for these
    /// members.
    public var isDistinct: Bool {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// A Boolean value that indicates whether the request that returned the channel created it.
    public var isCreated: Bool {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// The newest message, without silent ones that the server excludes, if any.
    public var lastMessage: Message? {
        get { self[36] }
        set { self[36] = newValue }
    }

    /// A Boolean value that indicates whether the current user is a member; `nil` if only
    /// ``myMemberState`` is reported.
    public var isMember: Bool? {
        get { self[55] }
        set { self[55] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "GroupChannel",
        channelFields + [
            Field(19, "is_public", \GroupChannel.isPublic),
            Field(20, "is_distinct", \GroupChannel.isDistinct),
            Field(25, "is_created", \GroupChannel.isCreated),
            Field(36, "last_message", \GroupChannel.lastMessage),
            Field(55, "is_member", \GroupChannel.isMember),
            // Numbers 16 to 18 and 23 were kinds of channels, and 56 was a numeric ID. Do not use
            // them again.
            Field(29, "members", \GroupChannel.members),
            Field(30, "member_count", \GroupChannel.memberCount),
            Field(31, "joined_member_count", \GroupChannel.joinedMemberCount),
            Field(32, "member_state", \GroupChannel.myMemberState),
            Field(33, "my_role", \GroupChannel.myRole),
            Field(27, "is_muted", \GroupChannel.isCurrentUserMuted, aliases: ["my_muted"]),
            Field(57, "restriction_info", \GroupChannel.myRestriction),
            Field(26, "hidden_state", \GroupChannel.hiddenState),
            Field(34, "unread_message_count", \GroupChannel.unreadMessageCount),
            Field(35, "unread_mention_count", \GroupChannel.unreadMentionCount),
            Field(46, "inviter", \GroupChannel.inviter),
            Field(47, "invited_at", \GroupChannel.invitedAt),
            Field(48, "joined_ts", \GroupChannel.joinedAt, aliases: ["joined_at"]),
            Field(37, "read_receipt", \GroupChannel.readReceipts),
            Field(38, "delivery_receipt", \GroupChannel.deliveryReceipts),
            Field(39, "user_last_read", \GroupChannel.myLastRead),
            Field(
                40, "ts_message_offset", \GroupChannel.messageOffset,
                aliases: ["message_offset_timestamp"]),
            Field(41, "message_purge_offset", \GroupChannel.messagePurgeOffset),
            Field(49, "pinned_message_ids", \GroupChannel.pinnedMessageIDs),
        ], rules: rules)
}

// MARK: Members

extension GroupChannel {
    /// The members, or some of them, if the server reports them.
    public var members: [Member] {
        get { self[29] }
        set { self[29] = newValue }
    }

    /// The number of members, including invited ones.
    public var memberCount: Int {
        get { self[30] }
        set { self[30] = newValue }
    }

    /// The number of members who have joined.
    public var joinedMemberCount: Int {
        get { self[31] }
        set { self[31] = newValue }
    }
}

// MARK: The current user

extension GroupChannel {
    /// The current user's membership.
    public var myMemberState: MemberState {
        get { self[32] }
        set { self[32] = newValue }
    }

    /// The current user's role in the channel.
    public var myRole: Role {
        get { self[33] }
        set { self[33] = newValue }
    }

    /// A Boolean value that indicates whether the current user is muted.
    public var isCurrentUserMuted: Bool {
        get { self[27] }
        set { self[27] = newValue }
    }

    /// The restriction of the current user, if any.
    public var myRestriction: RestrictionInfo? {
        get { self[57] }
        set { self[57] = newValue }
    }

    /// Whether, and for how long, the current user has hidden the channel.
    public var hiddenState: HiddenState {
        get { self[26] }
        set { self[26] = newValue }
    }

    /// The number of messages unread by the current user.
    public var unreadMessageCount: Int {
        get { self[34] }
        set { self[34] = newValue }
    }

    /// The number of unread messages that mention the current user.
    public var unreadMentionCount: Int {
        get { self[35] }
        set { self[35] = newValue }
    }

    /// The user who invited the current user.
    public var inviter: User? {
        get { self[46] }
        set { self[46] = newValue }
    }

    /// The time at which the current user was invited.
    public var invitedAt: Timestamp? {
        get { self[47] }
        set { self[47] = newValue }
    }

    /// The time at which the current user joined.
    public var joinedAt: Timestamp? {
        get { self[48] }
        set { self[48] = newValue }
    }
}

// MARK: Receipts

extension GroupChannel {
    /// The time up to which each member has read; of at most about 5,000 members.
    public var readReceipts: [UserID: Timestamp] {
        get { self[37] }
        set { self[37] = newValue }
    }

    /// The time up to which messages were delivered to each member.
    public var deliveryReceipts: [UserID: Timestamp] {
        get { self[38] }
        set { self[38] = newValue }
    }

    /// The time up to which the current user has read the channel.
    public var myLastRead: Timestamp? {
        get { self[39] }
        set { self[39] = newValue }
    }
}

// MARK: History

extension GroupChannel {
    /// The time from which the current user sees the history; `nil` unless the user has reset it.
    public var messageOffset: Timestamp? {
        get { self[40] }
        set { self[40] = newValue }
    }

    /// The time from which the server keeps the history; `nil` if it keeps all.
    public var messagePurgeOffset: Timestamp? {
        get { self[41] }
        set { self[41] = newValue }
    }

    /// The IDs of the pinned messages, in the server's order.
    public var pinnedMessageIDs: [MessageID] {
        get { self[49] }
        set { self[49] = newValue }
    }
}

extension GroupChannel: SingularValue {}
