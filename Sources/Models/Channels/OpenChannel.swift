/// A channel that users enter and exit without being members.
public struct OpenChannel: Channel {
    /// The binary form.
    public var fields = RecordFields<OpenChannel>()

    /// Creates an empty record.
    public init() {}

    /// The number of users who have entered the channel.
    public var participantCount: Int {
        get { self[16] }
        set { self[16] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "OpenChannel",
        channelFields + [
            Field(16, "participant_count", \OpenChannel.participantCount)
        ])
}

extension OpenChannel: SingularValue {}
