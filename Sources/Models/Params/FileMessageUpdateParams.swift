/// An edit of a file message.
///
/// A property that is `nil` does not change; an empty value clears it.
public struct FileMessageUpdateParams: MessageUpdateParams {
    /// The fields in their binary form.
    public var fields = RecordFields<FileMessageUpdateParams>()

    /// Creates a record without any fields.
    public init() {}

    /// The fields of this type.
    public static let schema = Schema("FileMessageUpdateParams", updateFields)
}

extension FileMessageUpdateParams: SingularValue {}
