import Models
import Store

extension SyncCore {
    /// The number of consecutive failures above which later events count as missed, not live.
    private static let toleratedFeedFailures = 2

    /// The number of consecutive losses of history that the feed does not wait for: a restored
    /// server reports that the cursor has expired, and then its new epoch.
    private static let toleratedLosses = 2

    private static let discardLimit = 5

    mutating func requestFeedBatch() {
        guard connector.isOn, !calls.values.contains(where: \.isOfFeed) else { return }
        guard let token = read({ (reader) throws(StoreError) in try reader.feedToken() }) else {
            return retryFeedLater(atLeast: nil)
        }
        hasFeedBegun = token != nil
        polling.isWaiting = false
        polling.requestedAt = now
        answeredChannels = []
        call(CoreCall.Feed(since: token?.point.cursor), .feed(after: token))
    }

    mutating func handleFeed(
        _ answer: Result<FeedBatch, BackendError>, after token: FeedToken?,
        _ interim: Flights.Interim?
    ) {
        switch answer {
        case .success(let batch):
            guard let last = read({ (reader) throws(StoreError) in try reader.lastEpoch() }) else {
                return retryFeedLater(atLeast: nil)
            }
            if let last, last != batch.epoch { return handleLoss(.newEpoch, batch.epoch) }
            guard !mayBeOutdated(batch, interim) || discardedBatches == SyncCore.discardLimit else {
                return requestAgain(batch, after: token)
            }
            guard applyBatch(batch, after: token) else { return retryFeedLater(atLeast: nil) }
            discardedBatches = 0
            feedFailures = 0
            if token != nil { consecutiveLosses = 0 }
            connector.recordProgress()
            let isRepeated = batch.cursor == token?.point.cursor
            continueFeed(after: batch, isRepeated: isRepeated)
        case .failure(let error) where error.code == .expired && token != nil:
            handleLoss(.expiredCursor)
        case .failure(let error):
            retryFeedLater(atLeast: error.retryAfter)
        }
    }

    /// Returns whether a batch may have an older state of a channel or message than an answer that
    /// was stored since the request.
    ///
    /// Events of messages in other channels may also be outdated; `Ingest` compares their versions
    /// or times with the stored messages.
    private func mayBeOutdated(_ batch: FeedBatch, _ interim: Flights.Interim?) -> Bool {
        guard let interim else { return !batch.events.isEmpty }
        return batch.events.contains { event in
            switch event {
            case .channels(let urls), .joinedChannels(let urls):
                !interim.channels.isSubset(of: urls)
            case .messageChanged(_, let url): answeredChannels.contains(url)
            default:
                !event.isReportedOnce
                    && (event.channelURL.map(interim.channels.contains)
                        ?? !interim.channels.isEmpty)
            }
        }
    }

    /// Requests a batch again, with newer states, and stores only the events that no other batch
    /// reports.
    ///
    /// The batch nevertheless shows whether the feed is live, which callers may wait for.
    private mutating func requestAgain(_ batch: FeedBatch, after token: FeedToken?) {
        discardedBatches += 1
        var rest = batch
        rest.events = batch.events.filter(\.isReportedOnce)
        if !rest.events.isEmpty {
            let report = write { (ingest) throws(StoreError) in
                try ingest.applyFeed(rest, after: token?.point)
            }
            followTyping(report?.typing ?? [:])
        }
        if batch.isLive, token != nil, !state.isLive {
            state.isLive = true
            queueRecentChannels()
        }
        requestFeedBatch()
        // The server may have nothing more to report, and wait for other events.
        awaitFeed()
    }

    private mutating func retryFeedLater(atLeast duration: Duration?) {
        polling.isAwaited = false
        // Storing the same events in the damaged cache would fail again.
        guard !isHaltedByDamage else {
            state.isLive = false
            return
        }
        feedFailures += 1
        if feedFailures > SyncCore.toleratedFeedFailures { isCatchingUp = true }
        act(
            .wait(
                .feed(generation: connector.generation), beforeAttempt: feedFailures + 1,
                atLeast: duration))
    }

    private mutating func handleLoss(_ loss: HistoryLoss, _ epoch: ServerEpoch? = nil) {
        let recorded: Void? = write { (ingest) throws(StoreError) in
            try ingest.recordLoss(loss, epoch)
        }
        guard recorded != nil else { return retryFeedLater(atLeast: nil) }
        if loss == .newEpoch { endItemsOfFormerEpochs() }
        state.isLive = false
        polling.isAwaited = false
        isCatchingUp = true
        act(.emit(.historyLost(loss)))
        backfill.enqueueFollowed(restarts: true)
        // The loss has removed the cursor.
        hasFeedBegun = false
        consecutiveLosses += 1
        // A server may lose its history again and again.
        if consecutiveLosses > SyncCore.toleratedLosses {
            retryFeedLater(atLeast: nil)
        } else {
            requestFeedBatch()
        }
    }

    private mutating func applyBatch(_ batch: FeedBatch, after token: FeedToken?) -> Bool {
        let becomesLive = batch.isLive && !state.isLive
        let hasAll = read { (reader) throws(StoreError) in try reader.hasAllChannels() }
        guard let hasAll else { return false }
        let completesList = batch.isLive && !hasAll
        let missed = isCatchingUp ? missedChannels : nil
        let endsCatchingUp = batch.isLive && !missedChannels.isEmpty
        if !batch.events.isEmpty || token?.point.cursor != batch.cursor || completesList
            || endsCatchingUp
        {
            // A batch that is not live may lack events that precede its request.
            let earlier = batch.isLive ? nil : token?.requestedAt
            let requestedAt = earlier ?? polling.requestedAt
            let report = write { (ingest) throws(StoreError) in
                let report = try ingest.applyFeed(batch, after: token?.point, missed: missed)
                let point = FeedPoint(batch.cursor, number: (token?.point.number ?? 0) &+ 1)
                ingest.batch.setFeedToken(FeedToken(point, batch.epoch, requestedAt: requestedAt))
                // From now on, the token has the epoch.
                if token == nil { ingest.batch.setLastEpoch(nil) }
                if completesList {
                    try ingest.clearUnlistedChannels()
                    ingest.batch.setHasAllChannels(true)
                }
                return report
            }
            guard let report else { return false }
            followTyping(report.typing)
            // Void the answers to calls in flight: the server may have made them before the feed
            // began, and the feed does not report the events in between.
            if token == nil { flights.voidAll() }
            hasFeedBegun = true
            missedChannels = report.missedChannels
            for url in report.removedChannels { stopBackfill(of: url) }
            for url in report.channelsToBackfill { backfill.enqueue(url, retriesFailed: true) }
        }
        if becomesLive { queueRecentChannels() }
        state.isLive = batch.isLive
        if batch.isLive { isCatchingUp = false }
        return true
    }

    private mutating func queueRecentChannels() {
        guard options.backgroundChannels > 0 else { return }
        let query = GroupChannelListQuery.recent
        let limit = options.backgroundChannels
        let recent = read { (reader) throws(StoreError) in
            try reader.groupChannels(matching: query, limit: limit)
        }
        backfill.setRecent(recent?.map(\.url) ?? [])
    }
}

extension GroupChannelListQuery {
    fileprivate static var recent: GroupChannelListQuery {
        var query = GroupChannelListQuery()
        query.hiddenStateFilter = .all
        return query
    }
}

extension SyncCore.Call {
    var isOfFeed: Bool {
        if case .feed = purpose { true } else { false }
    }
}

// MARK: Polling

struct FeedPolling {
    var requestedAt: Timestamp = 0
    var isWaiting = false
    /// True while callers wait for the answer to the request in flight.
    var isAwaited = false
    /// The number of consecutive empty batches since the last event or action of the user.
    private var emptyBatches = 0
    /// True if the last two batches were empty and came at once.
    private(set) var isPolled = false

    /// The growth of the interval with each empty batch, to about a tenth of the idle time.
    private static let growth = 1.1

    /// Records that a batch has arrived, and returns how long to wait before the next request.
    ///
    /// Returns `nil` if the request is to be made at once. A feed that has waited for events for at
    /// least the interval is not polled. `isRepeated` is true if the batch has the cursor of the
    /// previous one.
    mutating func record(
        _ batch: FeedBatch, isRepeated: Bool, at time: Timestamp, _ options: SyncOptions
    ) -> Duration? {
        isAwaited = false
        // After an empty batch with a new cursor, a feed that is not live makes progress.
        let mayBePolled =
            batch.isLive
            ? batch.events.isEmpty || isRepeated : batch.events.isEmpty && isRepeated
        let elapsed = max(.zero, requestedAt.duration(to: time))
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

    mutating func endIdling() { emptyBatches = min(emptyBatches, 1) }
}

extension SyncCore {
    // MARK: Polling

    mutating func continueFeed(after batch: FeedBatch, isRepeated: Bool) {
        let delay = polling.record(batch, isRepeated: isRepeated, at: time, options)
        guard let delay else { return requestFeedBatch() }
        polling.isWaiting = true
        act(
            .wait(
                .poll(generation: connector.generation), beforeAttempt: 1, atLeast: delay))
    }

    /// Polls, because the user did something that the server may answer with events.
    mutating func pollNow() {
        polling.endIdling()
        guard polling.isWaiting else { return }
        act(.cancelWait(.poll(generation: connector.generation)))
        requestFeedBatch()
    }

    /// Polls for callers of `caughtUp`.
    ///
    /// They wait for the answer no longer than the interval, because the feed may have begun to
    /// wait for events.
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

    mutating func endPollWait() {
        if polling.isWaiting { requestFeedBatch() } else { polling.isAwaited = false }
    }
}

extension SyncCore.Wait {
    var isOfPolling: Bool {
        if case .poll = self { true } else { false }
    }
}
