import Models

/// The settings of a ``SyncEngine``; values out of range are replaced by the nearest valid ones.
public struct SyncOptions: Hashable, Sendable {
    /// The delays before the engine reconnects and before it retries a request.
    ///
    /// An outbox item fails after ``Backoff/maximumAttempts`` failed requests, by default never. A
    /// server that throttles the client may demand longer delays, up to a day.
    public var backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))

    /// The number of messages in a page that the engine requests on its own: 1...10,000, by default
    /// 100.
    public var pageSize = 100

    /// The number of channels whose history is fetched concurrently, each with one request; at
    /// least 1, by default 2.
    public var parallelRequests = 2

    /// The number of channels, the newest ones, whose recent messages are fetched in the
    /// background; at least 0, by default 20.
    public var backgroundChannels = 20

    /// The maximum number of pages fetched in the background for each channel and connection; at
    /// least 0, by default 5.
    ///
    /// Channels that are visible, or that a caller waits for, have no limit.
    public var backgroundPages = 5

    /// The number of missing messages above which a gap of a visible channel is huge; at least 0,
    /// by default 300.
    ///
    /// Missing messages, except those that are cached or in the outbox, are counted while they are
    /// fetched. With `Int.max`, no gap is huge.
    public var hugeGapThreshold = 300

    /// The policy for huge gaps; by default ``HugeGapPolicy/report``.
    public var hugeGapPolicy = HugeGapPolicy.report

    /// The maximum difference between the clocks of the server's machines; at least zero, by
    /// default one second.
    ///
    /// A message that the feed omitted may be older, by up to this duration, than the newest one
    /// that it reported, so cached messages of that period before a truncation's gap are fetched
    /// again, as are those that are newer than the feed's last complete answer. Use zero if a
    /// single clock sets the times of all messages, and no two are equal.
    public var clockSkew = Duration.seconds(1)

    /// The number of channels in which the engine sends outbox items concurrently, one at a time in
    /// each; at least 1, by default 4.
    public var parallelSends = 4

    /// The duration after which an unsent outbox item fails, measured by the device's clock; at
    /// least zero, by default three days.
    public var outboxItemLifetime = Duration.seconds(3 * 24 * 60 * 60)

    /// The policy for outbox items whose request failed because of the connection; by default
    /// ``ResendPolicy/automatic``, as often as ``backoff`` allows.
    public var resendPolicy = ResendPolicy.automatic

    /// The policy for the items that follow a failed item in the outbox of a channel; by default
    /// ``FailedItemPolicy/continue``.
    public var failedItemPolicy = FailedItemPolicy.continue

    /// The maximum number of failed outbox items in each channel, above which the oldest are
    /// canceled; at least 0, by default `nil` for no limit.
    public var failedItemLimit: Int?

    /// The duration after which failed outbox items are canceled at the next connection; at least
    /// zero, by default `nil` for no limit.
    public var failedItemLifetime: Duration?

    /// The duration after which a user no longer counts as typing without another report of the
    /// feed; at least zero, by default a minute.
    public var typingTimeout = Duration.seconds(60)

    /// The interval at which the engine polls a feed that returns empty batches at once; at least a
    /// tenth of a second, by default two seconds.
    ///
    /// A feed that waits for events for at least this interval is not polled. The interval grows by
    /// a tenth with each empty batch, up to ``idlePollInterval``; an event or an action of the user
    /// resets it.
    public var pollInterval = Duration.seconds(2)

    /// The longest interval between polls of a feed without events; at least ``pollInterval``, by
    /// default 30 seconds, which it reaches after about five minutes.
    public var idlePollInterval = Duration.seconds(30)

    /// Creates the default options.
    public init() {}
}

extension SyncOptions {
    /// The maximum difference between the clocks of the device and of a correct server.
    var clockDifference: Duration { .seconds(300) + clockSkew }

    /// Returns the latest time that a message can have, by the clock of a correct server.
    func latestTime(at now: Timestamp) -> Timestamp { now.advanced(by: clockDifference) }

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
        options.typingTimeout = max(.zero, typingTimeout)
        options.pollInterval = max(.milliseconds(100), pollInterval)
        options.idlePollInterval = max(options.pollInterval, idlePollInterval)
        return options
    }
}

/// A policy for outbox items that could not be sent without a connection.
public enum ResendPolicy: Hashable, Sendable, CaseIterable {
    /// The item stays pending, and the engine sends it after the next connection.
    case automatic
    /// The item fails with the error `connectionRequired`, and the user may resend it.
    ///
    /// This also applies to items that are written without a connection, or were pending when an
    /// earlier process ended.
    case manual
    /// As `manual`, except that `resend` throws `notPermitted`: the user can only remove the item.
    case off
}

/// A policy for the items that follow a failed item in the outbox of a channel.
public enum FailedItemPolicy: Hashable, Sendable, CaseIterable {
    /// The following items are sent.
    case `continue`
    /// The following items wait until the failed one is sent or canceled.
    case stop
}

/// A policy for huge gaps.
public enum HugeGapPolicy: Hashable, Sendable, CaseIterable {
    /// The engine reports the gap, and stops filling it: the app requests the pages to show.
    case report
    /// The engine reports the gap, and fills it completely.
    case fill
}
