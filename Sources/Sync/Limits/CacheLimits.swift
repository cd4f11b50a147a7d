public import Models
public import Store

/// The limits of the cached data.
///
/// Messages beyond the limits are evicted, and leave a gap, which is filled when it becomes
/// visible. Outbox items, channels, and the messages of visible channels and of those to keep in
/// the cache are never evicted.
public struct CacheLimits: Sendable {
    /// The maximum size of the cache's files in bytes; by default 256 MiB, and at least
    /// ``minimumByteCount``.
    ///
    /// The files may temporarily be larger: the engine checks the size only after every four
    /// megabytes written, and rewriting files needs space. A store in memory has no limit.
    public var maximumByteCount = 256 << 20

    /// The order in which channels lose their messages; by default, the least recently opened
    /// first.
    public var clearOrder = CacheClearOrder.messageCollectionAccessedAt

    /// A closure that returns how long a channel's messages are kept; `nil`, the default, for no
    /// limit by time.
    ///
    /// It is called often, for every channel, and must return quickly.
    public var retention: (@Sendable (ChannelURL) -> CacheRetention)?

    /// The maximum size of all downloaded files together on disk, in bytes; 400 MiB by default.
    ///
    /// The least recently used files are removed first. With zero or less, and in a store in
    /// memory, none is kept.
    public var downloadsByteCount = DownloadLimits().totalByteCount

    /// The maximum size of a downloaded file in bytes; 20 MiB by default.
    ///
    /// A larger file is downloaded each time.
    public var downloadByteCount = DownloadLimits().fileByteCount

    /// The minimum of ``maximumByteCount``: 64 MiB.
    public static let minimumByteCount = 64 << 20

    // A variable, so that tests can use a smaller minimum.
    package var minimumByteCount = CacheLimits.minimumByteCount
    package var bytesBetweenChecks = 4 << 20

    /// Creates the default limits.
    public init() {}

    package var downloads: DownloadLimits {
        DownloadLimits(totalByteCount: downloadsByteCount, fileByteCount: downloadByteCount)
    }

    var effectiveByteCount: Int { max(maximumByteCount, minimumByteCount) }
}

/// An order in which channels lose their messages when the cache is full.
public enum CacheClearOrder: Sendable {
    /// The least recently opened channel is first, after those that were never opened; channels
    /// with equal times are ordered by URL.
    case messageCollectionAccessedAt
    /// The order of a closure, which must be a strict weak order.
    case custom(@Sendable (CachedChannel, CachedChannel) -> Bool)

    func precedes(_ first: CachedChannel, _ second: CachedChannel) -> Bool {
        switch self {
        case .messageCollectionAccessedAt:
            (first.lastAccess, first.url) < (second.lastAccess, second.url)
        case .custom(let precedes): precedes(first, second)
        }
    }
}

/// The time for which a channel's messages are kept on disk.
public enum CacheRetention: Hashable, Sendable {
    /// Messages are kept as long as the cache does not exceed its size limit.
    case unlimited
    /// Messages are kept until they reach an age, from their creation to this device's time.
    ///
    /// The age is checked when a connection is established, when the channel is no longer visible,
    /// and after every four megabytes written.
    case lasting(Duration)
    /// Messages are stored only while the channel is visible; its last message, a part of the
    /// channel, is kept.
    case whileShown
}
