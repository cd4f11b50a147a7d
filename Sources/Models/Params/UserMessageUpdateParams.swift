/// What changes in a user message: absent is not empty.
public struct UserMessageUpdateParams: MessageUpdateParams {
    /// The fields, in the binary form.
    public var fields = RecordFields<UserMessageUpdateParams>()

    /// Creates a record without any field.
    public init() {}

    /// The poll it asks from now on.
    public var pollID: Int64? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "UserMessageUpdateParams",
        updateFields + [
            Field(7, "poll_id", \UserMessageUpdateParams.pollID)
        ])
}

extension UserMessageUpdateParams: SingularValue {}
