/// A message of a channel: a text or files of a user, or an administrative message.
///
/// An unsent message has a ``requestID`` and no ``messageID``. Only a file message has a ``file``,
/// and an admin message has no ``sender``.
public struct Message: Record {
    /// The binary form.
    public var fields = RecordFields<Message>()

    /// The ID of the message's row, if the list has given it another one.
    ///
    /// It is not part of the binary form or of comparisons.
    package var rowID: MessageReference?

    /// Creates an empty record.
    public init() {}

    /// The kind of message.
    public var type: MessageType {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The ID that the server assigned; `nil` until the message is sent.
    public var messageID: MessageID? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time at which the server accepted the message or, until then, at which the user wrote
    /// it.
    public var createdAt: Timestamp {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The time of the last edit, if any.
    public var updatedAt: Timestamp? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The progress of sending from this device.
    public var sendingStatus: MessageSendingStatus {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The author of the message; `nil` in an admin message.
    public var sender: Sender? {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The text; may be empty in a file message.
    public var text: String {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The channel's URL.
    public var channelURL: ChannelURL {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The ID that the sender's device assigned; `nil` in messages of other users.
    public var requestID: RequestID? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// Custom data of the application, in any format.
    public var data: String {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// The application's own type; empty if there is none.
    public var customType: String {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// The reason why sending failed, if it did.
    public var errorCode: ErrorCode? {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The ID of the message that this one replies to, if any.
    public var parentMessageID: MessageID? {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// The file of a message with one file.
    package var singleFile: FileInfo? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// All known reactions, including removed ones.
    ///
    /// Removed ones keep their ``Reaction/updatedAt``, so that an older event cannot restore them.
    /// To display reactions, use ``reactions``.
    public var reactionHistory: [Reaction] {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// The channel's type.
    public var channelType: ChannelType {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Message",
        [
            Field(1, "type", \Message.type, aliases: ["message_type"]),
            Field(2, "message_id", \Message.messageID, aliases: ["msg_id"], meaning: .zeroIsNone),
            Field(3, "created_at", \Message.createdAt, aliases: ["ts"]),
            Field(4, "updated_at", \Message.updatedAt),
            Field(5, "sending_status", \Message.sendingStatus),
            Field(6, "user", \Message.sender, aliases: ["sender"]),
            Field(7, "message", \Message.text),
            Field(8, "channel_url", \Message.channelURL),
            Field(9, "request_id", \Message.requestID, aliases: ["req_id"]),
            Field(10, "data", \Message.data, aliases: ["custom"]),
            Field(11, "custom_type", \Message.customType),
            Field(12, "error_code", \Message.errorCode),
            Field(13, "parent_message_id", \Message.parentMessageID, meaning: .zeroIsNone),
            Field(14, "file", \Message.singleFile),
            Field(15, "reactions", \Message.reactionHistory),
            Field(16, "files", \Message.fileList),
            Field(17, "channel_type", \Message.channelType),
            Field(18, "mention_type", \Message.mentionType),
            Field(19, "mentioned_users", \Message.mentionedUsers),
            Field(20, "mentioned_user_ids", \Message.mentionedUserIDs),
            Field(21, "mentioned_message_template", \Message.mentionedMessageTemplate),
            Field(22, "sorted_metaarray", \Message.metaArrays),
            Field(23, "parent_message_info", \Message.parentMessageInfo),
            Field(25, "thread_info", \Message.threadInfo),
            Field(
                26, "is_reply_to_channel", \Message.isReplyToChannel, aliases: ["reply_to_channel"]),
            Field(27, "silent", \Message.isSilent),
            Field(28, "is_op_msg", \Message.isOperatorMessage),
            Field(34, "force_update_last_message", \Message.forcesLastMessage),
            Field(37, "message_events", \Message.events),
            Field(38, "og_tag", \Message.linkPreview),
            Field(49, "translations", \Message.translations),
            Field(
                50, "translation_target_languages", \Message.translationTargetLanguages,
                aliases: ["target_langs"]),
            Field(52, "poll", \Message.poll),
            Field(53, "new_message", \Message.newMessage),
            // Numbers 29 and 46 were a mark of deleted messages and unread counts; 54 and 55 were
            // parameters of messages with files. Do not use them again.
        ], rules: rules)
}

// MARK: Files

/// A record with files, which servers write to one field if it has one, and to another if it has
/// several.
protocol RecordWithFiles {
    var singleFile: FileInfo? { get set }
    var fileList: [FileInfo] { get set }
}

extension RecordWithFiles {
    var joinedFiles: [FileInfo] {
        get { fileList.isEmpty ? [singleFile].compactMap { $0 } : fileList }
        set {
            singleFile = newValue.count == 1 ? newValue[0] : nil
            fileList = newValue.count == 1 ? [] : newValue
        }
    }
}

extension Message: RecordWithFiles {
    /// The files of the message.
    ///
    /// In JSON, one file is the value of `file`, and several files are the array `files`.
    public var files: [FileInfo] {
        get { joinedFiles }
        set { joinedFiles = newValue }
    }

    /// The first file of the message; if set, it replaces all files.
    public var file: FileInfo? {
        get { files.first }
        set { files = [newValue].compactMap { $0 } }
    }

    /// The files of a message with several files.
    package var fileList: [FileInfo] {
        get { self[16] }
        set { self[16] = newValue }
    }
}

// MARK: Mentions

extension Message {
    /// The kind of mention.
    public var mentionType: MentionType {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// The mentioned users, if the server reports them.
    public var mentionedUsers: [User] {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// The IDs of the mentioned users.
    public var mentionedUserIDs: [UserID] {
        get { self[20] }
        set { self[20] = newValue }
    }

    /// The text with placeholders for the names of mentioned users.
    public var mentionedMessageTemplate: String? {
        get { self[21] }
        set { self[21] = newValue }
    }
}

// MARK: Threads

extension Message {
    /// A summary of the parent message, as it was at the time of this reply.
    public var parentMessageInfo: ParentMessageInfo? {
        get { self[23] }
        set { self[23] = newValue }
    }

    /// The state of the message's thread; `nil` if no replies are known.
    public var threadInfo: ThreadInfo? {
        get { self[25] }
        set { self[25] = newValue }
    }

    /// A Boolean value that indicates whether a reply is also shown in the channel.
    public var isReplyToChannel: Bool {
        get { self[26] }
        set { self[26] = newValue }
    }
}

// MARK: Flags

extension Message {
    /// A Boolean value that indicates whether the message was sent without a notification.
    public var isSilent: Bool {
        get { self[27] }
        set { self[27] = newValue }
    }

    /// A Boolean value that indicates whether an operator or an administrator sent the message.
    public var isOperatorMessage: Bool {
        get { self[28] }
        set { self[28] = newValue }
    }

    /// A Boolean value that indicates whether the message becomes the channel's last one even if it
    /// is silent.
    package var forcesLastMessage: Bool {
        get { self[34] }
        set { self[34] = newValue }
    }

    /// The effect of the message on push notifications and counts; `nil` for the defaults.
    package var events: MessageEvents? {
        get { self[37] }
        set { self[37] = newValue }
    }
}

// MARK: Attachments

extension Message {
    /// Custom lists of the application, in its order.
    public var metaArrays: [MetaArray] {
        get { self[22] }
        set { self[22] = newValue }
    }

    /// The preview of the first link in the text.
    public var linkPreview: LinkPreview? {
        get { self[38] }
        set { self[38] = newValue }
    }

    /// The translations of the text, by language code.
    public var translations: [String: String] {
        get { self[49] }
        set { self[49] = newValue }
    }

    /// The languages into which the server translates the text.
    public var translationTargetLanguages: [String] {
        get { self[50] }
        set { self[50] = newValue }
    }

    /// The poll of the message.
    public var poll: Poll? {
        get { self[52] }
        set { self[52] = newValue }
    }
}

// MARK: Sending

extension Message {
    /// The message as the user wrote it, until it is sent; otherwise `nil`.
    public var newMessage: NewMessage? {
        get { self[53] }
        set { self[53] = newValue }
    }
}

extension Message: SingularValue {}
