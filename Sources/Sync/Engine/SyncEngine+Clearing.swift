public import Models
import Store

// Only the engine may clear its store: otherwise, the feed would continue at its cursor, and never
// report the removed data again.
extension SyncEngine {
    /// Removes all cached data and the contents of the push inbox, and restarts the feed from the
    /// beginning.
    ///
    /// The outbox is kept. Later writes remove the unreadable rows from the disk;
    /// `ChatStore.purgeCleared()` does so immediately. The files of a damaged cache are replaced.
    ///
    /// - Throws: `store` or `closed`.
    public func clearCachedData() throws(SyncError) {
        try clearCachedData(source: .cacheCleared)
    }

    package func clearCachedData(source: CollectionEventSource) throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedData(source) }
        try translatingStoreErrors { () throws(StoreError) in try store.removeAllPushes() }
    }

    /// Removes the cached messages of channels; those of visible channels are fetched again.
    ///
    /// - Throws: `store` or `closed`.
    public func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedMessages(in: urls) }
    }
}

extension SyncCore {
    mutating func clearCachedData(
        _ source: CollectionEventSource = .cacheCleared
    ) throws(SyncError) {
        let now = time
        let stored = try? snapshot().storedUser()
        if let reason = damageOfCache {
            try translatingStoreErrors { () throws(StoreError) in
                try store.replaceCache(reason: reason, at: now, isRequested: true)
            }
            forgetCache()
        }
        let (known, session) = (state.user, session)
        try write(orFail: "the cache could not be cleared") { (ingest) throws(StoreError) in
            let batch = ingest.batch
            let info = try batch.unlessDamaged { () throws(StoreError) in
                try batch.storedAppInfo()
            }
            let epoch = try batch.unlessDamaged { () throws(StoreError) in try batch.lastEpoch() }
            let losses = try batch.unlessDamaged { () throws(StoreError) in try batch.lossCount() }
            for url in try ingest.batch.channelURLs() { ingest.invalidateKnowledge(of: url) }
            ingest.flights.voidAll()
            try ingest.batch.clearCachedData(source: source)
            // Keep the owner of the store and, until the feed starts again, the server epoch.
            if let user = known ?? stored { ingest.batch.setUser(user) }
            ingest.batch.setAppInfo(info ?? session?.appInfo)
            ingest.batch.setLastEpoch(epoch ?? session?.epoch)
            ingest.batch.setLossCount((losses ?? 0) + 1)
            ingest.batch.setReplacedAt(now)
        }
        cacheDamage = nil
        unreadItems = nil
        restartFeed()
    }

    private var damageOfCache: StoreError? {
        if let damage = store.cacheDamage { return damage }
        let damage = cacheDamage?.cause as? StoreError
        return damage.flatMap { store.isCacheDamage($0) ? $0 : nil }
    }

    private mutating func restartFeed() {
        // The answer in flight would contain only newer events than the removed data.
        for (number, call) in calls where call.isOfFeed { cancelCall(number) }
        state.isLive = false
        hasFeedBegun = false
        isCatchingUp = true
        backfill.enqueueFollowed(restarts: true)
        requestFeedBatch()
    }

    /// If there is a connection, replaces a damaged cache, and returns whether it did so.
    ///
    /// Without one, the cache stays, because its other rows can still be read.
    mutating func replaceDamagedCache() -> Bool {
        guard let session, connector.isOn, !isReplacementRefused, let reason = damageOfCache else {
            return false
        }
        do throws(StoreError) {
            try store.replaceCache(reason: reason, at: time)
        } catch {
            cacheDamage = SyncError(error)
            // After another error, such as a full disk, the next step tries again.
            isReplacementRefused = error.code == .corruption
            return false
        }
        forgetCache()
        write { (ingest) throws(StoreError) in
            ingest.batch.setUser(session.user)
            ingest.batch.setAppInfo(session.appInfo)
            ingest.batch.setLastEpoch(session.epoch)
        }
        missedChannels = []
        feedFailures = 0
        areLimitsDue = true
        backfill.clearFailures()
        restartFeed()
        return true
    }

    mutating func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        try write(orFail: "the messages could not be cleared") { (ingest) throws(StoreError) in
            for url in urls { try ingest.clearMessages(in: url) }
        }
        for url in urls {
            stopBackfill(of: url)
            backfill.enqueue(url, retriesFailed: true)
        }
    }
}

extension Ingest {
    /// Removes the messages of channels that are not stored, once the feed has reported all
    /// channels: until then, a message that the user sent is kept without its channel.
    mutating func clearUnlistedChannels() throws(StoreError) {
        for url in try batch.channelURLs() {
            guard try !isListed(url), try batch.newestPosition(in: url) != nil else { continue }
            try clearMessages(in: url)
        }
    }

    /// Returns whether the server could not confirm a message of a channel: it may show the history
    /// only to users who have accepted their invitation.
    func cannotConfirm(messagesIn url: ChannelURL) throws(StoreError) -> Bool {
        if try batch.groupChannel(url)?.myMemberState == .invited { return true }
        return try isUnlisted(url)
    }

    func isUnlisted(_ url: ChannelURL) throws(StoreError) -> Bool {
        guard try batch.hasAllChannels() else { return false }
        return try !isListed(url)
    }

    private func isListed(_ url: ChannelURL) throws(StoreError) -> Bool {
        if try batch.groupChannel(url) != nil { return true }
        return try batch.openChannel(url) != nil
    }

    fileprivate mutating func clearMessages(in url: ChannelURL) throws(StoreError) {
        flights.void(url)
        invalidateKnowledge(of: url)
        batch.setUnreported(nil, of: url)
        batch.setMessageChangelogToken(nil, of: url)
        try batch.clearMessages(in: url)
    }
}
