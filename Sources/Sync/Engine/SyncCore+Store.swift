import Models
import Store

extension SyncCore {
    /// Returns `nil`, and records the failure, if the store cannot be read.
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

    /// Returns a snapshot, after an empty write if necessary: only a write reopens the files that
    /// the store could not reopen after a failed write, and a caller that cannot read may never
    /// write.
    func snapshot() throws(StoreError) -> Snapshot {
        do throws(StoreError) {
            return try store.snapshot()
        } catch {
            guard error.code != .closed else { throw error }
            _ = try? store.write { _ in }
            return try store.snapshot()
        }
    }

    /// The error of the last write, or of an earlier one that made the cache unwritable; otherwise
    /// that of the last read.
    var lastFailure: SyncError? {
        writeFailure ?? readFailure
    }

    /// The last failure or, if there is none, that of the outbox only.
    var storeFailure: SyncError? { lastFailure ?? outboxFailure }

    mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = storeFailure ?? cacheDamage
    }

    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }
}

// MARK: Writing

extension SyncCore {
    /// Returns `nil`, and records the failure, if one of the databases could not be written.
    @discardableResult
    mutating func write<Result>(_ body: (inout Ingest) throws(StoreError) -> Result) -> Result? {
        var result: Result?
        var ingested: Ingest?
        var newUnreadItems = unreadItems
        do {
            try store.write { batch in
                // Before a connection, the user is the stored one of the last session.
                var user = state.user
                if user == nil {
                    user = try batch.unlessDamaged { () throws(StoreError) in
                        try batch.storedUser()
                    }
                }
                var ingest = Ingest(
                    batch, options, of: user?.userID, flights,
                    hasSeparateReactions: knownReactions != nil,
                    changesOfUnsent: outbox.changesOfUnsent, now: now)
                result = try body(&ingest)
                try removeMessagesThatMustNotBeCached(&ingest)
                ingested = ingest
                newUnreadItems?.update(ingest.batch.savedGroupChannels)
            }
            guard let ingested else { preconditionFailure("The store did not call the closure.") }
            flights = ingested.flights
            unreadItems = newUnreadItems
            knownReactions?.apply(ingested.reactionChanges ?? [])
            recordSuccessfulWrite()
            for (item, result) in ingested.endedItems { dequeueEnded(item, with: result) }
            let unused = ingested.unusedDownloads
            if !unused.isEmpty { act(.removeDownloads(unused)) }
            // A viewer may have shown the channel before the user lost it, or before it was stored.
            for url in ingested.addedChannels where backfill.isShown(url) {
                backfill.enqueue(url, retriesFailed: true)
            }
            for url in ingested.dividedChannels where backfill.isShown(url) {
                backfill.enqueue(url)
            }
            return result
        } catch let error as StoreError {
            writeFailure = SyncError(error)
        } catch {
            writeFailure = SyncError(.store, "a write failed: \(error)", cause: error)
        }
        recoverFromFailedWrite(ingested)
        return nil
    }

    /// Clears the failures, except that of a database that still has to be reopened: the write may
    /// concern the other database, or have changed nothing.
    private mutating func recordSuccessfulWrite() {
        readFailure = nil
        writeFailure = store.cacheFailure.map { SyncError($0) }
        outboxFailure = store.outboxFailure.map { SyncError($0) }
    }

    /// Assumes that the cache was written nevertheless, as when only the outbox could not be.
    private mutating func recoverFromFailedWrite(_ ingested: Ingest?) {
        // Answers in flight cannot be compared with the changes of this write.
        flights.voidAll()
        unreadItems = nil
        knownReactions?.apply((ingested?.reactionChanges ?? []).filter(\.isRemoval))
        backfill.enqueueFollowed(restarts: false)
        // The cache may contain the messages of items that are still in the outbox.
        if ingested?.endedItems.isEmpty == false { outbox.areFailedItemsChecked = false }
    }

    @discardableResult
    mutating func write<Result>(
        orFail message: String, _ body: (inout Ingest) throws(StoreError) -> Result
    ) throws(SyncError) -> Result {
        guard let result = write(body) else { throw state.failure ?? SyncError(.store, message) }
        return result
    }
}
