public import Foundation

/// A file to send, which has one of ``data``, ``path`` and ``url``.
public struct UploadableFile: Record {
    /// The binary form.
    public var fields = RecordFields<UploadableFile>()

    /// Creates an empty record.
    public init() {}

    /// The content of the file.
    public var data: Data? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The path of the file on this device.
    public var path: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The URL of a file that needs no upload, because a server has it already; neither a path nor
    /// a `file:` URL.
    public var url: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The name to display.
    public var name: String? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The media type, such as "image/png".
    public var mimeType: String? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The size in bytes.
    public var size: Int? {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "UploadableFile",
        [
            Field(1, "data", \UploadableFile.data),
            Field(2, "path", \UploadableFile.path),
            Field(3, "url", \UploadableFile.url),
            Field(4, "name", \UploadableFile.name, aliases: ["file_name"]),
            Field(5, "type", \UploadableFile.mimeType, aliases: ["mime_type"]),
            Field(6, "size", \UploadableFile.size, aliases: ["file_size"]),
        ])
}

extension UploadableFile: SingularValue {}
