/// A channel of any kind.
public protocol Channel: Record, Identifiable<ChannelURL> {}

extension Channel {
    /// The URL, which is unique within the application.
    public var url: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The name shown to users.
    public var name: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The cover image's URL; empty if there is none.
    public var coverURL: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The user who created the channel; `nil` if unknown.
    public var createdBy: User? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// The creation time; in JSON, in seconds or milliseconds, depending on the server's version.
    public var createdAt: Timestamp {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// Custom data of the application, in any format.
    public var data: String {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// The application's own channel type; empty if there is none.
    public var customType: String {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// A Boolean value that indicates whether only operators can send messages.
    public var isFrozen: Bool {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Custom metadata of the application, by key.
    public var metadata: [String: String] {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// The time of the last change of each metadata entry, if known.
    public var metadataUpdatedAt: [String: Timestamp] {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// The maximum number of characters in a message; `nil` if unknown.
    public var maximumMessageLength: Int? {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// The time up to which this device has the changes of the channel's messages.
    public var lastSyncedChangelogAt: Timestamp? {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// The operators of the channel, if the server reports them.
    public var operators: [User] {
        get { self[14] }
        set { self[14] = newValue }
    }

    static var channelFields: [Field] {
        [
            Field(1, "channel_url", \Self.url),
            Field(2, "name", \Self.name),
            Field(3, "cover_url", \Self.coverURL),
            Field(4, "created_by", \Self.createdBy),
            Field(5, "created_at", \Self.createdAt, meaning: .secondsOrMilliseconds),
            Field(6, "data", \Self.data),
            Field(7, "custom_type", \Self.customType),
            Field(8, "freeze", \Self.isFrozen, aliases: ["is_frozen"]),
            Field(10, "metadata", \Self.metadata),
            Field(11, "metadata_updated_at", \Self.metadataUpdatedAt),
            Field(12, "max_length_message", \Self.maximumMessageLength),
            Field(13, "last_synced_changelog_ts", \Self.lastSyncedChangelogAt),
            Field(14, "operators", \Self.operators),
        ]
    }
}
