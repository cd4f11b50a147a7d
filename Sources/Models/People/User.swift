/// Someone who can read and write messages.
public struct User: Person {
    /// The fields, in the binary form.
    public var fields = RecordFields<User>()

    /// Creates a record without any field.
    public init() {}

    /// The fields of the type.
    public static let schema = Schema(
        "User",
        personFields + [])
}

extension User: SingularValue {}
