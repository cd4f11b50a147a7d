/// A channel that one enters and leaves, without being a member.
public struct OpenChannel: Channel {
    /// The fields, in the binary form.
    public var fields = RecordFields<OpenChannel>()

    /// Creates a record without any field.
    public init() {}

    /// How many users have entered it.
    public var participantCount: Int {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// Whether the server spreads its users over partitions.
    public var isDynamicPartitioned: Bool {
        get { self[17] }
        set { self[17] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "OpenChannel",
        channelFields + [
            Field(16, "participant_count", \OpenChannel.participantCount),
            Field(17, "is_dynamic_partitioned", \OpenChannel.isDynamicPartitioned),
        ])
}

extension OpenChannel: SingularValue {}
