/// The properties of a new group channel.
public struct GroupChannelCreateParams: Hashable, Sendable {
    /// The channel's URL; `nil` to let the server choose one.
    public var url: ChannelURL?

    /// The channel's name.
    public var name: String

    /// The users to invite or add besides the creator.
    public var userIDs: [UserID]

    /// The operators of the channel besides the creator, who is always one.
    public var operatorUserIDs: [UserID] = []

    /// A Boolean value that indicates whether the server returns an existing channel of the same
    /// users.
    public var isDistinct = false

    /// A Boolean value that indicates whether any user may join.
    public var isPublic = false

    /// The cover image's URL.
    public var coverURL = ""

    /// The application's custom data.
    public var data = ""

    /// The application's own channel type.
    public var customType = ""

    /// Creates parameters.
    public init(_ name: String = "", userIDs: [UserID] = [], url: ChannelURL? = nil) {
        self.url = url
        self.name = name
        self.userIDs = userIDs
    }
}

/// The properties of a new open channel.
public struct OpenChannelCreateParams: Hashable, Sendable {
    /// The channel's URL; `nil` to let the server choose one.
    public var url: ChannelURL?

    /// The channel's name.
    public var name: String

    /// The application's custom data.
    public var data = ""

    /// The application's own channel type.
    public var customType = ""

    /// Creates parameters.
    public init(_ name: String = "", url: ChannelURL? = nil) {
        self.url = url
        self.name = name
    }
}

/// An edit of a message.
public enum MessageUpdate: Hashable, Sendable {
    /// An edit of a text.
    case text(UserMessageUpdateParams)
    /// An edit of a file message.
    case file(FileMessageUpdateParams)
}

/// The progress of an upload or a download.
public struct TransferProgress: Hashable, Sendable {
    /// The number of bytes transferred so far.
    public var bytesTransferred: Int

    /// The total number of bytes; `nil` while it is unknown.
    public var bytesInAll: Int?

    /// Creates a progress value.
    public init(bytesTransferred: Int, bytesInAll: Int?) {
        self.bytesTransferred = bytesTransferred
        self.bytesInAll = bytesInAll
    }
}

/// A report to the moderators of the service.
public struct ModerationReport: Hashable, Sendable {
    /// The reported message, user or channel.
    public var subject: Subject

    /// The kind of abuse.
    public var category: Category

    /// A comment by the reporting user.
    public var comment: String

    /// Creates a report.
    public init(_ subject: Subject, as category: Category, comment: String = "") {
        self.subject = subject
        self.category = category
        self.comment = comment
    }

    /// The subject of a report.
    public enum Subject: Hashable, Sendable {
        /// A message of a channel.
        case message(MessageID, in: ChannelURL)
        /// A user.
        case user(UserID)
        /// A channel.
        case channel(ChannelURL)
    }

    /// A kind of abuse.
    public enum Category: String, CaseIterable, Codable, Hashable, Sendable {
        /// Content that may be fraud.
        case suspicious
        /// Harassment.
        case harassing
        /// Unwanted advertising.
        case spam
        /// Other inappropriate content.
        case inappropriate
    }
}

// MARK: JSON

extension GroupChannelCreateParams: Codable {
    /// Decodes parameters; missing properties have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        url = try container.decodeIfPresent(ChannelURL.self, forKey: .url)
        name = try container.decode(.name, or: name)
        userIDs = try container.decode(.userIDs, or: userIDs)
        operatorUserIDs = try container.decode(.operatorUserIDs, or: operatorUserIDs)
        isDistinct = try container.decode(.isDistinct, or: isDistinct)
        isPublic = try container.decode(.isPublic, or: isPublic)
        coverURL = try container.decode(.coverURL, or: coverURL)
        data = try container.decode(.data, or: data)
        customType = try container.decode(.customType, or: customType)
    }
}

extension OpenChannelCreateParams: Codable {
    /// Decodes parameters; missing properties have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        url = try container.decodeIfPresent(ChannelURL.self, forKey: .url)
        name = try container.decode(.name, or: name)
        data = try container.decode(.data, or: data)
        customType = try container.decode(.customType, or: customType)
    }
}

extension KeyedDecodingContainer {
    func decode<Value: Decodable>(_ key: Key, or other: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? other
    }
}

extension ModerationReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case channelURL, messageID, userID, category, comment
    }

    /// Decodes a report of a message in a channel, a channel, or a user.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let message = try container.decodeIfPresent(MessageID.self, forKey: .messageID)
        if let user = try container.decodeIfPresent(UserID.self, forKey: .userID) {
            subject = .user(user)
        } else {
            let url = try container.decode(ChannelURL.self, forKey: .channelURL)
            subject = message.map { .message($0, in: url) } ?? .channel(url)
        }
        category = try container.decode(Category.self, forKey: .category)
        comment = try container.decode(.comment, or: "")
    }

    /// Encodes the report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch subject {
        case .message(let id, let url):
            try container.encode(url, forKey: .channelURL)
            try container.encode(id, forKey: .messageID)
        case .channel(let url): try container.encode(url, forKey: .channelURL)
        case .user(let user): try container.encode(user, forKey: .userID)
        }
        try container.encode(category, forKey: .category)
        try container.encode(comment, forKey: .comment)
    }
}
