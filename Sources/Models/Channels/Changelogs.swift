/// The changes of a channel's messages since a token or a time.
public struct MessageChangelog: Record {
    /// The binary form.
    public var fields = RecordFields<MessageChangelog>()

    /// Creates an empty record.
    public init() {}

    /// The messages that were edited, in their current version.
    public var updated: [Message] {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The messages that were deleted.
    public var deleted: [DeletedMessage] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// A Boolean value that indicates whether ``next`` leads to more changes.
    public var hasMore: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The token of the next page.
    public var next: String? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "MessageChangelog",
        [
            Field(1, "updated", \MessageChangelog.updated),
            Field(2, "deleted", \MessageChangelog.deleted),
            Field(3, "has_more", \MessageChangelog.hasMore),
            Field(4, "next", \MessageChangelog.next),
        ])
}

extension MessageChangelog: SingularValue {}

/// A deleted message.
public struct DeletedMessage: Record {
    /// The binary form.
    public var fields = RecordFields<DeletedMessage>()

    /// Creates an empty record.
    public init() {}

    /// The message's ID.
    public var messageID: MessageID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The time at which the message was deleted.
    public var deletedAt: Timestamp? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time of what was deleted, if that may have been an edit of another message, whose ID the
    /// server does not know any more.
    public var createdAt: Timestamp? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "DeletedMessage",
        [
            Field(1, "message_id", \DeletedMessage.messageID),
            Field(2, "deleted_at", \DeletedMessage.deletedAt),
            Field(3, "created_at", \DeletedMessage.createdAt),
        ])
}

extension DeletedMessage: SingularValue {}

/// The changes of the current user's group channels since a token or a time.
public struct GroupChannelChangelog: Record {
    /// The binary form.
    public var fields = RecordFields<GroupChannelChangelog>()

    /// Creates an empty record.
    public init() {}

    /// The channels that have changed.
    public var updated: [GroupChannel] {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The URLs of deleted channels and of those that the user has left.
    public var deletedURLs: [ChannelURL] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// A Boolean value that indicates whether ``next`` leads to more changes.
    public var hasMore: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The token of the next page.
    public var next: String? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "GroupChannelChangelog",
        [
            Field(1, "updated", \GroupChannelChangelog.updated),
            Field(2, "deleted", \GroupChannelChangelog.deletedURLs),
            Field(3, "has_more", \GroupChannelChangelog.hasMore),
            Field(4, "next", \GroupChannelChangelog.next),
        ])
}

extension GroupChannelChangelog: SingularValue {}
