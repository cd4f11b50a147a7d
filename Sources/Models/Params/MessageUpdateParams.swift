/// The parameters of an edit of any kind of message.
///
/// A property that is `nil` does not change; an empty value clears it.
public protocol MessageUpdateParams: Record {}

extension MessageUpdateParams {
    /// The new text; for a file message, the text in addition to the file.
    public var text: String? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The new custom data of the application.
    public var data: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The new custom type.
    public var customType: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The new kind of mention.
    public var mentionType: MentionType? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The IDs of mentioned users; ignored unless ``mentionType`` is `users`.
    public var mentionedUserIDs: [UserID] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The new text with placeholders for the names of mentioned users.
    public var mentionedMessageTemplate: String? {
        get { self[6] }
        set { self[6] = newValue }
    }

    static var updateFields: [Field] {
        [
            Field(1, "message", \Self.text),
            Field(2, "data", \Self.data),
            Field(3, "custom_type", \Self.customType),
            Field(4, "mention_type", \Self.mentionType),
            Field(5, "mentioned_user_ids", \Self.mentionedUserIDs),
            Field(6, "mentioned_message_template", \Self.mentionedMessageTemplate),
        ]
    }
}
