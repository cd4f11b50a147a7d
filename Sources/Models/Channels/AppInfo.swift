/// The server's information about the application.
public struct AppInfo: Record {
    /// The binary form.
    public var fields = RecordFields<AppInfo>()

    /// Creates an empty record.
    public init() {}

    /// The maximum size of a file in bytes; `nil` if unknown.
    public var uploadSizeLimit: Int? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// A Boolean value that indicates whether users can react to messages.
    public var usesReactions: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "AppInfo",
        [
            Field(2, "file_upload_size_limit", \AppInfo.uploadSizeLimit),
            Field(3, "use_reaction", \AppInfo.usesReactions),
        ])
}

extension AppInfo: SingularValue {}
