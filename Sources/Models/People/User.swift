/// A user of the application.
public struct User: Person {
    /// The binary form.
    public var fields = RecordFields<User>()

    /// Creates an empty record.
    public init() {}

    /// The schema.
    public static let schema = Schema(
        "User",
        personFields + [])
}

extension User: SingularValue {}
