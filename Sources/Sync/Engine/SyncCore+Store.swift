import Models
import Store

extension SyncCore {
    /// Writes to the store, and records whether it has failed; returns `nil` if nothing was
    /// written.
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

    /// Clears the failures, except for that of a database that still has to be reopened.
    ///
    /// A write to the other database, or one that changed nothing, has succeeded nevertheless.
    private mutating func recordSuccessfulWrite() {
        readFailure = nil
        writeFailure = store.cacheFailure.map { SyncError($0) }
        outboxFailure = store.outboxFailure.map { SyncError($0) }
    }

    /// Prepares for a cache that a failed write has changed: only the outbox could not be written.
    mutating func recoverFromFailedWrite(
        _ reactionChanges: [KnownReactions.Change], hasEndedItems: Bool
    ) {
        // The changes that answers to requests in flight have to be compared with are unknown.
        flights.voidAll()
        unreadItems = nil
        knownReactions?.apply(reactionChanges.filter(\.isRemoval))
        backfill.enqueueInUse()
        // The cache may contain the messages of items that are still in the outbox.
        if hasEndedItems { outbox.areFailedItemsChecked = false }
    }

    /// Writes to the store or throws its failure or, if there is none, an error with a message.
    @discardableResult
    mutating func write<Result>(
        orFail message: String, _ body: (inout Ingest) throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        guard let result = write(body) else { throw state.failure ?? SyncError(.store, message) }
        return result
    }

    /// Reads from the store, and records whether it has failed; returns `nil` if it has.
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
    /// Only a write reopens files that the store could not reopen after a failed write. A caller
    /// that cannot read may never write, so this method then attempts an empty write.
    func snapshot() throws(StoreError) -> Snapshot {
        do throws(StoreError) {
            return try store.snapshot()
        } catch {
            guard error.code != .closed else { throw error }
            _ = try? store.write { _ in }
            return try store.snapshot()
        }
    }

    /// The error of the last write, or of an earlier one that has made the cache unwritable;
    /// otherwise that of the last read.
    var lastFailure: SyncError? {
        // A successful read does not prove that the disk can be written.
        writeFailure ?? readFailure
    }

    /// The last failure or, if there is none, the error that keeps only the outbox from being
    /// written.
    var storeFailure: SyncError? { lastFailure ?? outboxFailure }

    mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = storeFailure ?? cacheDamage
    }

    /// Returns whether an error means that the cache is damaged: a retry would fail too, while the
    /// outbox remains usable.
    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }
}
