/// A channel that one is a member of.
public struct GroupChannel: Channel {
    /// The fields, in the binary form.
    public var fields = RecordFields<GroupChannel>()

    /// Creates a record without any field.
    public init() {}

    /// Whether it is a supergroup: for many members, without receipts for each.
    public var isSuper: Bool {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// Whether only operators write.
    public var isBroadcast: Bool {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// Whether it is an exclusive supergroup.
    public var isExclusive: Bool {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// Whether anybody may join.
    public var isPublic: Bool {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// Whether the same members always share this one channel.
    public var isDistinct: Bool {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// Whether it is found by those who are not members.
    public var isDiscoverable: Bool {
        get { self[21] }
        set { self[21] = newValue }
    }

    /// Whether joining takes an access code.
    public var isAccessCodeRequired: Bool {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// Whether it carries notifications rather than a conversation.
    public var isChatNotification: Bool {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// Whether it is a conversation with an agent.
    public var isConversation: Bool {
        get { self[24] }
        set { self[24] = newValue }
    }

    /// Whether the call that gave it has created it, rather than found it.
    public var isCreated: Bool {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// The newest message that counts as one; `nil` in an empty channel.
    public var lastMessage: Message? {
        get { self[36] }
        set { self[36] = newValue }
    }

    /// Whether the current user is a member, where it is told apart from ``myMemberState``.
    public var isMember: Bool? {
        get { self[55] }
        set { self[55] = newValue }
    }

    /// The server's number for it, where it is told.
    public var id: Int64? {
        get { self[56] }
        set { self[56] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "GroupChannel",
        channelFields + [
            Field(16, "is_super", \GroupChannel.isSuper),
            Field(17, "is_broadcast", \GroupChannel.isBroadcast),
            Field(18, "is_exclusive", \GroupChannel.isExclusive),
            Field(19, "is_public", \GroupChannel.isPublic),
            Field(20, "is_distinct", \GroupChannel.isDistinct),
            Field(21, "is_discoverable", \GroupChannel.isDiscoverable),
            Field(22, "is_access_code_required", \GroupChannel.isAccessCodeRequired),
            Field(23, "is_chat_notification", \GroupChannel.isChatNotification),
            Field(24, "is_conversation", \GroupChannel.isConversation),
            Field(25, "is_created", \GroupChannel.isCreated),
            Field(36, "last_message", \GroupChannel.lastMessage),
            Field(55, "is_member", \GroupChannel.isMember),
            Field(56, "id", \GroupChannel.id),
            Field(29, "members", \GroupChannel.members),
            Field(30, "member_count", \GroupChannel.memberCount),
            Field(31, "joined_member_count", \GroupChannel.joinedMemberCount),
            Field(53, "ignore_profanity_filter", \GroupChannel.ignoresProfanityFilter),
            Field(51, "has_bot", \GroupChannel.hasBot),
            Field(52, "has_ai_bot", \GroupChannel.hasAIBot),
            Field(32, "member_state", \GroupChannel.myMemberState),
            Field(33, "my_role", \GroupChannel.myRole),
            Field(27, "is_muted", \GroupChannel.isMuted, aliases: ["my_muted"]),
            Field(57, "restriction_info", \GroupChannel.myRestriction),
            Field(26, "hidden_state", \GroupChannel.hiddenState),
            Field(28, "is_push_enabled", \GroupChannel.isPushEnabled, default: true),
            Field(44, "push_trigger_option", \GroupChannel.myPushTriggerOption),
            Field(45, "count_preference", \GroupChannel.myCountPreference),
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
            Field(
                42, "message_survival_seconds", \GroupChannel.messageSurvivalSeconds,
                meaning: .negativeIsNone),
            Field(43, "disappearing_message", \GroupChannel.disappearingMessage),
            Field(49, "pinned_message_ids", \GroupChannel.pinnedMessageIDs),
            Field(
                50, "latest_pinned_message", \GroupChannel.latestPinnedMessage,
                aliases: ["last_pinned_message"]),
            Field(54, "sms_fallback", \GroupChannel.smsFallback),
        ], rules: rules)
}

// MARK: Members

extension GroupChannel {
    /// Its members, where they are told; of a supergroup only some.
    public var members: [Member] {
        get { self[29] }
        set { self[29] = newValue }
    }

    /// How many members it has, invited ones included.
    public var memberCount: Int {
        get { self[30] }
        set { self[30] = newValue }
    }

    /// How many of them have joined.
    public var joinedMemberCount: Int {
        get { self[31] }
        set { self[31] = newValue }
    }

    /// Whether its texts are let past the profanity filter.
    public var ignoresProfanityFilter: Bool {
        get { self[53] }
        set { self[53] = newValue }
    }

    /// Whether a bot is among its members.
    public var hasBot: Bool {
        get { self[51] }
        set { self[51] = newValue }
    }

    /// Whether a bot that uses a language model is among its members.
    public var hasAIBot: Bool {
        get { self[52] }
        set { self[52] = newValue }
    }
}

// MARK: The current user in it

extension GroupChannel {
    /// Whether the current user has joined or is invited.
    public var myMemberState: MemberState {
        get { self[32] }
        set { self[32] = newValue }
    }

    /// What the current user may do.
    public var myRole: Role {
        get { self[33] }
        set { self[33] = newValue }
    }

    /// Whether the current user may not send messages.
    public var isMuted: Bool {
        get { self[27] }
        set { self[27] = newValue }
    }

    /// How the current user is restricted; `nil` if they are not.
    public var myRestriction: RestrictionInfo? {
        get { self[57] }
        set { self[57] = newValue }
    }

    /// Whether the current user has hidden it.
    public var hiddenState: HiddenState {
        get { self[26] }
        set { self[26] = newValue }
    }

    /// Whether the current user gets push notifications of it.
    public var isPushEnabled: Bool {
        get { self[28, default: true] }
        set { self[28, default: true] = newValue }
    }

    /// Which of its messages are pushed to the current user.
    public var myPushTriggerOption: GroupChannelPushTriggerOption {
        get { self[44] }
        set { self[44] = newValue }
    }

    /// What is counted for the current user.
    public var myCountPreference: CountPreference {
        get { self[45] }
        set { self[45] = newValue }
    }

    /// How many messages the current user has not read.
    public var unreadMessageCount: Int {
        get { self[34] }
        set { self[34] = newValue }
    }

    /// How many of them mention the current user.
    public var unreadMentionCount: Int {
        get { self[35] }
        set { self[35] = newValue }
    }

    /// Who invited the current user.
    public var inviter: User? {
        get { self[46] }
        set { self[46] = newValue }
    }

    /// When the current user was invited.
    public var invitedAt: Timestamp? {
        get { self[47] }
        set { self[47] = newValue }
    }

    /// When the current user joined.
    public var joinedAt: Timestamp? {
        get { self[48] }
        set { self[48] = newValue }
    }
}

// MARK: Receipts

extension GroupChannel {
    /// Up to when each member has read.
    public var readReceipts: [UserID: Timestamp] {
        get { self[37] }
        set { self[37] = newValue }
    }

    /// Up to when messages were delivered to each member.
    public var deliveryReceipts: [UserID: Timestamp] {
        get { self[38] }
        set { self[38] = newValue }
    }

    /// Up to when the current user has read.
    public var myLastRead: Timestamp? {
        get { self[39] }
        set { self[39] = newValue }
    }
}

// MARK: History

extension GroupChannel {
    /// Before when the current user has no history: it was reset.
    public var messageOffset: Timestamp? {
        get { self[40] }
        set { self[40] = newValue }
    }

    /// Before when the server has forgotten the history.
    public var messagePurgeOffset: Timestamp? {
        get { self[41] }
        set { self[41] = newValue }
    }

    /// After how many seconds its messages disappear; `nil` for never.
    public var messageSurvivalSeconds: Int? {
        get { self[42] }
        set { self[42] = newValue }
    }

    /// When its messages disappear; `nil` if they stay.
    public var disappearingMessage: DisappearingMessage? {
        get { self[43] }
        set { self[43] = newValue }
    }

    /// The pinned messages, in the order of the server.
    public var pinnedMessageIDs: [MessageID] {
        get { self[49] }
        set { self[49] = newValue }
    }

    /// The message that was pinned last.
    public var latestPinnedMessage: Message? {
        get { self[50] }
        set { self[50] = newValue }
    }

    /// When unread messages are sent as SMS; `nil` if they are not.
    public var smsFallback: SMSFallback? {
        get { self[54] }
        set { self[54] = newValue }
    }
}

extension GroupChannel: SingularValue {}
