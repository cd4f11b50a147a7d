/// A message to send: a text, files, or both.
///
/// ```swift
/// var message = NewMessage("Hello")
/// message.customType = "greeting"
/// ```
///
/// The application's own keys in ``/Models/Record/extra`` are sent, too.
public struct NewMessage: Record {
    /// The binary form.
    public var fields = RecordFields<NewMessage>()

    /// Creates an empty record.
    public init() {}

    /// Creates a text message.
    public init(_ text: String) {
        self.init()
        self.text = text
    }

    /// Creates a message with files, and an optional text.
    public init(_ text: String = "", files: [UploadableFile]) {
        self.init(text)
        self.files = files
    }

    /// The text; may be empty if the message has files.
    public var text: String {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The files, in the order of their display.
    ///
    /// A message with files is a file message.
    public var files: [UploadableFile] {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// Custom data of the application, in any format.
    public var data: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The application's own type; empty if there is none.
    public var customType: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The kind of mention.
    public var mentionType: MentionType {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The IDs of the mentioned users.
    public var mentionedUserIDs: [UserID] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The text with placeholders for the names of mentioned users.
    public var mentionedMessageTemplate: String? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Custom lists of the application, in its order.
    public var metaArrays: [MetaArray] {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// Whether other users get a push notification.
    public var pushNotificationDeliveryOption: PushNotificationDeliveryOption {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The ID of the message that this one replies to, if any.
    public var parentMessageID: MessageID? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// A Boolean value that indicates whether a reply is also shown in the channel.
    public var isReplyToChannel: Bool {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// A Boolean value that indicates whether the message is pinned in the channel.
    public var isPinned: Bool {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// The languages into which the server translates the text.
    public var translationTargetLanguages: [String] {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The ID of the message's poll.
    public var pollID: Int64? {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "NewMessage",
        [
            Field(1, "data", \NewMessage.data),
            Field(2, "custom_type", \NewMessage.customType),
            Field(3, "mention_type", \NewMessage.mentionType),
            Field(4, "mentioned_user_ids", \NewMessage.mentionedUserIDs),
            Field(5, "mentioned_message_template", \NewMessage.mentionedMessageTemplate),
            Field(6, "sorted_metaarray", \NewMessage.metaArrays),
            Field(7, "push_option", \NewMessage.pushNotificationDeliveryOption),
            Field(8, "parent_message_id", \NewMessage.parentMessageID),
            Field(
                9, "reply_to_channel", \NewMessage.isReplyToChannel,
                aliases: ["is_reply_to_channel"]),
            Field(11, "is_pinned_message", \NewMessage.isPinned),
            Field(16, "message", \NewMessage.text),
            Field(17, "target_langs", \NewMessage.translationTargetLanguages),
            Field(18, "poll_id", \NewMessage.pollID),
            Field(19, "files", \NewMessage.files),
        ])
}

extension NewMessage: SingularValue {}

/// Whether other users get a push notification of a message.
public struct PushNotificationDeliveryOption: OpenEnumeration {
    /// The number.
    public let rawValue: Int

    /// Creates a value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Each user's own setting applies.
    public static let `default` = Self(rawValue: 0)
    /// No user gets a push notification.
    public static let suppress = Self(rawValue: 1)
}

extension PushNotificationDeliveryOption: OpenWireEnum {
    static var names: [String] { ["default", "suppress"] }
}
