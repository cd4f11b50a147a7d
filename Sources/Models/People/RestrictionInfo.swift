/// The restriction of the current user in a channel.
public struct RestrictionInfo: Record {
    /// The binary form.
    public var fields = RecordFields<RestrictionInfo>()

    /// Creates an empty record.
    public init() {}

    /// The kind of restriction.
    public var restrictionType: RestrictionType {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The reason for the restriction; empty if none was given.
    public var reason: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The time at which the restriction ends; negative if never.
    public var endAt: Timestamp? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "RestrictionInfo",
        [
            Field(1, "restriction_type", \RestrictionInfo.restrictionType),
            Field(2, "description", \RestrictionInfo.reason, proto: "reason"),
            Field(3, "end_at", \RestrictionInfo.endAt),
        ])
}

extension RestrictionInfo: SingularValue {}
