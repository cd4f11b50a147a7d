/// A user who was muted or banned.
public struct RestrictedUser: Person {
    /// The binary form.
    public var fields = RecordFields<RestrictedUser>()

    /// Creates an empty record.
    public init() {}

    /// The kind of restriction.
    public var restrictionType: RestrictionType {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The reason for the restriction; empty if none was given.
    public var restrictionDescription: String {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// The time at which the restriction ends; negative if never.
    public var endAt: Timestamp? {
        get { self[14] }
        set { self[14] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "RestrictedUser",
        personFields + [
            Field(12, "restriction_type", \RestrictedUser.restrictionType),
            Field(
                13, "description", \RestrictedUser.restrictionDescription,
                proto: "restriction_description"),
            Field(14, "end_at", \RestrictedUser.endAt),
            // Number 15 was the remaining duration. Do not use it again.
        ])
}

extension RestrictedUser: SingularValue {}
