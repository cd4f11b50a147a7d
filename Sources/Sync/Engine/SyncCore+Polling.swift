import Models

/// Decides how long the engine waits before it polls a feed that returns an empty batch at once.
struct FeedPolling {
    var requestedAt: Timestamp = 0
    var isWaiting = false
    /// True while callers wait for the answer to the request in flight.
    var isAwaited = false
    /// The number of consecutive empty batches since the last event or the user's last action.
    private var emptyBatches = 0
    /// True if the last two batches were empty and came at once.
    private(set) var isPolled = false

    /// The growth of the interval with each empty batch, which is then about a tenth of the idle
    /// time.
    private static let growth = 1.1

    /// Returns how long to wait before the next batch is requested; `nil` to request it
    /// immediately.
    ///
    /// A feed that has waited for events for at least the interval is not polled. `isRepeated` is
    /// true if the batch has the cursor of the previous one.
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

    mutating func continueFeed(after batch: FeedBatch, isRepeated: Bool) {
        let delay = polling.delay(after: batch, isRepeated: isRepeated, at: time, options)
        guard let delay else { return startFeed() }
        polling.isWaiting = true
        act(
            .wait(
                .poll(generation: connector.generation), beforeAttempt: 1, atLeast: delay))
    }

    /// Polls now, because the user has done something that the server may answer with events.
    mutating func pollNow() {
        polling.endIdling()
        guard polling.isWaiting else { return }
        act(.cancelWait(.poll(generation: connector.generation)))
        startFeed()
    }

    /// Polls for callers of `caughtUp`, which wait for the answer only for the duration of the
    /// interval: the feed may have begun to wait for events.
    mutating func pollForCallers() {
        let isPolled = polling.isPolled && !polling.isAwaited
        pollNow()
        if isPolled { awaitFeed() }
    }

    /// Makes callers wait for the feed's request in flight, but not longer than the interval.
    mutating func awaitFeed() {
        guard calls.values.contains(where: \.isOfFeed) else { return }
        polling.isAwaited = true
        act(
            .wait(
                .poll(generation: connector.generation), beforeAttempt: 1,
                atLeast: options.pollInterval))
    }

    /// Polls or, if a request is in flight, ends the wait of callers for its answer.
    mutating func endPollWait() {
        if polling.isWaiting { startFeed() } else { polling.isAwaited = false }
    }
}

extension SyncCore.Wait {
    var isOfFeed: Bool {
        if case .poll = self { true } else { false }
    }
}
