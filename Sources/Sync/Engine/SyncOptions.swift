import Models

/// Settings of a ``SyncEngine``.
///
/// A value out of range is replaced by the nearest valid one.
public struct SyncOptions: Hashable, Sendable {
    /// The delays before the engine reconnects, and before it retries a request.
    ///
    /// An outbox item whose request has failed ``Backoff/retries`` times is marked failed, and the
    /// user may resend it; by default there is no limit. A server that throttles the client may
    /// demand longer delays, up to a day.
    public var backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))

    /// The number of messages of each page that the engine requests on its own, from 1 to 10,000.
    ///
    /// The default is 100. A server may return fewer.
    public var pageSize = 100

    /// The number of channels whose history the engine fetches at the same time; at least 1.
    ///
    /// For each of these channels, one request is in flight or waits for its next attempt. The
    /// default is 2.
    public var parallelRequests = 2

    /// The number of channels whose recent messages the engine fetches in the background; at least 0.
    ///
    /// They are the channels with the newest messages. The default is 20.
    public var backgroundChannels = 20

    /// The maximum number of pages that the engine fetches in the background for each channel and
    /// connection; at least 0.
    ///
    /// Channels that are visible, or for which a caller waits, have no limit. The default is 5.
    public var backgroundPages = 5

    /// The number of missing messages above which a gap of a visible channel counts as huge; at
    /// least 0.
    ///
    /// The engine counts the messages while it fetches them, without those that were cached before.
    /// The default is 300. With `Int.max`, no gap is huge.
    public var hugeGapThreshold = 300

    /// Whether the engine fills a huge gap completely.
    ///
    /// The default is ``HugeGapPolicy/report``.
    public var hugeGapPolicy = HugeGapPolicy.report

    /// The maximum difference between the clocks of the server's machines; at least zero.
    ///
    /// A message that the feed omitted may be older than the newest message that it delivered, by
    /// up to this duration. After a truncation, the cached messages that are older than the gap by
    /// at most this duration become stale, and the engine fetches them again. The default is one
    /// second. Use zero if the times of all messages come from one clock, and are distinct.
    public var clockSkew = Duration.seconds(1)

    /// The number of channels in which the engine sends outbox items at the same time; at least 1.
    ///
    /// Within a channel, items are sent one at a time. The default is 4.
    public var parallelSends = 4

    /// The duration after which an unsent outbox item fails, measured with the device's clock; at
    /// least zero.
    ///
    /// The user may then resend the item. The default is three days.
    public var outboxItemLifetime = Duration.seconds(3 * 24 * 60 * 60)

    /// Whether the engine resends an outbox item after a connection failure.
    ///
    /// The default is ``ResendPolicy/automatic``. ``backoff`` limits the number of attempts.
    public var resendPolicy = ResendPolicy.automatic

    /// Whether the engine sends the items that follow a failed item in the outbox of a channel.
    ///
    /// The default is ``FailedItemPolicy/goOn``.
    public var failedItemPolicy = FailedItemPolicy.goOn

    /// The maximum number of failed outbox items that are kept in each channel; at least 0.
    ///
    /// If there are more, the oldest are canceled. The default is `nil`: all are kept.
    public var failedItemLimit: Int?

    /// The duration for which failed outbox items are kept; at least zero.
    ///
    /// Older ones are canceled at the next connection. The default is `nil`: there is no limit.
    public var failedItemLifetime: Duration?

    /// Creates the default options.
    public init() {}
}

extension SyncOptions {
    /// The options with values out of range replaced by the nearest valid ones.
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

/// How the engine handles an outbox item that it could not send because there was no connection.
public enum ResendPolicy: Hashable, Sendable, CaseIterable {
    /// The item stays pending, and the engine sends it after the next connection.
    case automatic
    /// The item fails with the error `connectionRequired`. This includes items that are written
    /// without a connection, and items that were pending when an earlier process ended. The user
    /// may resend it.
    case manual
    /// Like `manual`, but `resend` throws `notPermitted`: the user can only remove the item.
    case off
}

/// How the engine handles the items that follow a failed item in the outbox of a channel.
public enum FailedItemPolicy: Hashable, Sendable, CaseIterable {
    /// The following items are sent.
    case goOn
    /// The following items wait until the failed one is sent or canceled.
    case stop
}

/// How the engine handles a huge gap.
public enum HugeGapPolicy: Hashable, Sendable, CaseIterable {
    /// The gap is reported, and the rest of it is filled only on request.
    case report
    /// The gap is reported, and filled completely.
    case fill
}
