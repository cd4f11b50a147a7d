public import Foundation

extension UploadableFile {
    /// Creates a description of a file at a URL.
    ///
    /// - Parameters:
    ///   - url: A `file` URL, whose file's size is read if it exists, or a URL from which members
    ///     can download the file.
    ///   - name: The name to display; by default, the last component of the URL.
    ///   - mimeType: The media type; by default, that of the name's extension, or `nil` if it is
    ///     not a common one.
    public init(_ url: URL, name: String? = nil, mimeType: String? = nil) {
        self.init()
        if url.isFileURL {
            path = url.path(percentEncoded: false)
            size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
        } else {
            self.url = url.absoluteString
        }
        describe(name ?? url.lastPathComponent, mimeType)
    }

    /// Creates a description of a file with contents, which the outbox stores until the upload.
    ///
    /// The default media type is that of the name's extension, or `nil` if it is not a common one.
    public init(_ data: Data, name: String, mimeType: String? = nil) {
        self.init()
        self.data = data
        size = data.count
        describe(name, mimeType)
    }

    /// Creates a description of a file on this device.
    public init(path: String, name: String? = nil, mimeType: String? = nil) {
        self.init()
        self.path = path
        self.name = name
        self.mimeType = mimeType
    }

    /// Creates a description of a file that needs no upload.
    public init(url: String, name: String? = nil, mimeType: String? = nil) {
        self.init()
        self.url = url
        self.name = name
        self.mimeType = mimeType
    }

    private mutating func describe(_ name: String, _ mimeType: String?) {
        self.name = name.isEmpty || name == "/" ? nil : name
        self.mimeType = mimeType ?? UploadableFile.mimeType(ofFileNamed: name)
    }

    package static func mimeType(ofFileNamed name: String) -> String? {
        let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
        guard let dot, case let end = name[name.utf8.index(after: dot)...], end.isShort else {
            return nil
        }
        return mimeTypes[end.lowercased()]
    }

    private static let mimeTypes = [
        "3gp": "video/3gpp", "aac": "audio/aac", "avi": "video/x-msvideo", "avif": "image/avif",
        "bmp": "image/bmp", "caf": "audio/x-caf", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic",
        "heif": "image/heif", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "json": "application/json", "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown",
        "mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "oga": "audio/ogg", "ogg": "audio/ogg", "opus": "audio/ogg",
        "pdf": "application/pdf", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tif": "image/tiff",
        "tiff": "image/tiff", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm",
        "webp": "image/webp", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml", "zip": "application/zip",
    ]
}
