/// An edit of a user message.
public struct UserMessageUpdateParams: MessageUpdateParams {
    /// The binary form.
    public var fields = RecordFields<UserMessageUpdateParams>()

    /// Creates an empty record.
    public init() {}

    /// The ID of the message's new poll.
    public var pollID: Int64? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "UserMessageUpdateParams",
        updateFields + [
            Field(7, "poll_id", \UserMessageUpdateParams.pollID)
        ])
}

extension UserMessageUpdateParams: SingularValue {}
