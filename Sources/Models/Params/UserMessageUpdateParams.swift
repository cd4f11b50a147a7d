/// What changes in a user message: absent is not empty.
public struct UserMessageUpdateParams: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<UserMessageUpdateParams>()

    /// Creates a record without any field.
    public init() {}

    /// The new text.
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

    /// The poll it asks from now on.
    public var pollID: Int64? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "UserMessageUpdateParams",
        [
            Field(1, "message", \UserMessageUpdateParams.text),
            Field(2, "data", \UserMessageUpdateParams.data),
            Field(3, "custom_type", \UserMessageUpdateParams.customType),
            Field(4, "mention_type", \UserMessageUpdateParams.mentionType),
            Field(5, "mentioned_user_ids", \UserMessageUpdateParams.mentionedUserIDs),
            Field(
                6, "mentioned_message_template", \UserMessageUpdateParams.mentionedMessageTemplate),
            Field(7, "poll_id", \UserMessageUpdateParams.pollID),
        ])
}

extension UserMessageUpdateParams: SingularValue {}
