import Foundation
package import Models

extension ChatStore {
    /// The maximum number of rows of cleared channels that each write removes from the disk.
    private static let purgedWithEachWrite = 256
    /// The maximum number of such rows that one batch of ``purgeCleared()`` removes.
    private static let purgedInOneBatch = 10_000

    /// Writes a batch atomically, and notifies observers.
    ///
    /// The closure is called on the caller's thread. If the closure throws, nothing is written. A
    /// batch that changes the outbox is on disk when the call returns.
    ///
    /// If a batch changes both databases, the cache is written first. If writing the outbox then
    /// fails, the call throws the error, but the changes of the cache are kept and reported to
    /// observers.
    ///
    /// After a failed write, the next one first reopens the files, without the failed batch. It
    /// waits for running reads, at most some hundred milliseconds, and fails with `busy` while a
    /// ``Snapshot`` from before the failure exists. If only one database has failed, batches for
    /// the other one are still written. If the process ends before the files are reopened, the next
    /// opening may find the complete failed batch in the store.
    ///
    /// - Returns: The result of the closure.
    /// - Throws: Errors of the closure; ``StoreError`` if the disk fails, even if the closure has
    ///   caught that error; with code `busy`, as above, or `closed`.
    /// - Precondition: The call is not inside another write.
    @discardableResult
    public func write<Result>(_ body: (Batch) throws -> Result) throws -> Result {
        try commit(body).result
    }

    /// Writes a batch as ``write(_:)`` does, and also returns the change, with the number that
    /// observers receive.
    ///
    /// If nothing was changed, the change is empty and has the number of the previous one.
    public func commit<Result>(
        _ body: (Batch) throws -> Result
    ) throws -> (result: Result, change: Change) {
        precondition(
            !isWriting, "A write is not reentrant: use the batch that the closure received.")
        var result: Result?
        let change = try writer.withLock { writer in
            writingThread.withLock { $0 = ChatStore.currentThread }
            defer { writingThread.withLock { $0 = nil } }
            // Reopen the files here, not right after a failed write, so that reads can continue.
            let failures = try recover(&writer)
            return try commitBatch({ result = try body($0) }, &writer, failures)
        }
        // The closure did not throw, so there is a result.
        return (result!, change)
    }

    private func commitBatch(
        _ body: (Batch) throws -> Void, _ writer: inout Writer, _ failures: RecoveryFailures
    ) throws -> Change {
        let (current, observedTables) = state.withLock { ($0.committed, $0.observedTables) }
        guard let committed = current else {
            throw failures.cache ?? failures.outbox ?? state.withLock { $0.failure }
                ?? StoreError(closedAt: path)
        }
        if failures.cache == nil { try prepareIndex(&writer, committed) }
        // If the cache fails, the writer has no index, which is then read again.
        let index = writer.index
        writer.index = nil
        let batch = Batch(
            committed, next: writer.next, known: writer.known.takeAll(), index: index,
            observedTables: observedTables)
        let change: Change
        let failure: StoreError?
        do {
            try body(batch)
            try batch.finish()
            (change, failure) = try persist(batch, &writer, failures)
        } catch {
            writer.known = batch.takeKnown(isWritten: false)
            if !cache.hasFailed { writer.index = index }
            throw error
        }
        writer.known = batch.takeKnown(isWritten: true)
        writer.index = batch.index
        if let failure { throw failure }
        if writer.hasCleared && !cache.hasFailed {
            // If purging fails, the commit is valid, and the next write tries again.
            writer.hasCleared =
                (try? cache.purgeCleared(atMost: ChatStore.purgedWithEachWrite)) ?? true
        }
        if writer.index != nil && !cache.hasFailed {
            mergeSegments(&writer, try self.committed(), savedCount: batch.savedMessages.count)
        }
        return change
    }

    /// Whether this thread is inside a write, and would wait forever for another one.
    var isWriting: Bool {
        writingThread.withLock { $0 } == ChatStore.currentThread
    }

    /// The integer form of `pthread_self()`, which on Apple's systems is a pointer, and therefore
    /// not `Sendable`.
    private static var currentThread: UInt {
        withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
    }

    /// Reports an event to observers, in order with the commits, without storing it, even if the
    /// disk is full.
    ///
    /// - Precondition: The call is not inside a write; use ``Batch/emit(_:source:)`` there.
    @discardableResult
    package func emit(
        _ event: Ephemeral, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Change {
        precondition(
            !isWriting, "This call waits for writes. Inside a write, call the batch instead.")
        return try writer.withLock { (_) throws(StoreError) in
            let (change, observers) = try state.withLock { (state) throws(StoreError) in
                guard let number = state.committed?.number ?? state.resumed?.number else {
                    throw StoreError(closedAt: path)
                }
                state.committed = state.committed.map { $0.numbered(number + 1) }
                state.resumed?.number = number + 1
                let entry = Change.Entry(operation: .ephemeral(event), source: source)
                return (
                    Change(number: number + 1, entries: [entry]),
                    state.observers.values.compactMap(\.observation)
                )
            }
            for observer in observers { observer.notify(change) }
            return change
        }
    }

    /// Writes a batch, publishes the new committed state, and returns the change, and the error of
    /// the outbox if only the cache was written.
    ///
    /// If the call throws, nothing was changed.
    private func persist(
        _ batch: Batch, _ writer: inout Writer, _ failures: RecoveryFailures
    ) throws(StoreError) -> (Change, StoreError?) {
        let old = batch.committed
        var entries = batch.entries
        var snapshots = (cache: old.cache, outbox: old.outbox)
        var failure: StoreError?
        if !batch.rows.cache.isEmpty, let error = failures.cache { throw error }
        if !batch.rows.outbox.isEmpty, let error = failures.outbox { throw error }
        var hasSavedLists = writer.hasSavedLists
        if !batch.rows.cache.isEmpty {
            batch.outdateSavedLists(&hasSavedLists)
            // The outbox's generation, by which an opening detects an earlier copy of the outbox.
            if batch.next.recordedGeneration != batch.next.generation {
                batch.next.recordedGeneration = batch.next.generation
                batch.rows.cache.put(
                    { $0.schemaKey(.generation) }, { $0.integer(batch.next.generation) })
            }
            batch.rows.cache.assertReadable(in: .cache)
            // If a clearing were not durable, the data could reappear after a power failure.
            try cache.write(
                batch.rows.cache, isDurable: batch.isDurable || batch.hasCleared)
            writer.hasCleared = writer.hasCleared || batch.hasCleared
            writer.hasSavedLists = hasSavedLists
            snapshots.cache = try cache.snapshot()
        }
        if !batch.rows.outbox.isEmpty {
            let generation = batch.next.generation + batch.next.generationStep
            // Without this record, the first commits of two openings of one copy would look alike.
            if batch.next.generationStep > 1 { batch.recordsGeneration = true }
            batch.rows.outbox.put({ $0.schemaKey(.generation) }, { $0.integer(generation) })
            batch.rows.outbox.assertReadable(in: .outbox)
            do throws(StoreError) {
                try outbox.write(batch.rows.outbox, isDurable: true)
                batch.next.generation = generation
                batch.next.generationStep = 1
                snapshots.outbox = try outbox.snapshot()
            } catch {
                if batch.rows.cache.isEmpty { throw error }
                failure = error
                entries.removeAll { $0.operation.isOfOutbox }
            }
        }
        writer.next = batch.next
        if batch.recordsGeneration, failure == nil, failures.cache == nil {
            recordGeneration(&writer)
        }
        if entries.isEmpty && batch.rows.cache.isEmpty && batch.rows.outbox.isEmpty {
            return (Change(number: old.number, entries: []), nil)
        }
        let change = Change(number: old.number + 1, entries: entries)
        var derived = old.takeDerived()
        derived.apply(batch)
        let index = batch.rows.cache.isEmpty ? old.index : batch.index?.committed
        publish(
            CommittedState(
                number: change.number, cache: snapshots.cache, outbox: snapshots.outbox,
                index: index, derived: derived, tables: old.tables),
            change, unreportedTables: batch.unreportedTables)
        return (change, failure)
    }

    /// Replaces the committed state, and notifies observers of a change.
    ///
    /// The change lacks the rows of `unreportedTables`, whose observers began during the write, and
    /// read them again.
    func publish(
        _ committed: CommittedState, _ change: Change, unreportedTables: Set<String> = []
    ) {
        let observers = state.withLock { state in
            state.committed = committed
            return state.observers.values.compactMap(\.observation)
        }
        // The writer's lock is held, so all observers receive commits in order.
        for observer in observers { observer.notify(change, unreportedTables: unreportedTables) }
        didCommit.withLock { $0 }?(Snapshot(committed: committed))
    }
}

extension ChatStore {
    /// Removes the remaining rows of cleared and removed channels from the disk.
    ///
    /// Each write removes some of these rows: call this method only if the disk space is needed
    /// immediately. LevelDB rewrites its tables without them, and the tables and the log of the
    /// outbox without sent items. It does not report failures of the rewrite, so the call may leave
    /// the space occupied without an error.
    ///
    /// - Throws: As ``write(_:)`` does after a failure; `closed`; `noSpace`, `io` or `corruption`
    ///   if rows cannot be removed, which later writes then remove.
    /// - Precondition: The call is not inside a write.
    /// - Complexity: O(*n*) in the rows. Other writes wait until the call returns.
    public func purgeCleared() throws(StoreError) {
        precondition(!isWriting, "ChatStore.purgeCleared is a write: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            if let error = try recover(&writer).cache { throw error }
            _ = try committed()
            // If the rows and their removals were written to the same table of LevelDB, it would
            // keep the rows.
            try cache.flush()
            while try cache.purgeCleared(atMost: ChatStore.purgedInOneBatch) {}
            if isSearchIndexed { try cache.removeUnownedIndexRows() }
            writer.hasCleared = false
            let index = writer.index?.committed
            // Merges that have begun lose their rows, so they start again.
            writer.index = nil
            try renewSnapshot(index: index)
            try cache.compact()
            try outbox.compact()
            if let directory { try CacheFiles(in: directory).removeSetAside() }
        }
    }

    /// Replaces LevelDB's snapshot of the last commit, which would keep removed rows on disk.
    ///
    /// `index` is the search index in the new snapshot; `nil` if it must be read.
    func renewSnapshot(index: CommittedIndex?) throws(StoreError) {
        let old = try committed()
        let new = CommittedState(
            number: old.number, cache: try cache.snapshot(), outbox: old.outbox, index: index,
            derived: old.takeDerived(), tables: old.tables)
        state.withLock { $0.committed = new }
    }
}

extension Change.Operation {
    fileprivate var isOfOutbox: Bool {
        switch self {
        case .savedOutboxItem, .removedOutboxItem, .savedDraft, .savedLabels: true
        case .changedRow(let row): row.home == .kept
        default: false
        }
    }
}
