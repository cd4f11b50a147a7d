/// How the current user is restricted in a channel.
public struct RestrictionInfo: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<RestrictionInfo>()

    /// Creates a record without any field.
    public init() {}

    /// Whether the user was muted or banned.
    public var restrictionType: RestrictionType {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Why; empty where nobody said.
    public var reason: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// When the restriction ends; negative for never.
    public var endAt: Timestamp? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "RestrictionInfo",
        [
            Field(1, "restriction_type", \RestrictionInfo.restrictionType),
            Field(2, "description", \RestrictionInfo.reason, proto: "reason"),
            Field(3, "end_at", \RestrictionInfo.endAt),
        ])
}

extension RestrictionInfo: SingularValue {}
