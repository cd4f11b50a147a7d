/// The parameters of a changelog of group channels.
public struct GroupChannelChangelogParams: Record {
    /// The binary form.
    public var fields = RecordFields<GroupChannelChangelogParams>()

    /// Creates an empty record.
    public init() {}

    /// The custom types to report; empty for all.
    public var customTypes: [String] {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// A Boolean value that indicates whether channels without a message are reported.
    public var includesEmptyChannel: Bool {
        get { self[2, default: true] }
        set { self[2, default: true] = newValue }
    }

    /// A Boolean value that indicates whether frozen channels are reported.
    public var includesFrozenChannel: Bool {
        get { self[3, default: true] }
        set { self[3, default: true] = newValue }
    }

    /// The schema.
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
            // Number 5 was `include_chat_notification`. Do not use it again.
        ])
}

extension GroupChannelChangelogParams: SingularValue {}
