/// The preview of a web page that a message links to, as defined by Open Graph (ogp.me).
public struct OGMetaData: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<OGMetaData>()

    /// Creates a record without any fields.
    public init() {}

    /// The title of the page.
    public var title: String? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The URL of the page.
    public var url: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// A description of the page.
    public var summary: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The preview image.
    public var defaultImage: OGImage? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "OGMetaData",
        [
            Field(1, "og:title", \OGMetaData.title, proto: "title"),
            Field(2, "og:url", \OGMetaData.url, proto: "url"),
            Field(3, "og:description", \OGMetaData.summary, proto: "description"),
            Field(4, "og:image", \OGMetaData.defaultImage, proto: "image"),
        ])
}

extension OGMetaData: SingularValue {}

/// The preview image of a web page.
public struct OGImage: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<OGImage>()

    /// Creates a record without any fields.
    public init() {}

    /// The URL of the image.
    public var url: String? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The HTTPS URL of the image.
    public var secureURL: String? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The media type.
    public var mimeType: String? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The width in pixels; 0 if unknown.
    public var width: Int {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The height in pixels; 0 if unknown.
    public var height: Int {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// A textual description of the image.
    public var alternativeText: String? {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "OGImage",
        [
            Field(1, "url", \OGImage.url),
            Field(2, "secure_url", \OGImage.secureURL),
            Field(3, "type", \OGImage.mimeType),
            Field(4, "width", \OGImage.width),
            Field(5, "height", \OGImage.height),
            Field(6, "alt", \OGImage.alternativeText),
        ])
}

extension OGImage: SingularValue {}
