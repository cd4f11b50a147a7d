/// The messages that a changelog reports, and the data that they include.
public struct MessageChangelogParams: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<MessageChangelogParams>()

    /// Creates a record without any fields.
    public init() {}

    /// The replies to report.
    public var replyType: ReplyType {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// A Boolean value that indicates whether messages include their meta arrays.
    public var includesMetaArrays: Bool {
        get { self[10, default: true] }
        set { self[10, default: true] = newValue }
    }

    /// A Boolean value that indicates whether messages include their reactions.
    public var includesReactions: Bool {
        get { self[11, default: true] }
        set { self[11, default: true] = newValue }
    }

    /// A Boolean value that indicates whether messages include information about their replies.
    public var includesThreadInfo: Bool {
        get { self[12, default: true] }
        set { self[12, default: true] = newValue }
    }

    /// A Boolean value that indicates whether replies include a summary of their parent message.
    public var includesParentMessageInfo: Bool {
        get { self[13, default: true] }
        set { self[13, default: true] = newValue }
    }

    /// The fields of this type.
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
