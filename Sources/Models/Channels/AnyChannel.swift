/// A group channel or an open channel.
public enum AnyChannel: Hashable, Sendable {
    /// A group channel.
    case group(GroupChannel)
    /// An open channel.
    case open(OpenChannel)

    /// The channel's URL.
    public var url: ChannelURL {
        switch self {
        case .group(let channel): channel.url
        case .open(let channel): channel.url
        }
    }

    /// The channel's name; empty if it has none.
    public var name: String {
        switch self {
        case .group(let channel): channel.name
        case .open(let channel): channel.name
        }
    }
}
