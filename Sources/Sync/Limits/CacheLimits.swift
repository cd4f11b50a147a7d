public import Models
public import Store

/// How much of what the server can give again is kept on the disk.
///
/// What a limit takes out leaves a gap, which is filled when somebody looks at it. Drafts are never
/// taken out, nor channels themselves, nor messages of a channel that is pinned or that somebody shows.
public struct CacheLimits: Sendable {
    /// How many bytes the cache's files may take; by default 256 MiB.
    ///
    /// Less than ``leastSize`` is taken for that. The files may be larger for moments, by what is written
    /// until the engine looks, at every four megabytes, and while they are rewritten. Of a store in memory it
    /// is not looked at.
    public var maxSize = 256 << 20

    /// Which channel's messages go first; by default, of the one that was not opened for longest.
    public var clearOrder = CacheClearOrder.messageCollectionAccessedAt

    /// How long a channel's messages are kept; by default, as long as there is room.
    ///
    /// Asked often, of every channel: let it answer at once. `nil` is the default.
    public var retention: (@Sendable (ChannelURL) -> CacheRetention)?

    /// The least size that a cache may be limited to, in bytes: 64 MiB.
    public static let leastSize = 64 << 20

    // For tests, whose caches are smaller.
    package var leastSize = CacheLimits.leastSize
    /// How many bytes are written until the engine looks again whether there are too many.
    package var bytesBetweenLooks = 4 << 20

    /// Creates the usual limits.
    public init() {}

    var effectiveSize: Int { max(maxSize, leastSize) }
}

/// Which channel's messages go first when the cache is full.
public enum CacheClearOrder: Sendable {
    /// Those of the channel that was not opened for longest; of channels that nobody has opened, before all
    /// others.
    case messageCollectionAccessedAt
    /// Those of the channel that comes first by a comparison, which has to be a strict weak order.
    case custom(@Sendable (CachedChannel, CachedChannel) -> Bool)
}

/// How long a channel's messages are kept on the disk.
public enum CacheRetention: Hashable, Sendable {
    /// As long as there is room.
    case unlimited
    /// Until they are so old, by their own time and the clock of this device.
    ///
    /// Looked at when a connection is made, when the channel is shown no more, and with every four megabytes
    /// that are written.
    case lasting(Duration)
    /// As long as somebody shows the channel.
    ///
    /// What comes meanwhile is on the disk until then; what comes when nobody shows it never is. A channel's
    /// last message is part of the channel, and stays.
    case whileShown
}
