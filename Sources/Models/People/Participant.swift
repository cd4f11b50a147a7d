/// A user who has entered an open channel.
public struct Participant: Person {
    /// The fields in their binary form.
    public var fields = RecordFields<Participant>()

    /// Creates a record without any fields.
    public init() {}

    /// A Boolean value that indicates whether the user is muted in this channel and cannot send
    /// messages.
    public var isMuted: Bool {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "Participant",
        personFields + [
            Field(12, "is_muted", \Participant.isMuted)
        ])
}

extension Participant: SingularValue {}
