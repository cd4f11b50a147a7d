/// The server's information about the application, received when a user connects.
public struct AppInfo: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<AppInfo>()

    /// Creates a record without any fields.
    public init() {}

    /// A hash that changes when the set of emoji changes.
    public var emojiHash: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The maximum size of a file in bytes; `nil` if unknown.
    public var uploadSizeLimit: Int? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// A Boolean value that indicates whether users can react to messages.
    public var usesReactions: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The paid features of the application.
    public var premiumFeatures: [String] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The enabled features of the application.
    public var attributes: [String] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "AppInfo",
        [
            Field(1, "emoji_hash", \AppInfo.emojiHash),
            Field(2, "file_upload_size_limit", \AppInfo.uploadSizeLimit),
            Field(3, "use_reaction", \AppInfo.usesReactions),
            Field(4, "premium_feature_list", \AppInfo.premiumFeatures),
            Field(5, "application_attributes", \AppInfo.attributes),
        ])
}

extension AppInfo: SingularValue {}

/// An emoji that users can react with.
public struct Emoji: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<Emoji>()

    /// Creates a record without any fields.
    public init() {}

    /// The key that identifies the emoji in a reaction.
    public var key: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The URL of the image.
    public var url: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "Emoji",
        [
            Field(1, "key", \Emoji.key),
            Field(2, "url", \Emoji.url),
        ])
}

extension Emoji: SingularValue {}

/// A group of emoji.
public struct EmojiCategory: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<EmojiCategory>()

    /// Creates a record without any fields.
    public init() {}

    /// The identifier of the category.
    public var id: Int64 {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The name shown to users.
    public var name: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The URL of the image.
    public var url: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The emoji of the category.
    public var emojis: [Emoji] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The fields of this type.
    public static let schema = Schema(
        "EmojiCategory",
        [
            Field(1, "id", \EmojiCategory.id),
            Field(2, "name", \EmojiCategory.name),
            Field(3, "url", \EmojiCategory.url),
            Field(4, "emojis", \EmojiCategory.emojis),
        ])
}

extension EmojiCategory: SingularValue {}
