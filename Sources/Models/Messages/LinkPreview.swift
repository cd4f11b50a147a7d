/// The preview of a web page, as defined by Open Graph (ogp.me).
public struct LinkPreview: Record {
    /// The binary form.
    public var fields = RecordFields<LinkPreview>()

    /// Creates an empty record.
    public init() {}

    /// The title of the page.
    public var title: String? {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The page's URL.
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
    public var defaultImage: LinkPreviewImage? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "LinkPreview",
        [
            Field(1, "og:title", \LinkPreview.title, proto: "title"),
            Field(2, "og:url", \LinkPreview.url, proto: "url"),
            Field(3, "og:description", \LinkPreview.summary, proto: "description"),
            Field(4, "og:image", \LinkPreview.defaultImage, proto: "image"),
        ])
}

extension LinkPreview: SingularValue {}

/// The preview image of a web page.
public struct LinkPreviewImage: Record {
    /// The binary form.
    public var fields = RecordFields<LinkPreviewImage>()

    /// Creates an empty record.
    public init() {}

    /// The image's URL.
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

    /// The schema.
    public static let schema = Schema(
        "LinkPreviewImage",
        [
            Field(1, "url", \LinkPreviewImage.url),
            Field(2, "secure_url", \LinkPreviewImage.secureURL),
            Field(3, "type", \LinkPreviewImage.mimeType),
            Field(4, "width", \LinkPreviewImage.width),
            Field(5, "height", \LinkPreviewImage.height),
            Field(6, "alt", \LinkPreviewImage.alternativeText),
        ])
}

extension LinkPreviewImage: SingularValue {}
