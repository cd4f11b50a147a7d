/// The parameters of a changelog of messages.
public struct MessageChangelogParams: Record {
    /// The binary form.
    public var fields = RecordFields<MessageChangelogParams>()

    /// Creates an empty record.
    public init() {}

    /// The replies to report.
    public var replyType: ReplyType {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "MessageChangelogParams",
        [
            Field(8, "reply_type", \MessageChangelogParams.replyType)
        ])
}

extension MessageChangelogParams: SingularValue {}
