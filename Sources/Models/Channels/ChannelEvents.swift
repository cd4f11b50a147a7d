/// The users affected by an event of a channel, its cause, and the reason.
public struct EventPeople: Hashable, Sendable {
    /// The users who joined, left, or were invited, muted or banned.
    public let users: [User]

    /// The user who caused the event; `nil` if unknown.
    public let actor: User?

    /// The actor's reason, if any.
    public let reason: String?

    /// Creates a value.
    public init(users: [User], actor: User? = nil, reason: String? = nil) {
        self.users = users
        self.actor = actor
        self.reason = reason
    }
}

/// The current user's unread messages, unread mentions and pending invitations in all channels.
public struct UnreadItemCount: Record {
    /// The binary form.
    public var fields = RecordFields<UnreadItemCount>()

    /// Creates an empty record.
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

    /// The schema.
    public static let schema = Schema(
        "UnreadItemCount",
        [
            Field(
                1, "group_channel_unread_message", \UnreadItemCount.groupChannelUnreadMessageCount),
            Field(
                2, "group_channel_unread_mention", \UnreadItemCount.groupChannelUnreadMentionCount),
            Field(3, "group_channel_invitation", \UnreadItemCount.groupChannelInvitationCount),
        ])
}

extension UnreadItemCount: SingularValue {}
