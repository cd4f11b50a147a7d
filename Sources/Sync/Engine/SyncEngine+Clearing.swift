public import Models
import Store

// Only the engine may clear its store. Otherwise, the feed would continue at its cursor, and would
// not report the removed data again.
extension SyncEngine {
    /// Removes all cached data and the contents of the push inbox, and restarts the feed from the
    /// beginning.
    ///
    /// The outbox is kept. When the call returns, the rows can no longer be read. Later writes
    /// remove them from the disk; `ChatStore.purgeCleared()` does so immediately.
    ///
    /// If the tables of the cache are damaged, the call fails. Use `ChatClient.clearCachedData()`,
    /// which removes the files, or `ChatStore.rebuildCache(at:)` while the store is closed.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func clearCachedData() throws(SyncError) {
        try clearCachedData(source: .cacheCleared)
    }

    /// Removes all cached data, as ``clearCachedData()`` does, and reports it with a source.
    package func clearCachedData(source: CollectionEventSource) throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedData(source) }
        try withPushInboxFiles { (store) throws(StoreError) in
            try store.removePushes(store.pushNames())
        }
    }

    /// Removes the cached messages of channels.
    ///
    /// The channels and the outbox are kept, and the messages of visible channels are fetched
    /// again.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedMessages(in: urls) }
    }
}

extension SyncCore {
    mutating func clearCachedData(
        _ source: CollectionEventSource = .cacheCleared
    ) throws(SyncError) {
        let known = state.user
        try write(orFail: "the cache could not be cleared") { (ingest) throws(StoreError) in
            // If the stored user cannot be read, it is removed too. The server sends the user
            // again.
            let stored = try ingest.batch.storedUserOrNil()
            let info = try ingest.batch.storedAppInfo()
            let epoch = try ingest.batch.lastEpoch()
            let losses = try ingest.batch.lossCount()
            for url in try ingest.batch.channelURLs() { ingest.invalidateKnowledge(of: url) }
            ingest.flights.voidAll()
            try ingest.batch.clearCachedData(source: source)
            // Keep the owner of the store. Also keep the server epoch, until the feed starts again.
            if let user = known ?? stored { ingest.batch.setUser(user) }
            ingest.batch.setAppInfo(info)
            ingest.batch.setLastEpoch(epoch)
            ingest.batch.setLossCount(losses + 1)
        }
        cacheDamage = nil
        discardUnreadItems()
        // Cancel the feed's request in flight: its answer would only contain events that are newer
        // than the removed data.
        for (number, call) in calls where call.isOfFeed { cancelCall(number) }
        state.isLive = false
        hasFeedBegun = false
        isCatchingUp = true
        backfill.enqueueAll()
        startFeed()
    }

    mutating func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        try write(orFail: "the messages could not be cleared") { (ingest) throws(StoreError) in
            for url in urls { try ingest.clearMessages(in: url) }
        }
        for url in urls {
            stopBackfill(of: url)
            backfill.examine(url, isNew: true)
        }
    }
}

extension Ingest {
    fileprivate mutating func clearMessages(in url: ChannelURL) throws(StoreError) {
        flights.void(url)
        invalidateKnowledge(of: url)
        batch.setUnreported(nil, of: url)
        batch.setMessageChangelogToken(nil, of: url)
        try batch.clearMessages(in: url)
    }
}
