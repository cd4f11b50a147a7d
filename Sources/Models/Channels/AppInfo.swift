/// What the server says of the application when one connects.
public struct AppInfo: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<AppInfo>()

    /// Creates a record without any field.
    public init() {}

    /// Changes when the emoji do.
    public var emojiHash: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// How large a file may be, in bytes; `nil` if nobody said.
    public var uploadSizeLimit: Int? {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Whether messages can be reacted to.
    public var usesReactions: Bool {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The features that the application has paid for.
    public var premiumFeatures: [String] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The features that are switched on.
    public var attributes: [String] {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The fields of the type.
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

/// An emoji that messages can be reacted to with.
public struct Emoji: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<Emoji>()

    /// Creates a record without any field.
    public init() {}

    /// What a reaction names it by.
    public var key: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Where its picture is.
    public var url: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The fields of the type.
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
    /// The fields, in the binary form.
    public var fields = RecordFields<EmojiCategory>()

    /// Creates a record without any field.
    public init() {}

    /// The name of the category.
    public var id: Int64 {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The name shown to users.
    public var name: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Where its picture is.
    public var url: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The emoji in it.
    public var emojis: [Emoji] {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The fields of the type.
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
