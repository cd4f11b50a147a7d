/// Which messages a changelog tells of, and what they come with.
public struct MessageChangelogParams: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<MessageChangelogParams>()

    /// Creates a record without any field.
    public init() {}

    /// Whether replies are told of.
    public var replyType: ReplyType {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Whether messages come with their meta arrays.
    public var includesMetaArrays: Bool {
        get { self[10, default: true] }
        set { self[10, default: true] = newValue }
    }

    /// Whether messages come with their reactions.
    public var includesReactions: Bool {
        get { self[11, default: true] }
        set { self[11, default: true] = newValue }
    }

    /// Whether messages come with what is known of their replies.
    public var includesThreadInfo: Bool {
        get { self[12, default: true] }
        set { self[12, default: true] = newValue }
    }

    /// Whether replies come with what they answer.
    public var includesParentMessageInfo: Bool {
        get { self[13, default: true] }
        set { self[13, default: true] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "MessageChangelogParams",
        [
            Field(8, "reply_type", \MessageChangelogParams.replyType),
            Field(
                10, "include_meta_array", \MessageChangelogParams.includesMetaArrays, default: true),
            Field(
                11, "include_reactions", \MessageChangelogParams.includesReactions, default: true),
            Field(
                12, "include_thread_info", \MessageChangelogParams.includesThreadInfo, default: true
            ),
            Field(
                13, "include_parent_message_info",
                \MessageChangelogParams.includesParentMessageInfo, default: true),
        ])
}

extension MessageChangelogParams: SingularValue {}
