/// Which group channels a changelog tells of.
public struct GroupChannelChangelogParams: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<GroupChannelChangelogParams>()

    /// Creates a record without any field.
    public init() {}

    /// The custom types that are told of; empty for all.
    public var customTypes: [String] {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// Whether channels without a message are told of.
    public var includesEmptyChannel: Bool {
        get { self[2, default: true] }
        set { self[2, default: true] = newValue }
    }

    /// Whether frozen channels are told of.
    public var includesFrozenChannel: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// Whether channels come with their metadata.
    public var includesMetaData: Bool {
        get { self[4, default: true] }
        set { self[4, default: true] = newValue }
    }

    /// Whether channels that carry notifications are told of.
    public var includesChatNotification: Bool {
        get { self[5] }
        set { self[5] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "GroupChannelChangelogParams",
        [
            Field(1, "custom_types", \GroupChannelChangelogParams.customTypes),
            Field(
                2, "include_empty", \GroupChannelChangelogParams.includesEmptyChannel, default: true
            ),
            Field(
                3, "include_frozen", \GroupChannelChangelogParams.includesFrozenChannel,
                default: true),
            Field(
                4, "include_metadata", \GroupChannelChangelogParams.includesMetaData, default: true),
            Field(
                5, "include_chat_notification",
                \GroupChannelChangelogParams.includesChatNotification),
        ])
}

extension GroupChannelChangelogParams: SingularValue {}
