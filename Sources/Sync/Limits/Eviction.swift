public import Models

/// What limits took out of the cache, or would.
public struct Eviction: Hashable, Sendable {
    /// The oldest messages of one channel.
    public struct Part: Hashable, Sendable {
        /// The channel.
        public let channelURL: ChannelURL

        /// How many of its messages go, the oldest first.
        public let messageCount: Int

        /// Why they go.
        public let reason: Reason
    }

    /// Why messages go.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// They are older than their channel's messages are kept, or kept only while it is shown.
        case retention
        /// The cache is larger than it may be.
        case size
    }

    /// What goes of each channel, in the order in which it goes.
    ///
    /// One channel may be there several times.
    public internal(set) var parts: [Part] = []

    /// How many bytes the cache took before.
    public internal(set) var sizeBefore: Int

    /// How many bytes the cache takes afterwards; of what would be done, an estimate by the average size of
    /// a message.
    public internal(set) var sizeAfter: Int

    /// How many messages go in all.
    public var messageCount: Int { parts.reduce(0) { $0 + $1.messageCount } }
}
