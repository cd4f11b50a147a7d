/// The parameters of a new user message.
public struct UserMessageCreateParams: MessageCreateParams {
    /// The fields in their binary form.
    public var fields = RecordFields<UserMessageCreateParams>()

    /// Creates a record without any fields.
    public init() {}

    /// The text.
    public var text: String {
        get { self[16] }
        set { self[16] = newValue }
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

    /// The fields of this type.
    public static let schema = Schema(
        "UserMessageCreateParams",
        createFields + [
            Field(16, "message", \UserMessageCreateParams.text),
            Field(17, "target_langs", \UserMessageCreateParams.translationTargetLanguages),
            Field(18, "poll_id", \UserMessageCreateParams.pollID),
        ])
}

extension UserMessageCreateParams: SingularValue {}
