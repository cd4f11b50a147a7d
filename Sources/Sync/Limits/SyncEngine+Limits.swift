public import Models
import Store

extension SyncEngine {
    /// How many messages are removed in one write, so that none takes long.
    private static let evictedAtOnce = 500

    /// Says what would go out of the cache, and removes nothing.
    ///
    /// - Parameter size: How many bytes the cache may take. By default, what ``CacheLimits/maxSize`` says;
    ///   what takes more is made an eighth smaller than that, so that there is room for a while.
    /// - Returns: What would go. What is kept no longer, by its retention, goes in any case.
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    /// - Complexity: A lookup for each channel, and O(*n*) in the messages that are kept no longer.
    public func evictionPlan(to size: Int? = nil) async throws(SyncError) -> Eviction {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        let look = Look(
            store: store, limits: limits, size: size, now: now(), newestCount: newestCount,
            inUse: inUse, recent: recent)
        return try await onDisk { () throws(StoreError) in try look.plan().eviction }
    }

    /// Makes the cache smaller.
    ///
    /// The engine does it by itself, to the limit, while it is used; call this where the system asks for
    /// space. Removes in small writes, and then has the disk's space given back; the engine goes on
    /// meanwhile.
    ///
    /// - Parameter size: As for ``evictionPlan(to:)``. What may not go stays, however large it is.
    /// - Returns: What went. ``SyncEvent/evicted(_:)`` tells it too, if it was anything.
    /// - Throws: ``SyncError`` with code `store` or `closed`; what was removed before is gone.
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

    /// Says whether a channel's messages are never taken out.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func setPinned(_ isPinned: Bool, _ url: ChannelURL) throws(SyncError) {
        try change { (core) throws(SyncError) in
            let isSet: Void? = core.write { (ingest) throws(StoreError) in
                try ingest.batch.setPinned(isPinned, url)
            }
            guard isSet != nil else {
                throw core.unwritten("\(url) could not be pinned")
            }
        }
    }

    /// Waits until the cache is as small as it has to be.
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
            // Where somebody holds a snapshot, nothing is gained by removing more.
            let isSmaller = plan.sizeBefore < done.sizeAfter
            done.sizeAfter = plan.sizeBefore
            if removed.isEmpty || !isSmaller { break }
        }
        if !done.parts.isEmpty { tell(.evicted(done)) }
        return done
    }

    /// Removes what a plan says, as far as nobody shows it by now.
    private func remove(_ parts: [Eviction.Part]) async throws(SyncError) -> [Eviction.Part] {
        var removed: [Eviction.Part] = []
        var edges: [ChannelURL: Gap.Bound] = [:]
        for part in parts {
            var left = part.messageCount
            while left > 0 {
                let (count, from) = (
                    min(left, SyncEngine.evictedAtOnce), edges[part.channelURL] ?? .beginning
                )
                let evicted = try change { (core) throws(SyncError) in
                    try core.evict(count, in: part.channelURL, from: from)
                }
                if evicted.removed == 0 { break }
                edges[part.channelURL] = evicted.left
                left -= evicted.removed
                // The server's answers, and the user, come first.
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

/// What is needed to say what would go, beside the engine.
private struct Look: Sendable {
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
        channels.removeAll { $0.isPinned || $0.messageCount == 0 || inUse.contains($0.url) }
        if case .custom(let precedes) = limits.clearOrder { channels.sort(by: precedes) }
        var candidates: [EvictionPlan.Candidate] = []
        for channel in channels {
            candidates.append(
                EvictionPlan.Candidate(
                    channel: channel, expiredCount: try expiredCount(of: channel, in: snapshot),
                    keepsNewest: recent.contains(channel.url)))
        }
        let bytes = try store.cachedDataSize()
        let limit = limits.effectiveSize
        let target = size ?? (bytes > limit ? limit / 8 * 7 : limit)
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
