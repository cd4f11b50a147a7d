/// The state of a thread: the replies to a message.
public struct ThreadInfo: Record {
    /// The binary form.
    public var fields = RecordFields<ThreadInfo>()

    /// Creates an empty record.
    public init() {}

    /// The number of replies.
    public var replyCount: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The users with the most replies, at most five.
    public var mostRepliedUsers: [User] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time of the last reply.
    public var lastRepliedAt: Timestamp? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The time of the last change of the thread.
    public var updatedAt: Timestamp {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
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

/// An update of a thread.
public struct ThreadInfoUpdateEvent: Record {
    /// The binary form.
    public var fields = RecordFields<ThreadInfoUpdateEvent>()

    /// Creates an empty record.
    public init() {}

    /// The ID of the message with the thread.
    public var parentMessageID: MessageID {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The channel's URL.
    public var channelURL: ChannelURL {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The channel's type.
    public var channelType: ChannelType {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The current state of the thread.
    public var threadInfo: ThreadInfo? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
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

/// A summary of a message, as it was at the time of a reply.
public struct ParentMessageInfo: Record {
    /// The binary form.
    public var fields = RecordFields<ParentMessageInfo>()

    /// Creates an empty record.
    public init() {}

    /// The kind of message.
    public var type: MessageType {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The time at which the server accepted the message.
    public var createdAt: Timestamp {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The text.
    public var text: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The author of the message.
    public var sender: Sender? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The application's own type.
    public var customType: String {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The files of the message.
    public var files: [FileInfo] {
        get { joinedFiles }
        set { joinedFiles = newValue }
    }

    /// The file of a message with one file.
    package var singleFile: FileInfo? {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The files of a message with several files.
    package var fileList: [FileInfo] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The message's ID; `nil` if unknown.
    public var messageID: MessageID? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "ParentMessageInfo",
        [
            Field(1, "type", \ParentMessageInfo.type),
            Field(2, "ts", \ParentMessageInfo.createdAt, aliases: ["created_at"]),
            Field(3, "message", \ParentMessageInfo.text),
            Field(4, "user", \ParentMessageInfo.sender, aliases: ["sender"]),
            Field(5, "custom_type", \ParentMessageInfo.customType),
            Field(6, "file", \ParentMessageInfo.singleFile),
            Field(7, "files", \ParentMessageInfo.fileList),
            Field(8, "message_id", \ParentMessageInfo.messageID, meaning: .zeroIsNone),
        ])
}

extension ParentMessageInfo: SingularValue {}

extension ParentMessageInfo: RecordWithFiles {}
