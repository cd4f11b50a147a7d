/// What a user may change in a message of any kind: absent is not empty.
public protocol MessageUpdateParams: Record {}

extension MessageUpdateParams {
    /// The new text; of a file message, that beside the file.
    public var text: String? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// What the application attaches from now on.
    public var data: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The new custom type.
    public var customType: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Whom it mentions from now on.
    public var mentionType: MentionType? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The users it mentions from now on, if ``mentionType`` says users.
    public var mentionedUserIDs: [UserID] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The new text with places for the mentioned users' names.
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
