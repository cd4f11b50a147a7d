/// The author of a message, as at the time of the message.
public struct Sender: Person {
    /// The binary form.
    public var fields = RecordFields<Sender>()

    /// Creates an empty record.
    public init() {}

    /// The user's role in the channel.
    public var role: Role {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Sender",
        personFields + [
            Field(12, "role", \Sender.role)
        ])
}

extension Sender: SingularValue {}
