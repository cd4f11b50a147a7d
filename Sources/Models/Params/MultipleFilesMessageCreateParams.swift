/// The parameters of a new message with several files.
public struct MultipleFilesMessageCreateParams: MessageCreateParams {
    /// The fields in their binary form.
    public var fields = RecordFields<MultipleFilesMessageCreateParams>()

    /// Creates a record without any fields.
    public init() {}

    /// A text in addition to the files; may be empty.
    public var text: String {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The files, in the order of their display.
    public var files: [UploadableFile] {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "MultipleFilesMessageCreateParams",
        createFields + [
            Field(16, "message", \MultipleFilesMessageCreateParams.text),
            Field(17, "files", \MultipleFilesMessageCreateParams.files),
        ])
}

extension MultipleFilesMessageCreateParams: SingularValue {}
