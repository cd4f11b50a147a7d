/// A file of a message.
public struct FileInfo: Record {
    /// The binary form.
    public var fields = RecordFields<FileInfo>()

    /// Creates an empty record.
    public init() {}

    /// The URL for downloading the file.
    public var url: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The original name of the file.
    public var name: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The media type, such as "image/png".
    public var mimeType: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The size in bytes.
    public var size: Int? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The thumbnails of the file.
    public var thumbnails: [Thumbnail] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// A Boolean value that indicates whether a download requires authentication.
    public var requiresAuth: Bool {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The application's custom data.
    public var data: String? {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// The application's own type of the file.
    public var customType: String? {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "FileInfo",
        [
            Field(1, "url", \FileInfo.url),
            Field(2, "name", \FileInfo.name, aliases: ["file_name"]),
            Field(3, "type", \FileInfo.mimeType, aliases: ["file_type"]),
            Field(4, "size", \FileInfo.size, aliases: ["file_size"]),
            Field(5, "thumbnails", \FileInfo.thumbnails),
            Field(6, "require_auth", \FileInfo.requiresAuth),
            Field(8, "data", \FileInfo.data),
            Field(9, "custom", \FileInfo.customType, aliases: ["custom_type"]),
        ])
}

extension FileInfo: SingularValue {}

/// A smaller version of an image.
public struct Thumbnail: Record {
    /// The binary form.
    public var fields = RecordFields<Thumbnail>()

    /// Creates an empty record.
    public init() {}

    /// The URL for downloading the thumbnail.
    public var url: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The requested width in pixels.
    public var maximumWidth: Int {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The requested height in pixels.
    public var maximumHeight: Int {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The actual width in pixels.
    public var width: Int {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The actual height in pixels.
    public var height: Int {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// A Boolean value that indicates whether a download requires authentication.
    public var requiresAuth: Bool {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "Thumbnail",
        [
            Field(1, "url", \Thumbnail.url),
            Field(3, "width", \Thumbnail.maximumWidth),
            Field(4, "height", \Thumbnail.maximumHeight),
            Field(5, "real_width", \Thumbnail.width),
            Field(6, "real_height", \Thumbnail.height),
            Field(7, "require_auth", \Thumbnail.requiresAuth),
        ])
}

extension Thumbnail: SingularValue {}

extension String {
    /// Whether this can be the URL of a file of a server: a parser of URLs, some of which ignore
    /// control characters and leading spaces, finds no file of the device in it.
    package var isURLOfServer: Bool {
        let local = ["/", "~", "file:"]
        let start = utf8.prefix(5).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        guard let first = unicodeScalars.first?.properties, !first.isWhitespace,
            !first.isDefaultIgnorableCodePoint
        else { return false }
        return !local.contains { start.starts(with: $0.utf8) }
            && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
