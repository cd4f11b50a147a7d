/// What a user message is made from.
public struct UserMessageCreateParams: MessageCreateParams {
    /// The fields, in the binary form.
    public var fields = RecordFields<UserMessageCreateParams>()

    /// Creates a record without any field.
    public init() {}

    /// The text.
    public var text: String {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The languages it is to be translated to.
    public var translationTargetLanguages: [String] {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The poll it asks.
    public var pollID: Int64? {
        get { self[18] }
        set { self[18] = newValue }
    }

    /// What views of the server's own features are made of.
    public var extendedMessagePayload: JSONValue? {
        get { self[19] }
        set { self[19] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "UserMessageCreateParams",
        createFields + [
            Field(16, "message", \UserMessageCreateParams.text),
            Field(17, "target_langs", \UserMessageCreateParams.translationTargetLanguages),
            Field(18, "poll_id", \UserMessageCreateParams.pollID),
            Field(19, "extended_message_payload", \UserMessageCreateParams.extendedMessagePayload),
        ])
}

extension UserMessageCreateParams: SingularValue {}
