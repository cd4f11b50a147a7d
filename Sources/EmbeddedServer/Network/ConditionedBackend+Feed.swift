public import Models
import Store
import Sync

extension ConditionedBackend {
    /// Forwards the call to ``base``, and applies the conditions to the batch.
    ///
    /// - Throws: `notConnected` as soon as the network is disconnected.
    public func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        let (id, losses, task) = state.withLock { state in
            state.beginFeed {
                do throws(BackendError) {
                    let batch = try await self.perform(CoreCall.Feed(since: cursor)) {
                        passage throws(BackendError) in
                        try await self.batch(passage, since: cursor)
                    }
                    return .success(batch)
                } catch {
                    return .failure(error)
                }
            }
        }
        defer { state.withLock { $0.feeds[id] = nil } }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if case .failure(let error) = result, error.code == .canceled, !Task.isCancelled,
            state.withLock({ $0.losses != losses })
        {
            throw .notConnected
        }
        return try result.get()
    }

    private func batch(
        _ passage: Passage, since cursor: FeedCursor?
    ) async throws(BackendError) -> FeedBatch {
        // Changes of the initial channel list could not be repeated: it may be another one next
        // time.
        guard let cursor else {
            var batch = try await base.feed(since: nil)
            batch.cursor = feedCursor(ConditionedCursor(batch.cursor.rawValue))
            return batch
        }
        let requested = try read(cursor.rawValue, .feedCursors)
        guard let since = requested.base else { throw .expired(cursor.rawValue) }
        var random = passage.outcome.random
        guard !random.happens(passage.outcome.conditions.feed.expired) else {
            throw .expired(cursor.rawValue)
        }
        // The same cursor returns the same batch again.
        let seed = passage.outcome.conditions.seed
        var plan = FeedPlan(
            conditions: passage.outcome.conditions.feed,
            random: SplitMix64(seed: seed, "feed", cursor.rawValue))
        if let repeated = repetition(of: cursor, requested, &plan) {
            log(passage, "a batch repeated")
            return repeated
        }

        var whole = try await base.feed(since: FeedCursor(since))
        let kept = requested.part > 0 ? state.withLock { $0.cutBatch } : nil
        if let kept, kept.since == since {
            whole.events += kept.batch.events.filter(\.isReportedOnce)
        }
        // If the answer to an earlier request was lost, the kept batch may be newer.
        let isKept = kept.map { $0 == (since, requested.part, whole) } ?? false
        let batch = cut(
            whole, since: since, isKept: isKept, at: requested, passage, &plan)
        state.withLock { $0.lastBatch = batch }
        return batch
    }

    /// Returns the next part of a batch, which also has newer events unless it is the batch of the
    /// last part.
    private func cut(
        _ whole: FeedBatch, since: String, isKept: Bool, at requested: ConditionedCursor,
        _ passage: Passage, _ plan: inout FeedPlan
    ) -> FeedBatch {
        let reported =
            isKept
            ? requested.reported
            : FeedPlan.fingerprints(requested.reported, validForNewer: whole.events)
        var items = FeedPlan.items(of: whole.events, reported: reported)
        items = withTruncations(items, passage, &plan)
        let (arranged, lost) = plan.arrange(items)
        let length = plan.length(of: arranged.count, part: requested.part)
        if !lost.isEmpty { log(passage, "\(lost.count) events lost") }

        var batch = whole
        batch.events = arranged.prefix(length).map(\.event)
        if length == arranged.count {
            batch.cursor = feedCursor(ConditionedCursor(whole.cursor.rawValue))
            state.withLock { $0.cutBatch = nil }
        } else {
            var next = ConditionedCursor(since)
            next.part = requested.part + 1
            next.reported = reported + lost + arranged.prefix(length).flatMap(\.sources)
            batch.cursor = feedCursor(next)
            batch.isLive = false
            state.withLock { $0.cutBatch = (since, next.part, whole) }
            log(passage, "\(length) of \(arranged.count) events delivered")
        }
        return batch
    }

    private func withTruncations(
        _ items: [FeedPlan.Item], _ passage: Passage, _ plan: inout FeedPlan
    ) -> [FeedPlan.Item] {
        let omitted = plan.omitted(from: items)
        for part in omitted {
            let count = part.indices.count
            log(passage, "\(count) events of \(part.channelURL) omitted with a truncation")
        }
        return FeedPlan.truncate(items, omitting: omitted)
    }

    private func repetition(
        of cursor: FeedCursor, _ requested: ConditionedCursor, _ plan: inout FeedPlan
    ) -> FeedBatch? {
        guard plan.random.happens(plan.conditions.repeatedBatches), !requested.isRepeated,
            var batch = state.withLock({ $0.lastBatch }), batch.cursor == cursor
        else { return nil }
        var next = requested
        next.isRepeated = true
        batch.cursor = feedCursor(next)
        return batch
    }

    private func feedCursor(_ cursor: ConditionedCursor) -> FeedCursor {
        var cursor = cursor
        cursor.generation = generation(.feedCursors)
        return FeedCursor(cursor.text)
    }
}

extension NetworkState {
    mutating func beginFeed(
        _ body: @escaping @Sendable () async -> Result<FeedBatch, BackendError>
    ) -> (id: Int, losses: Int, FeedTask) {
        feedCount += 1
        let task = Task { await body() }
        feeds[feedCount] = task
        return (feedCount, losses, task)
    }
}
