/// An edit of a file message.
public struct FileMessageUpdateParams: MessageUpdateParams {
    /// The binary form.
    public var fields = RecordFields<FileMessageUpdateParams>()

    /// Creates an empty record.
    public init() {}

    /// The schema.
    public static let schema = Schema("FileMessageUpdateParams", updateFields)
}

extension FileMessageUpdateParams: SingularValue {}
