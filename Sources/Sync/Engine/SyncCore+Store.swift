import Models
import Store

// Reading and writing the store in a step.
extension SyncCore {
    /// Writes to the store, and records whether the store has failed.
    ///
    /// - Returns: The result of the closure; `nil` if nothing was written.
    @discardableResult
    mutating func write<Result>(_ body: (inout Ingest) throws(StoreError) -> Result) -> Result? {
        var result: Result?
        var newFlights = flights
        var reactionChanges: [KnownReactions.Change] = []
        var endedItems: [(item: OutboxItem, result: DeliveryResult)] = []
        var addedChannels: [ChannelURL] = []
        var dividedChannels: [ChannelURL] = []
        var newUnreadItems = unreadItems
        do {
            try store.write { batch in
                // Before the engine has connected, the user is the stored one of the last session.
                var user = state.user
                if user == nil {
                    user = try batch.unlessDamaged { () throws(StoreError) in
                        try batch.storedUser()
                    }
                }
                var ingest = Ingest(
                    batch, options, of: user?.userID, flights,
                    hasSeparateReactions: knownReactions != nil,
                    changes: outbox.changes)
                result = try body(&ingest)
                try removeMessagesThatMustNotBeCached(&ingest)
                newFlights = ingest.flights
                reactionChanges = ingest.reactionChanges ?? []
                endedItems = ingest.endedItems
                addedChannels = ingest.addedChannels
                dividedChannels = ingest.dividedChannels
                newUnreadItems?.update(ingest.batch.savedGroupChannels)
            }
            flights = newFlights
            unreadItems = newUnreadItems
            knownReactions?.apply(reactionChanges)
            recordSuccessfulWrite()
            for (item, result) in endedItems { dequeueEnded(item, with: result) }
            // A viewer may have shown the channel before the user lost it, or before it was stored.
            for url in addedChannels where backfill.isShown(url) {
                backfill.examine(url, isNew: true)
            }
            for url in dividedChannels where backfill.isShown(url) { backfill.examine(url) }
            return result
        } catch let error as StoreError {
            writeFailure = SyncError(error)
        } catch {
            writeFailure = SyncError(.store, "a write failed: \(error)", cause: error)
        }
        recoverFromFailedWrite(reactionChanges, hasEndedItems: !endedItems.isEmpty)
        return nil
    }

    /// Records that a write has succeeded.
    ///
    /// A write to one database, or one that changed nothing, also succeeds while the other database
    /// has to be reopened after a failed write. The failure of that database then remains.
    private mutating func recordSuccessfulWrite() {
        readFailure = nil
        writeFailure = store.cacheFailure.map { SyncError($0) }
        outboxFailure = store.outboxFailure.map { SyncError($0) }
    }

    /// Prepares for a cache that a failed write has changed, because it failed only in the outbox's
    /// database.
    mutating func recoverFromFailedWrite(
        _ reactionChanges: [KnownReactions.Change], hasEndedItems: Bool
    ) {
        // The changes that answers to requests in flight have to be compared with are unknown.
        flights.voidAll()
        unreadItems = nil
        knownReactions?.apply(reactionChanges.filter(\.isRemoval))
        // The cache may have new gaps.
        backfill.enqueueInUse()
        // The cache may contain the messages of items that are still in the outbox. Compare the
        // items with the cache again.
        if hasEndedItems { outbox.areFailedItemsChecked = false }
    }

    /// Writes to the store like `write(_:)`.
    ///
    /// If nothing was written, throws the failure of the store or, if there is none, an error with
    /// code `store` and the given message.
    @discardableResult
    mutating func write<Result>(
        orFail message: String, _ body: (inout Ingest) throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        guard let result = write(body) else { throw state.failure ?? SyncError(.store, message) }
        return result
    }

    /// Reads from the store, and records whether the store has failed.
    ///
    /// - Returns: The result of the closure; `nil` if the read failed.
    mutating func read<Result>(_ body: (Snapshot) throws(StoreError) -> Result) -> Result? {
        do throws(StoreError) {
            let result = try body(try snapshot())
            readFailure = nil
            return result
        } catch {
            readFailure = SyncError(error)
            return nil
        }
    }

    /// Returns a snapshot to read from.
    ///
    /// If the store could not reopen its files after a failed write, only another write reopens
    /// them. A caller that cannot read may never write, so this method then attempts an empty
    /// write.
    func snapshot() throws(StoreError) -> Snapshot {
        do throws(StoreError) {
            return try store.snapshot()
        } catch {
            guard error.code != .closed else { throw error }
            // If the write fails, the snapshot fails with the same error.
            _ = try? store.write { _ in }
            return try store.snapshot()
        }
    }

    /// The error of the last write or, if the last write succeeded, of the last read; `nil` if both
    /// succeeded.
    ///
    /// If the last write succeeded although an earlier one has made the cache unwritable, the value
    /// is the error of the earlier one.
    var lastFailure: SyncError? {
        // Prefer the failure of a write: a successful read does not prove that the disk can be
        // written.
        writeFailure ?? readFailure
    }

    /// The last failure or, if there is none, the error that keeps only the outbox from being
    /// written.
    ///
    /// In the latter case, reports of the server can still be stored.
    var storeFailure: SyncError? { lastFailure ?? outboxFailure }

    mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = storeFailure ?? cacheDamage
    }

    /// Returns a Boolean value that indicates whether an error means that the cache is damaged.
    ///
    /// A retry would then fail too, while the outbox remains usable.
    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    /// A Boolean value that indicates whether the last read or write has failed because the cache
    /// is damaged.
    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }
}
