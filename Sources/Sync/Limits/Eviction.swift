public import Models

/// Messages that were, or would be, evicted from the cache.
public struct Eviction: Hashable, Sendable {
    /// The oldest messages of a channel.
    public struct Part: Hashable, Sendable {
        /// The channel's URL.
        public let channelURL: ChannelURL

        /// The number of evicted messages.
        public let messageCount: Int

        /// The reason for the eviction.
        public let reason: Reason
    }

    /// A reason for an eviction.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// The messages exceed the retention time of their channel, or the channel keeps them only
        /// while it is visible.
        case retention
        /// The cache exceeds its maximum size.
        case size
    }

    /// The evicted messages, in the order of eviction; a channel may occur several times.
    public internal(set) var parts: [Part] = []

    /// The size of the cache in bytes before the eviction.
    public internal(set) var sizeBefore: Int

    /// The size of the cache in bytes after the eviction; in a plan, an estimate.
    public internal(set) var sizeAfter: Int

    /// The total number of evicted messages.
    public var messageCount: Int { parts.reduce(0) { $0 + $1.messageCount } }
}
