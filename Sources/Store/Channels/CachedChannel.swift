public import Models

/// The store's information about a channel with stored data.
public struct CachedChannel: Hashable, Sendable {
    /// The URL of the channel.
    public let url: ChannelURL

    /// The number of stored messages.
    public let messageCount: Int

    /// A Boolean value that indicates whether the messages are exempt from eviction.
    public let isKeptInCache: Bool

    /// The sequence number of the channel's last access, higher for later accesses of any channel;
    /// 0 if the channel was never opened.
    public let lastAccess: UInt64
}

extension CachedChannel {
    init(_ url: ChannelURL, _ state: ChannelState, isKeptInCache: Bool) {
        self.init(
            url: url, messageCount: Int(state.messageCount), isKeptInCache: isKeptInCache,
            lastAccess: state.lastAccess)
    }
}
