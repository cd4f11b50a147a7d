/// What a user wants a new group channel to be.
public struct GroupChannelCreateParams: Hashable, Sendable {
    /// The URL it is to have; `nil` if the server is to choose.
    public var url: ChannelURL?

    /// The name.
    public var name: String

    /// Who is in it beside the user who creates it: invited, or joined at once, as the backend does it.
    public var userIDs: [UserID]

    /// Who may moderate it; the user who creates it always may.
    public var operatorUserIDs: [UserID] = []

    /// Whether the same users are always given the same channel.
    public var isDistinct = false

    /// Whether anybody may join it.
    public var isPublic = false

    /// Where its picture is.
    public var coverURL = ""

    /// What the application attaches.
    public var data = ""

    /// The application's own kind of channel.
    public var customType = ""

    /// Creates what a new channel is to be.
    public init(_ name: String = "", userIDs: [UserID] = [], url: ChannelURL? = nil) {
        self.url = url
        self.name = name
        self.userIDs = userIDs
    }
}

/// What a user wants a new open channel to be.
public struct OpenChannelCreateParams: Hashable, Sendable {
    /// The URL it is to have; `nil` if the server is to choose.
    public var url: ChannelURL?

    /// The name.
    public var name: String

    /// What the application attaches.
    public var data = ""

    /// The application's own kind of channel.
    public var customType = ""

    /// Creates what a new channel is to be.
    public init(_ name: String = "", url: ChannelURL? = nil) {
        self.url = url
        self.name = name
    }
}

/// What an edit changes in a message.
public enum MessageUpdate: Hashable, Sendable {
    /// Of a user message.
    case user(UserMessageUpdateParams)
    /// Of a file message.
    case file(FileMessageUpdateParams)
}

/// How much of a file has been sent or fetched.
public struct TransferProgress: Hashable, Sendable {
    /// How many bytes.
    public var bytesTransferred: Int

    /// How many there are; `nil` while nobody knows.
    public var bytesInAll: Int?

    /// Creates a measure of progress.
    public init(bytesTransferred: Int, bytesInAll: Int?) {
        self.bytesTransferred = bytesTransferred
        self.bytesInAll = bytesInAll
    }
}
