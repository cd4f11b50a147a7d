public import Foundation

/// A file on this device, or in its memory, that is to be sent.
///
/// One of ``data``, ``path`` and ``url`` says where it is.
public struct UploadableFile: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<UploadableFile>()

    /// Creates a record without any field.
    public init() {}

    /// The bytes themselves.
    public var data: Data? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Where the file lies on this device.
    public var path: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Where the file can be fetched, if it need not be uploaded.
    public var url: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The name it is shown with.
    public var name: String? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// Its media type, such as "image/png".
    public var mimeType: String? {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// How many bytes it has.
    public var size: Int? {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The smaller pictures that the server is to make.
    public var thumbnailSizes: [ThumbnailSize] {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "UploadableFile",
        [
            Field(1, "data", \UploadableFile.data),
            Field(2, "path", \UploadableFile.path),
            Field(3, "url", \UploadableFile.url),
            Field(4, "name", \UploadableFile.name, aliases: ["file_name"]),
            Field(5, "type", \UploadableFile.mimeType, aliases: ["mime_type"]),
            Field(6, "size", \UploadableFile.size, aliases: ["file_size"]),
            Field(7, "thumbnail_sizes", \UploadableFile.thumbnailSizes),
        ])
}

extension UploadableFile: SingularValue {}

/// How large a thumbnail may be.
public struct ThumbnailSize: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<ThumbnailSize>()

    /// Creates a record without any field.
    public init() {}

    /// Its width in pixels, at most.
    public var maximumWidth: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Its height in pixels, at most.
    public var maximumHeight: Int {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "ThumbnailSize",
        [
            Field(1, "maxwidth", \ThumbnailSize.maximumWidth),
            Field(2, "maxheight", \ThumbnailSize.maximumHeight),
        ])
}

extension ThumbnailSize: SingularValue {}
