/// What changes in a file message: absent is not empty.
public struct FileMessageUpdateParams: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<FileMessageUpdateParams>()

    /// Creates a record without any field.
    public init() {}

    /// The new text beside the file.
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

    /// The fields of the type.
    public static let schema = Schema(
        "FileMessageUpdateParams",
        [
            Field(1, "message", \FileMessageUpdateParams.text),
            Field(2, "data", \FileMessageUpdateParams.data),
            Field(3, "custom_type", \FileMessageUpdateParams.customType),
            Field(4, "mention_type", \FileMessageUpdateParams.mentionType),
            Field(5, "mentioned_user_ids", \FileMessageUpdateParams.mentionedUserIDs),
            Field(
                6, "mentioned_message_template", \FileMessageUpdateParams.mentionedMessageTemplate),
        ])
}

extension FileMessageUpdateParams: SingularValue {}
