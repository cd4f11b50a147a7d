/// An edit of a user message.
///
/// A property that is `nil` does not change; an empty value clears it.
public struct UserMessageUpdateParams: MessageUpdateParams {
    /// The fields in their binary form.
    public var fields = RecordFields<UserMessageUpdateParams>()

    /// Creates a record without any fields.
    public init() {}

    /// The ID of the message's new poll.
    public var pollID: Int64? {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "UserMessageUpdateParams",
        updateFields + [
            Field(7, "poll_id", \UserMessageUpdateParams.pollID)
        ])
}

extension UserMessageUpdateParams: SingularValue {}
