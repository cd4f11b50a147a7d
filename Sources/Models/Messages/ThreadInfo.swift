/// The replies to a message.
public struct ThreadInfo: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ThreadInfo>()

    /// Creates a record without any field.
    public init() {}

    /// How many there are.
    public var replyCount: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Those who replied most, at most five.
    public var mostRepliedUsers: [User] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// When the last one was written.
    public var lastRepliedAt: Timestamp? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// When the thread last changed.
    public var updatedAt: Timestamp {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ThreadInfo",
        [
            Field(1, "reply_count", \ThreadInfo.replyCount),
            Field(2, "most_replies", \ThreadInfo.mostRepliedUsers),
            Field(3, "last_replied_at", \ThreadInfo.lastRepliedAt),
            Field(4, "updated_at", \ThreadInfo.updatedAt),
        ])
}

extension ThreadInfo: SingularValue {}

/// What became of a thread, told when a reply comes or goes.
public struct ThreadInfoUpdateEvent: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ThreadInfoUpdateEvent>()

    /// Creates a record without any field.
    public init() {}

    /// The message that is replied to.
    public var parentMessageID: MessageID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Its channel.
    public var channelURL: ChannelURL {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The kind of that channel.
    public var channelType: ChannelType {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The thread as it is now.
    public var threadInfo: ThreadInfo? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ThreadInfoUpdateEvent",
        [
            Field(
                1, "parent_message_id", \ThreadInfoUpdateEvent.parentMessageID,
                aliases: ["target_message_id", "message_id"]),
            Field(2, "channel_url", \ThreadInfoUpdateEvent.channelURL),
            Field(3, "channel_type", \ThreadInfoUpdateEvent.channelType),
            Field(4, "thread_info", \ThreadInfoUpdateEvent.threadInfo),
        ])
}

extension ThreadInfoUpdateEvent: SingularValue {}

/// What a message said when another one answered it.
public struct ParentMessageInfo: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ParentMessageInfo>()

    /// Creates a record without any field.
    public init() {}

    /// What kind of message it is.
    public var type: MessageType {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// When the server accepted it.
    public var createdAt: Timestamp {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The text.
    public var text: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Who wrote it.
    public var sender: Sender? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// What the application sorts its messages by.
    public var customType: String {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The file it carries.
    public var file: FileInfo? {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The files it carries, if there are several.
    public var files: [FileInfo] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Its id, where it is told.
    public var messageID: MessageID? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ParentMessageInfo",
        [
            Field(1, "type", \ParentMessageInfo.type),
            Field(2, "ts", \ParentMessageInfo.createdAt, aliases: ["created_at"]),
            Field(3, "message", \ParentMessageInfo.text),
            Field(4, "user", \ParentMessageInfo.sender, aliases: ["sender"]),
            Field(5, "custom_type", \ParentMessageInfo.customType),
            Field(6, "file", \ParentMessageInfo.file),
            Field(7, "files", \ParentMessageInfo.files),
            Field(8, "message_id", \ParentMessageInfo.messageID, meaning: .zeroIsNone),
        ])
}

extension ParentMessageInfo: SingularValue {}
