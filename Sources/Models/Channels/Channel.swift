/// What every kind of channel has.
public protocol Channel: Record {}

extension Channel {
    /// Which channel it is; unique within the application.
    public var url: ChannelURL {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The name shown to its users.
    public var name: String {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// Where its picture is; empty for none.
    public var coverURL: String {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// Who created it; `nil` where nobody said.
    public var createdBy: User? {
        get { self[4] }
        set { self[4] = newValue }
    }

    /// When it was created.
    ///
    /// JSON tells seconds or milliseconds, depending on the server's age; both are
    /// understood.
    public var createdAt: Timestamp {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// What the application attached, in whatever form it likes.
    public var data: String {
        get { self[6] }
        set { self[6] = newValue }
    }

    /// What the application sorts its channels by; empty for none.
    public var customType: String {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Whether only operators may send messages.
    public var isFrozen: Bool {
        get { self[8] }
        set { self[8] = newValue }
    }

    /// Whether its messages are not kept on the server.
    public var isEphemeral: Bool {
        get { self[9] }
        set { self[9] = newValue }
    }

    /// What the application attached, by key.
    public var metadata: [String: String] {
        get { self[10] }
        set { self[10] = newValue }
    }

    /// When each entry of the metadata last changed, as far as it is known.
    public var metadataUpdatedAt: [String: Timestamp] {
        get { self[11] }
        set { self[11] = newValue }
    }

    /// How many characters a message may have; `nil` if nobody said.
    public var maximumMessageLength: Int? {
        get { self[12] }
        set { self[12] = newValue }
    }

    /// Up to when this device has followed the changes of its messages.
    public var lastSyncedChangelogAt: Timestamp? {
        get { self[13] }
        set { self[13] = newValue }
    }

    /// Those who may moderate it, where they are told.
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
            Field(9, "is_ephemeral", \Self.isEphemeral),
            Field(10, "metadata", \Self.metadata),
            Field(11, "metadata_updated_at", \Self.metadataUpdatedAt),
            Field(12, "max_length_message", \Self.maximumMessageLength),
            Field(13, "last_synced_changelog_ts", \Self.lastSyncedChangelogAt),
            Field(14, "operators", \Self.operators),
        ]
    }
}
