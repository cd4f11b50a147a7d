/// How many users a channel has now.
public struct MemberCountUpdate: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<MemberCountUpdate>()

    /// Creates a record without any field.
    public init() {}

    /// The channel.
    public var channelURL: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// When they were counted.
    public var updatedAt: Timestamp {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// How many members a group channel has.
    public var memberCount: Int? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// How many of them have joined.
    public var joinedMemberCount: Int? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// How many users have entered an open channel.
    public var participantCount: Int? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The fields of the type.
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

/// Whom something happened to in a channel, and who did it.
public struct EventPeople: Hashable, Sendable {
    /// Who joined, left, was invited, muted, banned.
    public let users: [User]

    /// Who did it; `nil` where that is not told.
    public let actor: User?

    /// Creates what an event says of people.
    public init(users: [User], actor: User? = nil) {
        self.users = users
        self.actor = actor
    }
}

/// Up to when a user has read a channel.
public struct ReadReceipt: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ReadReceipt>()

    /// Creates a record without any field.
    public init() {}

    /// The channel.
    public var channelURL: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Who has read.
    public var user: User? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Up to when.
    public var readAt: Timestamp {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ReadReceipt",
        [
            Field(1, "channel_url", \ReadReceipt.channelURL),
            Field(2, "user", \ReadReceipt.user),
            Field(3, "ts", \ReadReceipt.readAt),
        ])
}

extension ReadReceipt: SingularValue {}

/// How much the current user has not seen, over all channels.
public struct UnreadItemCount: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<UnreadItemCount>()

    /// Creates a record without any field.
    public init() {}

    /// Unread messages of group channels.
    public var groupChannelUnreadMessageCount: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Mentions in group channels.
    public var groupChannelUnreadMentionCount: Int {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Invitations to group channels.
    public var groupChannelInvitationCount: Int {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Unread messages of supergroups.
    public var superGroupChannelUnreadMessageCount: Int {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Mentions in supergroups.
    public var superGroupChannelUnreadMentionCount: Int {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Invitations to supergroups.
    public var superGroupChannelInvitationCount: Int {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Unread messages of group channels that are no supergroups.
    public var nonSuperGroupChannelUnreadMessageCount: Int {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Mentions in group channels that are no supergroups.
    public var nonSuperGroupChannelUnreadMentionCount: Int {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Invitations to group channels that are no supergroups.
    public var nonSuperGroupChannelInvitationCount: Int {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The fields of the type.
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
