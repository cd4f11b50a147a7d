import Models

/// Decides how long the engine waits after the feed has returned an empty batch.
///
/// The feed of a server that must be polled returns an empty batch at once if there are no events.
/// Without a wait, the engine would request the next batch immediately.
struct FeedPolling {
    /// The device's time when the last batch was requested.
    var requestedAt: Timestamp = 0
    /// A Boolean value that indicates whether the engine waits before it requests the next batch.
    var isWaiting = false
    /// A Boolean value that indicates whether callers wait for the answer to the request in flight.
    var isAwaited = false
    /// The number of consecutive empty batches since the last event or the user's last action.
    private var emptyBatches = 0
    /// A Boolean value that indicates whether the last two batches were empty and came at once.
    private(set) var isPolled = false

    /// The growth of the interval from each empty batch to the next one.
    ///
    /// The interval is then about a tenth of the time without events.
    private static let growth = 1.1

    /// Determines how long to wait before the next batch is requested.
    ///
    /// A feed that has waited for events for at least the interval is not polled.
    ///
    /// - Parameters:
    ///   - batch: The batch that the feed has returned.
    ///   - isRepeated: A Boolean value that indicates whether the batch has the cursor of the
    ///     previous one.
    ///   - time: The device's time.
    ///   - options: The options of the engine, which contain the intervals.
    /// - Returns: The duration; `nil` to request the next batch immediately.
    mutating func delay(
        after batch: FeedBatch, isRepeated: Bool, at time: Timestamp, _ options: SyncOptions
    ) -> Duration? {
        isAwaited = false
        // After an empty batch with a new cursor, a feed that is not live makes progress.
        let mayBePolled =
            batch.isLive
            ? batch.events.isEmpty || isRepeated : batch.events.isEmpty && isRepeated
        let elapsed = Duration.milliseconds(
            max(0, time.milliseconds &- requestedAt.milliseconds))
        guard mayBePolled, elapsed < options.pollInterval else {
            emptyBatches = 0
            isPolled = false
            return nil
        }
        emptyBatches += 1
        // A feed that waits may return one empty batch at once, for example when it becomes live.
        guard emptyBatches > 1 else { return nil }
        isPolled = true
        let intervals = Backoff(
            interval: options.pollInterval, multiplier: FeedPolling.growth,
            maximum: options.idlePollInterval)
        let interval = intervals.delay(beforeAttempt: emptyBatches, jitter: 0) ?? .zero
        return interval - elapsed
    }

    /// Makes the following waits begin with the shortest interval again.
    mutating func endIdling() { emptyBatches = min(emptyBatches, 1) }
}

extension SyncCore {
    // MARK: Polling

    /// Requests the next batch of the feed, after a wait if the feed is polled.
    mutating func continueFeed(after batch: FeedBatch, isRepeated: Bool) {
        let delay = polling.delay(after: batch, isRepeated: isRepeated, at: time, options)
        guard let delay else { return startFeed() }
        polling.isWaiting = true
        act(
            .wait(
                .poll(generation: connector.generation), beforeAttempt: 1, atLeast: delay))
    }

    /// Ends the wait for the next poll, because the user has done something that the server may
    /// answer with events.
    mutating func pollNow() {
        polling.endIdling()
        guard polling.isWaiting else { return }
        act(.cancelWait(.poll(generation: connector.generation)))
        startFeed()
    }

    /// Polls a polled feed for callers that wait until the engine has caught up.
    ///
    /// The feed may have begun to wait for events. The callers therefore wait for the answer only
    /// for the duration of the interval.
    mutating func pollForCallers() {
        let isPolled = polling.isPolled && !polling.isAwaited
        pollNow()
        if isPolled { awaitFeed() }
    }

    /// Makes callers wait for the answer to the request of the feed that is in flight, but not
    /// longer than the interval.
    mutating func awaitFeed() {
        guard calls.values.contains(where: \.isOfFeed) else { return }
        polling.isAwaited = true
        act(
            .wait(
                .poll(generation: connector.generation), beforeAttempt: 1,
                atLeast: options.pollInterval))
    }

    /// Polls or, if a request is in flight, ends the time for which callers wait for its answer.
    mutating func endPollWait() {
        if polling.isWaiting { startFeed() } else { polling.isAwaited = false }
    }
}

extension SyncCore.Wait {
    /// A Boolean value that indicates whether the wait is part of following a polled feed.
    var isOfFeed: Bool {
        if case .poll = self { true } else { false }
    }
}
