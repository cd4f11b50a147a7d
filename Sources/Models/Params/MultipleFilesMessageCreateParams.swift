/// What a message with several files is made from.
public struct MultipleFilesMessageCreateParams: MessageCreateParams {
    /// The fields, in the binary form.
    public var fields = RecordFields<MultipleFilesMessageCreateParams>()

    /// Creates a record without any field.
    public init() {}

    /// A text beside the files; may be empty.
    public var text: String {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The files, in the order they are shown.
    public var files: [UploadableFile] {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "MultipleFilesMessageCreateParams",
        createFields + [
            Field(16, "message", \MultipleFilesMessageCreateParams.text),
            Field(17, "files", \MultipleFilesMessageCreateParams.files),
        ])
}

extension MultipleFilesMessageCreateParams: SingularValue {}
