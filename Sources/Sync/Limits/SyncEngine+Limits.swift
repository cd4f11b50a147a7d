public import Models
import Store

extension SyncEngine {
    /// The maximum number of messages to remove in one write: other writes must not wait long.
    private static let evictionBatchSize = 500

    /// Returns the messages that would be evicted from the cache, without evicting them.
    ///
    /// Messages beyond their retention time are always included.
    ///
    /// - Parameter size: The size of the cache in bytes after the eviction. By default, a cache
    ///   that exceeds ``CacheLimits/maximumByteCount`` is reduced to seven eighths of it, so that
    ///   the next eviction is not needed immediately.
    /// - Returns: The messages that would be evicted.
    /// - Throws: `store` or `closed`.
    /// - Complexity: One lookup for each channel, and O(*n*) in the messages beyond their retention
    ///   time.
    public func evictionPlan(to size: Int? = nil) async throws(SyncError) -> Eviction {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        let input = EvictionInput(
            store: store, limits: limits, size: size, now: now(), newestCount: newestCount,
            inUse: core.backfill.inUse, recent: core.backfill.recent)
        return try await onDisk { () throws(StoreError) in try input.plan().eviction }
    }

    /// Reduces the size of the cache, for example when the system requests space.
    ///
    /// The engine enforces the limits on its own. It removes messages in small writes, and
    /// continues its other work during the call. ``SyncEvent/evicted(_:)`` also reports them.
    ///
    /// - Parameter size: The size, as for ``evictionPlan(to:)``. Messages that cannot be evicted
    ///   are kept, even if the cache then stays larger.
    /// - Returns: The evicted messages.
    /// - Throws: `store` or `closed`. Messages that were removed before the error stay removed.
    @discardableResult
    public func shrinkCache(to size: Int? = nil) async throws(SyncError) -> Eviction {
        await limited()
        let task = Task { await result(of: size) }
        limiting = Task { [weak self] in
            _ = await task.value
            await self?.endLimiting()
        }
        return try await task.value.get()
    }

    /// Sets whether a channel's messages are exempt from eviction.
    ///
    /// - Throws: `store` or `closed`.
    public func setKeptInCache(_ isKept: Bool, for url: ChannelURL) throws(SyncError) {
        try change { (core) throws(SyncError) in
            try core.write(orFail: "\(url) could not be kept in the cache") {
                (ingest) throws(StoreError) in
                try ingest.batch.setKeptInCache(isKept, for: url)
            }
        }
    }

    package func limited() async {
        while let limiting { await limiting.value }
    }

    func result(of size: Int?) async -> Result<Eviction, SyncError> {
        do throws(SyncError) {
            return .success(try await evict(to: size))
        } catch {
            return .failure(error)
        }
    }

    private func evict(to size: Int?) async throws(SyncError) -> Eviction {
        var plan = try await evictionPlan(to: size)
        var done = Eviction(sizeBefore: plan.sizeBefore, sizeAfter: plan.sizeBefore)
        while !plan.parts.isEmpty {
            let removed = try await remove(plan.parts)
            done.parts += removed
            let urls = Set(removed.map(\.channelURL)).sorted()
            try await onDisk { [store] () throws(StoreError) in
                try store.compactMessages(in: urls)
            }
            plan = try await evictionPlan(to: size)
            // If a snapshot is using the files, the size stays, and removing more would not help.
            let isSmaller = plan.sizeBefore < done.sizeAfter
            done.sizeAfter = plan.sizeBefore
            if removed.isEmpty || !isSmaller { break }
        }
        if !done.parts.isEmpty { eventObservers.notify(.evicted(done)) }
        return done
    }

    private func remove(_ parts: [Eviction.Part]) async throws(SyncError) -> [Eviction.Part] {
        var removed: [Eviction.Part] = []
        var lowerBounds: [ChannelURL: Gap.Bound] = [:]
        for part in parts {
            var left = part.messageCount
            while left > 0 {
                let (count, from) = (
                    min(left, SyncEngine.evictionBatchSize),
                    lowerBounds[part.channelURL] ?? .beginning
                )
                let evicted = try change { (core) throws(SyncError) in
                    try core.evict(count, in: part.channelURL, from: from)
                }
                if evicted.removed == 0 { break }
                lowerBounds[part.channelURL] = evicted.left
                left -= evicted.removed
                // Let other calls of the engine run first.
                await Task.yield()
            }
            let count = part.messageCount - left
            if count > 0 {
                removed.append(
                    Eviction.Part(
                        channelURL: part.channelURL, messageCount: count, reason: part.reason))
            }
        }
        return removed
    }
}

private struct EvictionInput: Sendable {
    let store: ChatStore
    let limits: CacheLimits
    let size: Int?
    let now: Timestamp
    let newestCount: Int
    let inUse: Set<ChannelURL>
    let recent: Set<ChannelURL>

    func plan() throws(StoreError) -> EvictionPlan {
        let snapshot = try store.snapshot()
        var channels = try snapshot.cachedChannels()
        let messageCount = channels.reduce(0) { $0 + $1.messageCount }
        channels.removeAll { $0.isKeptInCache || $0.messageCount == 0 || inUse.contains($0.url) }
        channels.sort(by: limits.clearOrder.precedes)
        var candidates: [EvictionPlan.Candidate] = []
        for channel in channels {
            candidates.append(
                EvictionPlan.Candidate(
                    channel: channel, expiredCount: try expiredCount(of: channel, in: snapshot),
                    keepsNewest: recent.contains(channel.url)))
        }
        let bytes = try store.cachedDataSize()
        let limit = limits.effectiveByteCount
        let target = size.map { max(0, $0) } ?? (bytes > limit ? limit / 8 * 7 : limit)
        return EvictionPlan(
            candidates: candidates, newestCount: newestCount, size: bytes,
            target: bytes > target ? target : nil, messageCount: messageCount)
    }

    private func expiredCount(
        of channel: CachedChannel, in snapshot: Snapshot
    ) throws(StoreError) -> Int {
        switch limits.retention?(channel.url) ?? .unlimited {
        case .unlimited: return 0
        case .whileShown: return channel.messageCount
        case .lasting(let duration):
            let oldestKept = Position(createdAt: now.earlier(by: duration), messageID: "")
            return try snapshot.messageCount(
                in: channel.url, from: .beginning, to: .position(oldestKept))
        }
    }
}
