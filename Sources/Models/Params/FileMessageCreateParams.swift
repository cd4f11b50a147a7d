/// The parameters of a new file message.
public struct FileMessageCreateParams: MessageCreateParams {
    /// The fields in their binary form.
    public var fields = RecordFields<FileMessageCreateParams>()

    /// Creates a record without any fields.
    public init() {}

    /// A text in addition to the file; may be empty.
    public var text: String {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The file.
    public var file: UploadableFile? {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "FileMessageCreateParams",
        createFields + [
            Field(16, "message", \FileMessageCreateParams.text),
            Field(17, "file", \FileMessageCreateParams.file),
        ])
}

extension FileMessageCreateParams: SingularValue {}
