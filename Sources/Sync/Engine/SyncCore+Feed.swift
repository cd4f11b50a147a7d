import Models
import Store

extension SyncCore {
    /// The number of consecutive failures of the feed after which the following events count as
    /// missed, and not as live.
    private static let toleratedFeedFailures = 2

    /// Requests the next batch of the feed, unless a request is in flight.
    mutating func startFeed() {
        guard connector.isOn, !calls.values.contains(where: \.isOfFeed) else { return }
        guard let token = read({ (reader) throws(StoreError) in try reader.feed() }) else {
            return waitForFeed(atLeast: nil)
        }
        hasFeedBegun = token != nil
        polling.isWaiting = false
        polling.requestedAt = time
        call(CoreCall.Feed(since: token?.point.cursor), .feed(after: token))
    }

    mutating func handleFeed(
        _ answer: Result<FeedBatch, BackendError>, after token: FeedToken?
    ) {
        switch answer {
        case .success(let batch):
            guard let last = read({ (reader) throws(StoreError) in try reader.lastEpoch() }) else {
                return waitForFeed(atLeast: nil)
            }
            if let last, last != batch.epoch { return handleLoss(.newEpoch, batch.epoch) }
            guard store(batch, after: token) else { return waitForFeed(atLeast: nil) }
            feedFailures = 0
            connector.recordProgress()
            let isRepeated = batch.cursor == token?.point.cursor
            continueFeed(after: batch, isRepeated: isRepeated)
        case .failure(let error) where error.code == .expired && token != nil:
            handleLoss(.expiredCursor)
        case .failure(let error):
            waitForFeed(atLeast: error.retryAfter)
        }
    }

    private mutating func waitForFeed(atLeast duration: Duration?) {
        polling.isAwaited = false
        // Do not retry: the feed would report the same events, and storing them in the damaged
        // cache would fail again.
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
        guard write({ (ingest) throws(StoreError) in try ingest.recordLoss(loss, epoch) }) != nil
        else {
            return waitForFeed(atLeast: nil)
        }
        if loss == .newEpoch { endItemsOfFormerEpochs() }
        state.isLive = false
        polling.isAwaited = false
        isCatchingUp = true
        act(.emit(.historyLost(loss)))
        backfill.enqueueAll()
        startFeed()
    }

    /// Stores a batch of the feed with its cursor, and returns whether that has succeeded.
    private mutating func store(_ batch: FeedBatch, after token: FeedToken?) -> Bool {
        let becomesLive = batch.isLive && !state.isLive
        let known = read { (reader) throws(StoreError) in try reader.hasAllChannels() }
        guard let known else { return false }
        let hasReportedAll = batch.isLive && !known
        let missed = isCatchingUp ? missedChannels : nil
        let hasCaughtUp = batch.isLive && !missedChannels.isEmpty
        if !batch.events.isEmpty || token?.point.cursor != batch.cursor || hasReportedAll
            || hasCaughtUp
        {
            let report = write { (ingest) throws(StoreError) in
                let report = try ingest.apply(batch, after: token?.point, missed: missed)
                let point = FeedPoint(batch.cursor, number: (token?.point.number ?? 0) + 1)
                ingest.batch.setFeed(FeedToken(point, batch.epoch))
                if token == nil { ingest.batch.setLastEpoch(nil) }
                if hasReportedAll {
                    try ingest.clearUnlistedChannels()
                    ingest.batch.setHasAllChannels(true)
                }
                return report
            }
            guard let report else { return false }
            followTyping(report.typing)
            // The server may have answered requests before the feed began. The feed does not report
            // events between these answers and its beginning, so discard the answers.
            if token == nil { flights.voidAll() }
            hasFeedBegun = true
            missedChannels = report.missedChannels
            for url in report.removedChannels { stopBackfill(of: url) }
            for url in report.channelsToBackfill { backfill.examine(url, isNew: true) }
        }
        if becomesLive { examineRecentChannels() }
        state.isLive = batch.isLive
        if batch.isLive { isCatchingUp = false }
        return true
    }

    /// Starts to backfill the channels with the newest messages.
    private mutating func examineRecentChannels() {
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
    /// A query for all channels, ordered by their newest message.
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
