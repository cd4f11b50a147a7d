/// A user who has entered an open channel.
public struct Participant: Person {
    /// The fields, in the binary form.
    public var fields = RecordFields<Participant>()

    /// Creates a record without any field.
    public init() {}

    /// Whether the user may not send messages here.
    public var isMuted: Bool {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "Participant",
        personFields + [
            Field(12, "is_muted", \Participant.isMuted)
        ])
}

extension Participant: SingularValue {}
