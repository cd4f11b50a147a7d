extension UserMessageCreateParams {
    /// Creates parameters for a user message with a text.
    public init(_ text: String) {
        self.init()
        self.text = text
    }
}

extension FileMessageCreateParams {
    /// Creates parameters for a file message.
    public init(_ file: UploadableFile) {
        self.init()
        self.file = file
    }
}

extension MultipleFilesMessageCreateParams {
    /// Creates parameters for a message with several files.
    public init(_ files: [UploadableFile]) {
        self.init()
        self.files = files
    }
}

extension UploadableFile {
    /// Creates a description of a file on this device.
    public init(path: String, name: String? = nil, mimeType: String? = nil) {
        self.init()
        self.path = path
        self.name = name
        self.mimeType = mimeType
    }

    /// Creates a description of a file that already has a URL and needs no upload.
    public init(url: String, name: String? = nil, mimeType: String? = nil) {
        self.init()
        self.url = url
        self.name = name
        self.mimeType = mimeType
    }
}
