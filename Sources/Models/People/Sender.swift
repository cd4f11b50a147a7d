/// The user who wrote a message, as they were in its channel.
public struct Sender: Person {
    /// The fields, in the binary form.
    public var fields = RecordFields<Sender>()

    /// Creates a record without any field.
    public init() {}

    /// The user's role in the channel.
    public var role: Role {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// Whether the current user has blocked them.
    public var isBlockedByMe: Bool {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "Sender",
        personFields + [
            Field(12, "role", \Sender.role),
            Field(13, "is_blocked_by_me", \Sender.isBlockedByMe),
        ])
}

extension Sender: SingularValue {}
