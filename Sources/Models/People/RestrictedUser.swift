/// A user who was muted or banned.
public struct RestrictedUser: Person {
    /// The fields, in the binary form.
    public var fields = RecordFields<RestrictedUser>()

    /// Creates a record without any field.
    public init() {}

    /// Whether the user was muted or banned.
    public var restrictionType: RestrictionType {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// Why; empty where nobody said.
    public var restrictionDescription: String {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// When the restriction ends; negative for never.
    public var endAt: Timestamp? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// How many milliseconds the restriction lasts yet; negative for ever.
    public var remainingDuration: Int? {
        get { self[15] }
        set { self[15] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "RestrictedUser",
        personFields + [
            Field(12, "restriction_type", \RestrictedUser.restrictionType),
            Field(
                13, "description", \RestrictedUser.restrictionDescription,
                proto: "restriction_description"),
            Field(14, "end_at", \RestrictedUser.endAt),
            Field(15, "remaining_duration", \RestrictedUser.remainingDuration),
        ])
}

extension RestrictedUser: SingularValue {}
