/// How an engine goes about its work.
public struct SyncOptions: Hashable, Sendable {
    /// How long to wait before connecting again, and before asking again for what failed.
    ///
    /// What the user wrote and was tried as often as its ``Backoff/retries`` say fails, and may be sent
    /// again; by default there is no limit.
    public var backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))

    /// How many messages a page has, at most, that the engine asks for by itself; at least 1.
    ///
    /// The default is 100.
    public var pageSize = 100

    /// How many channels the engine looks after at the same time, beside the feed; at least 1.
    ///
    /// Each has one request on its way, or waits for its next attempt.
    ///
    /// The default is 2.
    public var parallelRequests = 2

    /// Of how many channels the engine keeps recent messages without being asked.
    ///
    /// They are those with the most recent messages. The default is 20; 0 for none.
    public var backgroundChannels = 20

    /// How many pages the engine asks for of a channel, from one connection to the next, if nobody shows
    /// it or waits for it.
    ///
    /// The default is 5; 0 for none.
    public var backgroundPages = 5

    /// The number of missing messages above which a gap in a channel that is shown counts as huge.
    ///
    /// The engine counts while it fetches; messages that were held before do not count. The default is 300;
    /// with the largest number, no gap is huge.
    public var hugeGapThreshold = 300

    /// What happens to a huge gap.
    ///
    /// The default is ``HugeGapPolicy/tell``.
    public var hugeGapPolicy = HugeGapPolicy.tell

    /// How far the clocks of the server's machines may disagree.
    ///
    /// A message that the feed omitted may be that much older than the newest one it delivered. After a
    /// truncation, the engine therefore fetches again what it holds within this time below the gap; until
    /// then these messages are stale, not missing. The default is one second; use zero if one clock gives all
    /// messages their times, and none twice.
    public var clockSkew = Duration.seconds(1)

    /// In how many channels something is sent at the same time.
    ///
    /// In each of them, one thing after the other. The default is 4.
    public var parallelSends = 4

    /// For how long the engine tries to send what the user wrote, before it gives it up.
    ///
    /// By the clock of this device; its user may send it again then. The default is three days.
    public var draftLifetime = Duration.seconds(3 * 24 * 60 * 60)

    /// What becomes of what was written after a message that the server refuses.
    ///
    /// The default is ``FailedDraftPolicy/goOn``.
    public var failedDraftPolicy = FailedDraftPolicy.goOn

    /// How many drafts that failed are kept of each channel; the oldest go first.
    ///
    /// The default is `nil`, for all.
    public var failedDraftLimit: Int?

    /// For how long drafts that failed are kept; looked at with each connection.
    ///
    /// The default is `nil`, for ever.
    public var failedDraftLifetime: Duration?

    /// Creates the usual options.
    public init() {}
}

/// What becomes of what waits behind a message that failed.
public enum FailedDraftPolicy: Hashable, Sendable, CaseIterable {
    /// It is sent.
    case goOn
    /// It waits until the message is sent again, or taken out.
    case stop
}

/// What happens where much more is missing than one would like to wait for.
public enum HugeGapPolicy: Hashable, Sendable, CaseIterable {
    /// It is told, and filled no further until somebody asks.
    case tell
    /// It is told, and filled to its end.
    case heal
}
