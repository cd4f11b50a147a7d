/// The number of users of a channel at a time.
public struct MemberCountUpdate: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<MemberCountUpdate>()

    /// Creates a record without any fields.
    public init() {}

    /// The URL of the channel.
    public var channelURL: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The time at which the server counted.
    public var updatedAt: Timestamp {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The number of members of a group channel.
    public var memberCount: Int? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The number of members who have joined.
    public var joinedMemberCount: Int? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The number of users who have entered an open channel.
    public var participantCount: Int? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "MemberCountUpdate",
        [
            Field(1, "channel_url", \MemberCountUpdate.channelURL),
            Field(2, "ts", \MemberCountUpdate.updatedAt),
            Field(3, "member_count", \MemberCountUpdate.memberCount),
            Field(4, "joined_member_count", \MemberCountUpdate.joinedMemberCount),
            Field(5, "participant_count", \MemberCountUpdate.participantCount),
        ])
}

extension MemberCountUpdate: SingularValue {}

/// The users affected by an event of a channel, and the user who caused it.
public struct EventPeople: Hashable, Sendable {
    /// The users who joined, left, or were invited, muted or banned.
    public let users: [User]

    /// The user who caused the event; `nil` if the server does not report it.
    public let actor: User?

    /// Creates the users of an event.
    public init(users: [User], actor: User? = nil) {
        self.users = users
        self.actor = actor
    }
}

/// The time up to which a user has read a channel.
public struct ReadReceipt: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<ReadReceipt>()

    /// Creates a record without any fields.
    public init() {}

    /// The URL of the channel.
    public var channelURL: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The user who has read the channel.
    public var user: User? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time up to which the user has read the channel.
    public var readAt: Timestamp {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "ReadReceipt",
        [
            Field(1, "channel_url", \ReadReceipt.channelURL),
            Field(2, "user", \ReadReceipt.user),
            Field(3, "ts", \ReadReceipt.readAt),
        ])
}

extension ReadReceipt: SingularValue {}

/// The numbers of unread messages, unread mentions and pending invitations of the current user in
/// all channels.
public struct UnreadItemCount: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<UnreadItemCount>()

    /// Creates a record without any fields.
    public init() {}

    /// The number of unread messages in group channels.
    public var groupChannelUnreadMessageCount: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The number of unread mentions in group channels.
    public var groupChannelUnreadMentionCount: Int {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The number of pending invitations to group channels.
    public var groupChannelInvitationCount: Int {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The number of unread messages in supergroups.
    public var superGroupChannelUnreadMessageCount: Int {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The number of unread mentions in supergroups.
    public var superGroupChannelUnreadMentionCount: Int {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The number of pending invitations to supergroups.
    public var superGroupChannelInvitationCount: Int {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The number of unread messages in group channels that are not supergroups.
    public var nonSuperGroupChannelUnreadMessageCount: Int {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The number of unread mentions in group channels that are not supergroups.
    public var nonSuperGroupChannelUnreadMentionCount: Int {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The number of pending invitations to group channels that are not supergroups.
    public var nonSuperGroupChannelInvitationCount: Int {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "UnreadItemCount",
        [
            Field(
                1, "group_channel_unread_message", \UnreadItemCount.groupChannelUnreadMessageCount),
            Field(
                2, "group_channel_unread_mention", \UnreadItemCount.groupChannelUnreadMentionCount),
            Field(3, "group_channel_invitation", \UnreadItemCount.groupChannelInvitationCount),
            Field(
                4, "super_group_channel_unread_message",
                \UnreadItemCount.superGroupChannelUnreadMessageCount),
            Field(
                5, "super_group_channel_unread_mention",
                \UnreadItemCount.superGroupChannelUnreadMentionCount),
            Field(
                6, "super_group_channel_invitation",
                \UnreadItemCount.superGroupChannelInvitationCount),
            Field(
                7, "non_super_group_channel_unread_message",
                \UnreadItemCount.nonSuperGroupChannelUnreadMessageCount),
            Field(
                8, "non_super_group_channel_unread_mention",
                \UnreadItemCount.nonSuperGroupChannelUnreadMentionCount),
            Field(
                9, "non_super_group_channel_invitation",
                \UnreadItemCount.nonSuperGroupChannelInvitationCount),
        ])
}

extension UnreadItemCount: SingularValue {}
