/// A list of texts that the application attached to a message under a key.
public struct MetaArray: Record {
    /// The binary form.
    public var fields = RecordFields<MetaArray>()

    /// Creates an empty record.
    public init() {}

    /// The key; unique within a message.
    public var key: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The texts, in order.
    public var values: [String] {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "MetaArray",
        [
            Field(1, "key", \MetaArray.key),
            Field(2, "value", \MetaArray.values),
        ])
}

extension MetaArray: SingularValue {}
