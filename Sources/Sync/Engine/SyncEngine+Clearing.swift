public import Models
import Store

// Clearing the cache while the engine runs. Clearing the store directly would leave a feed cursor
// without the data before it.
extension SyncEngine {
    /// Removes all data that can be fetched again.
    ///
    /// The outbox is kept, and the feed starts from the beginning.
    ///
    /// The push inbox is cleared too.
    ///
    /// The rows are inaccessible immediately. They are removed from the disk by later writes, or
    /// immediately by `ChatStore.purgeCleared()`.
    ///
    /// A cache whose tables are damaged cannot be cleared row by row:
    /// `ChatClient.clearCachedData()` removes its files, and `ChatStore.rebuildCache(at:)` does for
    /// a store that is closed.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func clearCachedData() throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedData() }
        try withPushInboxFiles { (store) throws(StoreError) in
            try store.removePushes(store.pushNames())
        }
    }

    /// Removes the messages of channels.
    ///
    /// The channels and the outbox are kept.
    ///
    /// Visible messages are fetched again.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedMessages(in: urls) }
    }
}

extension SyncCore {
    fileprivate mutating func clearCachedData() throws(SyncError) {
        let known = state.user
        let isCleared: Void? = write { (ingest) throws(StoreError) in
            // If it cannot be read, it is removed too: the server sends it again.
            let stored = try ingest.batch.storedUserOrNil()
            let info = try ingest.batch.storedAppInfo()
            let epoch = try ingest.batch.lastEpoch()
            let losses = try ingest.batch.lossCount()
            for url in try ingest.batch.channelURLs() { ingest.forget(url) }
            ingest.flights.voidAll()
            try ingest.batch.clearCachedData()
            // The owner of the store, and the epoch of the data that precedes the start of the
            // feed.
            if let user = known ?? stored { ingest.batch.setUser(user) }
            ingest.batch.setAppInfo(info)
            ingest.batch.setLastEpoch(epoch)
            ingest.batch.setLossCount(losses + 1)
        }
        guard isCleared != nil else { throw unwritten("the cache could not be cleared") }
        cacheDamage = nil
        // Its response would follow data that no longer exists.
        for (number, call) in calls where call.isOfFeed { drop(number) }
        state.isLive = false
        hasFeedBegun = false
        isCatchingUp = true
        healing.examineAgain()
        startFeed()
    }

    fileprivate mutating func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        let isCleared: Void? = write { (ingest) throws(StoreError) in
            for url in urls { try ingest.clearMessages(in: url) }
        }
        guard isCleared != nil else { throw unwritten("the messages could not be cleared") }
        for url in urls {
            stopHealing(url)
            healing.examine(url, isNew: true)
        }
    }

    /// Returns the error of a write that has just failed.
    func unwritten(_ message: String) -> SyncError {
        state.failure ?? SyncError(.store, message)
    }
}

extension Ingest {
    fileprivate mutating func clearMessages(in url: ChannelURL) throws(StoreError) {
        flights.void(url)
        forget(url)
        batch.setUnreported(nil, of: url)
        batch.setMessageChangelogToken(nil, of: url)
        try batch.clearMessages(in: url)
    }
}
