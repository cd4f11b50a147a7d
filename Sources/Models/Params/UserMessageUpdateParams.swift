/// An edit of a user message.
public struct UserMessageUpdateParams: MessageUpdateParams {
    /// The binary form.
    public var fields = RecordFields<UserMessageUpdateParams>()

    /// Creates an empty record.
    public init() {}

    /// The schema.
    public static let schema = Schema(
        "UserMessageUpdateParams",
        // Number 7 was the ID of a new poll. Do not use it again.
        updateFields)
}

extension UserMessageUpdateParams: SingularValue {}
