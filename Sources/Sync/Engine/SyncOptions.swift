import Models

/// Settings of a ``SyncEngine``.
///
/// A number or duration out of its range counts as the nearest one in it.
public struct SyncOptions: Hashable, Sendable {
    /// How long to wait before connecting again, and before retrying a request that failed.
    ///
    /// An outbox item that was tried as often as ``Backoff/retries`` says fails, and may be sent
    /// again; by default there is no limit. A server that throttles may ask for longer waits, of up
    /// to a day.
    public var backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))

    /// The number of messages in a page that the engine fetches by itself, from 1 to 10,000.
    ///
    /// The default is 100. A server may answer with fewer.
    public var pageSize = 100

    /// The number of channels that the engine fetches history for at the same time; at least 1.
    ///
    /// Each has one request in flight, or waits for its next attempt. The feed does not count.
    ///
    /// The default is 2.
    public var parallelRequests = 2

    /// The number of channels whose recent messages the engine fetches without being asked.
    ///
    /// They are those with the most recent messages. The default is 20; with 0 there are none.
    public var backgroundChannels = 20

    /// The number of pages that the engine fetches for a channel per connection, if the channel is
    /// neither shown nor waited for.
    ///
    /// The default is 5; with 0 it fetches none, and with the largest number as many as there are.
    public var backgroundPages = 5

    /// The number of missing messages above which a gap in a channel that is shown counts as huge;
    /// at least 0.
    ///
    /// The engine counts while it fetches; messages that were held before do not count. The default
    /// is 300; with the largest number, no gap is huge.
    public var hugeGapThreshold = 300

    /// The treatment of a huge gap.
    ///
    /// The default is ``HugeGapPolicy/report``.
    public var hugeGapPolicy = HugeGapPolicy.report

    /// How far the clocks of the server's machines may disagree.
    ///
    /// A message that the feed omitted may be that much older than the newest one it delivered.
    /// After a truncation, the engine therefore fetches again what it holds within this time below
    /// the gap; until then these messages are stale, not missing. The default is one second; use
    /// zero, the least, if one clock gives all messages their times, and none twice.
    public var clockSkew = Duration.seconds(1)

    /// The number of channels in which the engine sends at the same time; at least 1.
    ///
    /// In each channel it sends one outbox item after the other. The default is 4.
    public var parallelSends = 4

    /// How long the engine tries to send an outbox item before the item fails; at least zero.
    ///
    /// By the clock of this device; its user may send it again then. The default is three days.
    public var outboxItemLifetime = Duration.seconds(3 * 24 * 60 * 60)

    /// The treatment of an outbox item that could not be sent because of the connection.
    ///
    /// The default is ``ResendPolicy/automatic``. The maximum number of attempts is that of
    /// ``backoff``.
    public var resendPolicy = ResendPolicy.automatic

    /// The handling of the outbox items after one that failed.
    ///
    /// The default is ``FailedItemPolicy/goOn``.
    public var failedItemPolicy = FailedItemPolicy.goOn

    /// The number of failed outbox items that are kept of each channel, at least 0; the oldest are
    /// canceled first.
    ///
    /// The default is `nil`: all are kept.
    public var failedItemLimit: Int?

    /// How long failed outbox items are kept, at least zero; checked with each connection.
    ///
    /// The default is `nil`: for ever.
    public var failedItemLifetime: Duration?

    /// Creates the default options.
    public init() {}
}

extension SyncOptions {
    /// The options with each number and duration in its range.
    var clamped: SyncOptions {
        var options = self
        options.pageSize = PageSize.nearest(to: pageSize, atLeast: 1)
        options.parallelRequests = max(1, parallelRequests)
        options.backgroundChannels = max(0, backgroundChannels)
        options.backgroundPages = max(0, backgroundPages)
        options.hugeGapThreshold = max(0, hugeGapThreshold)
        options.clockSkew = max(.zero, clockSkew)
        options.parallelSends = max(1, parallelSends)
        options.outboxItemLifetime = max(.zero, outboxItemLifetime)
        options.failedItemLimit = failedItemLimit.map { max(0, $0) }
        options.failedItemLifetime = failedItemLifetime.map { max(.zero, $0) }
        return options
    }
}

/// The treatment of an outbox item that could not be sent because of the connection.
public enum ResendPolicy: Hashable, Sendable, CaseIterable {
    /// It stays pending, and the engine sends it after the next connection.
    case automatic
    /// It fails with the error `connectionRequired`, also if it is written without a connection or
    /// was pending when an earlier process ended. The user may resend it.
    case manual
    /// As `manual`, but `resend` throws `notPermitted`: the user can only remove it.
    case off
}

/// The treatment of the outbox items after one that failed, in its channel.
public enum FailedItemPolicy: Hashable, Sendable, CaseIterable {
    /// They are sent.
    case goOn
    /// They wait until the failed one is sent again, or canceled.
    case stop
}

/// The treatment of a huge gap.
public enum HugeGapPolicy: Hashable, Sendable, CaseIterable {
    /// It is reported, and filled no further until the app asks for it.
    case report
    /// It is reported, and filled to its end.
    case fill
}
