public import Models

/// A channel with stored data.
public struct CachedChannel: Hashable, Sendable {
    /// The URL of the channel.
    public let url: ChannelURL

    /// The number of stored messages.
    public let messageCount: Int

    /// Whether the messages are exempt from eviction.
    public let isKeptInCache: Bool

    /// The sequence number of the last access, increasing over all channels; 0 if the channel was
    /// never opened.
    public let lastAccess: UInt64
}
