public import Models

/// What a store remembers of a channel of which it holds anything.
public struct CachedChannel: Hashable, Sendable {
    /// The channel.
    public let url: ChannelURL

    /// How many of its messages are held.
    public let messageCount: Int

    /// Whether its messages are never evicted.
    public let isPinned: Bool

    /// The turn at which it was last opened, counted over all channels; 0 if it never was.
    public let lastAccess: UInt64
}

extension CachedChannel {
    init(_ url: ChannelURL, _ state: ChannelState) {
        self.init(
            url: url, messageCount: Int(state.messageCount), isPinned: state.isPinned,
            lastAccess: state.lastAccess)
    }
}
