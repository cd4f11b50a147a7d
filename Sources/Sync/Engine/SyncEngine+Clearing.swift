public import Models
import Store

// Emptying the cache while the engine goes on. Writing to the store beside the engine would leave a cursor
// behind what it justified.
extension SyncEngine {
    /// Removes all that the server can give again; what the user wrote stays, and the feed begins anew.
    ///
    /// What waits in the drop box goes, too.
    ///
    /// The rows are out of reach at once. They leave the disk with later writes; at once, if
    /// `ChatStore.purgeCleared()` is called.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func clearCachedData() throws(SyncError) {
        try change { (core) throws(SyncError) in try core.clearCachedData() }
        try withDropFiles { (store) throws(StoreError) in try store.removeDrops(store.dropNames()) }
    }

    /// Removes the messages of channels; the channels, and what the user wrote, stay.
    ///
    /// What is shown of them is fetched again.
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
            // One that cannot be read goes with the rest: the server says it again.
            let stored = try ingest.batch.storedUserOrNil()
            let info = try ingest.batch.storedAppInfo()
            let epoch = try ingest.batch.lastEpoch()
            let losses = try ingest.batch.lossCount()
            for url in try ingest.batch.channelURLs() { ingest.forget(url) }
            ingest.flights.voidAll()
            try ingest.batch.clearCachedData()
            // Whose the store is, and of which history what comes before the feed has begun.
            if let user = known ?? stored { ingest.batch.setUser(user) }
            ingest.batch.setAppInfo(info)
            ingest.batch.setLastEpoch(epoch)
            ingest.batch.setLossCount(losses + 1)
        }
        guard isCleared != nil else { throw unwritten("the cache could not be cleared") }
        // What it tells next comes after what is not there any more.
        for (number, call) in calls where call.isOfFeed { drop(number) }
        state.isLive = false
        hasFeedBegun = false
        healing.lookAgain()
        startFeed()
    }

    fileprivate mutating func clearCachedMessages(in urls: [ChannelURL]) throws(SyncError) {
        let isCleared: Void? = write { (ingest) throws(StoreError) in
            for url in urls { try ingest.clearMessages(in: url) }
        }
        guard isCleared != nil else { throw unwritten("the messages could not be cleared") }
        for url in urls {
            stopHealing(url)
            healing.look(at: url, isNew: true)
        }
    }

    /// Why a write has failed just now.
    func unwritten(_ message: String) -> SyncError {
        state.failure ?? SyncError(.store, message)
    }
}

extension Ingest {
    fileprivate mutating func clearMessages(in url: ChannelURL) throws(StoreError) {
        flights.void(url)
        forget(url)
        batch.setUntold(nil, of: url)
        batch.setMessageChangelogToken(nil, of: url)
        try batch.clearMessages(in: url)
    }
}
