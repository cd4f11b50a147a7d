/// How an engine goes about its work.
public struct SyncOptions: Hashable, Sendable {
    /// How long to wait before connecting again, and before asking again for what failed.
    public var backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))

    /// How many messages a page has that the engine asks for by itself.
    ///
    /// The default is 100.
    public var pageSize = 100

    /// How many requests the engine makes by itself at the same time, beside the feed.
    ///
    /// The default is 2.
    public var parallelRequests = 2

    /// Of how many channels the engine keeps recent messages without being asked.
    ///
    /// They are those with the most recent messages. The default is 20; 0 for none.
    public var backgroundChannels = 20

    /// How many pages the engine asks for, of a channel that nobody shows, between two connections.
    ///
    /// The default is 5.
    public var backgroundPages = 5

    /// Behind how many messages a gap is a huge one, for a channel that is shown.
    ///
    /// The default is 300.
    public var hugeGapThreshold = 300

    /// What happens to a huge gap.
    ///
    /// The default is ``HugeGapPolicy/tell``.
    public var hugeGapPolicy = HugeGapPolicy.tell

    /// How far the clocks may disagree by which a server's machines give messages their times.
    ///
    /// What came while the feed was not heard may lie that much before what came earlier. The default
    /// is a second; zero, where one clock gives all times, and none twice.
    public var clockSkew = Duration.seconds(1)

    /// Creates the usual options.
    public init() {}
}

/// What happens where much more is missing than one would like to wait for.
public enum HugeGapPolicy: Hashable, Sendable, CaseIterable {
    /// It is told, and filled no further until somebody asks.
    case tell
    /// It is told, and filled to its end.
    case heal
}
