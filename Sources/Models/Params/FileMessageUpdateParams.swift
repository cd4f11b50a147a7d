/// What changes in a file message: absent is not empty.
public struct FileMessageUpdateParams: MessageUpdateParams {
    /// The fields, in the binary form.
    public var fields = RecordFields<FileMessageUpdateParams>()

    /// Creates a record without any field.
    public init() {}

    /// The fields of the type.
    public static let schema = Schema("FileMessageUpdateParams", updateFields)
}

extension FileMessageUpdateParams: SingularValue {}
