/// The data that a server plugin attached to a message.
public struct Plugin: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<Plugin>()

    /// Creates a record without any fields.
    public init() {}

    /// The kind of plugin.
    public var type: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The vendor of the plugin.
    public var vendor: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The data of the plugin, in the server's format.
    public var detail: [String: JSONValue] {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "Plugin",
        [
            Field(1, "type", \Plugin.type),
            Field(2, "vendor", \Plugin.vendor),
            Field(3, "detail", \Plugin.detail),
        ])
}

extension Plugin: SingularValue {}
