/// A user of the application.
public struct User: Person {
    /// The fields in their binary form.
    public var fields = RecordFields<User>()

    /// Creates a record without any fields.
    public init() {}

    /// The fields of this type.
    public static let schema = Schema(
        "User",
        personFields + [])
}

extension User: SingularValue {}
