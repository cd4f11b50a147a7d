import Foundation
public import Models

extension ChatStore {
    /// How many rows of cleared channels leave the disk with each write.
    private static let purgedWithEachWrite = 256
    /// How many of them do so in one batch where nobody writes meanwhile.
    private static let purgedInOneBatch = 10_000

    /// Writes what a closure puts into a batch, all or nothing, and tells those who observe it.
    ///
    /// Runs on the thread of its caller; one write at a time, others wait. If the closure throws,
    /// nothing is written. A batch that did something to the outbox is on the disk when the call
    /// returns.
    ///
    /// Where a batch does something to both databases, the cache is written first. If only the
    /// outbox fails then, the error is thrown, and what the cache took is told and stays.
    ///
    /// After a failure of the disk, reads go on, and each write first opens the files anew, without
    /// what the failed one left in them. That has to wait for reads that are under way, some hundred
    /// milliseconds at the most, and cannot be done as long as somebody holds a ``Snapshot`` of
    /// before. What a batch does to the other database is written nevertheless. If the process ends
    /// first, the failed batch may be there, whole, when the store is opened again.
    ///
    /// - Returns: What was done, under the number that observers see; empty, under the number of the
    ///   last change, if nothing was.
    /// - Throws: What the closure throws; ``StoreError`` if the disk fails, also where it failed an
    ///   operation of the batch in its middle and the closure went on; with code `busy` if a snapshot
    ///   keeps files that failed from being opened anew, or `closed`.
    /// - Precondition: Not called within another write.
    @discardableResult
    public func write(_ body: (Batch) throws -> Void) throws -> Change {
        precondition(!isWriting, "ChatStore.write is not reentrant: use the batch you were given.")
        return try writer.withLock { writer in
            writingThread.withLock { $0 = ChatStore.currentThread }
            defer { writingThread.withLock { $0 = nil } }
            // Not at once after the failure: reads go on until somebody needs to write.
            let unmended = try mend(&writer)
            return try perform(body, &writer, unmended)
        }
    }

    private func perform(
        _ body: (Batch) throws -> Void, _ writer: inout Writer, _ unmended: Unmended
    ) throws -> Change {
        guard let version = state.withLock({ $0.version }) else {
            throw unmended.cache ?? unmended.outbox ?? state.withLock { $0.failure }
                ?? StoreError(closedAt: path)
        }
        // Handed over, so that the batch need not copy what it changes.
        let batch = Batch(version, writer.next, writer.known.takeAll())
        let change: Change
        let failure: StoreError?
        do {
            try body(batch)
            try batch.finish()
            (change, failure) = try commit(batch, &writer, unmended)
        } catch {
            writer.known = batch.takeKnown(isWritten: false)
            throw error
        }
        writer.known = batch.takeKnown(isWritten: true)
        if let failure { throw failure }
        if writer.hasCleared && !cache.hasFailed {
            // The commit stands, whether or not this fails. If it does, the next write tries again.
            writer.hasCleared =
                (try? cache.purgeCleared(atMost: ChatStore.purgedWithEachWrite)) ?? true
        }
        return change
    }

    /// Whether this thread is within a write.
    ///
    /// What waits for the writer would wait for itself.
    var isWriting: Bool {
        writingThread.withLock { $0 } == ChatStore.currentThread
    }

    /// A number that no other running thread has: `pthread_self()`, which is an integer on Linux and
    /// a pointer, so not `Sendable`, on Apple's systems.
    private static var currentThread: UInt {
        withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
    }

    /// Tells something in order with the commits, without storing it; a full disk is no hindrance.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    /// - Precondition: Not called within a write, which has ``Batch/tell(_:source:)``.
    @discardableResult
    public func tell(
        _ news: Ephemeral, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Change {
        precondition(!isWriting, "ChatStore.tell waits for writes: tell it to the batch.")
        return try writer.withLock { (_) throws(StoreError) in
            let (change, observers) = try state.withLock { (state) throws(StoreError) in
                guard let number = state.version?.number ?? state.resumed?.number else {
                    throw StoreError(closedAt: path)
                }
                state.version = state.version.map { $0.numbered(number + 1) }
                state.resumed?.number = number + 1
                let entry = Change.Entry(operation: .told(news), source: source)
                return (
                    Change(number: number + 1, entries: [entry]),
                    state.observers.values.compactMap(\.observation)
                )
            }
            for observer in observers { observer.tell(change) }
            return change
        }
    }

    /// Writes a batch, and publishes what became of it.
    ///
    /// - Returns: What was done; and what the outbox failed with, if only the cache was written.
    /// - Throws: What the disk says; then nothing was done.
    private func commit(
        _ batch: Batch, _ writer: inout Writer, _ unmended: Unmended
    ) throws(StoreError) -> (Change, StoreError?) {
        let old = batch.version
        var entries = batch.entries
        var snapshots = (cache: old.cache, outbox: old.outbox)
        var failure: StoreError?
        if !batch.rows.cache.isEmpty, let error = unmended.cache { throw error }
        if !batch.rows.outbox.isEmpty, let error = unmended.outbox { throw error }
        var hasSavedLists = writer.hasSavedLists
        if !batch.rows.cache.isEmpty {
            batch.removeSavedLists(&hasSavedLists)
            old.extents.take(batch.rows.cache, asOf: old.number + 1)
            // What was cleared must not be there again because a commit was lost.
            try cache.write(
                batch.rows.cache, isDurable: batch.isDurable || batch.hasCleared)
            writer.hasCleared = writer.hasCleared || batch.hasCleared
            writer.hasSavedLists = hasSavedLists
            snapshots.cache = try cache.snapshot()
        }
        if !batch.rows.outbox.isEmpty {
            do throws(StoreError) {
                try outbox.write(batch.rows.outbox, isDurable: true)
                snapshots.outbox = try outbox.snapshot()
            } catch {
                if batch.rows.cache.isEmpty { throw error }
                failure = error
                entries.removeAll { $0.operation.isOfOutbox }
            }
        }
        writer.next = batch.next
        if entries.isEmpty && batch.rows.cache.isEmpty && batch.rows.outbox.isEmpty {
            return (Change(number: old.number, entries: []), nil)
        }
        let change = Change(number: old.number + 1, entries: entries)
        for (url, numbering) in batch.rows.numbers {
            old.names.note(
                numbering.number, of: url, insteadOf: numbering.old, since: change.number)
        }
        publish(
            Version(
                number: change.number, cache: snapshots.cache, outbox: snapshots.outbox,
                names: old.names, extents: old.extents,
                latest: batch.hasReplacedUnreadable
                    ? nil
                    : old.takeCommit(
                        batch.channelChanges, addingMessages: batch.rows.addedMessages)),
            change)
        return (change, failure)
    }

    func publish(_ version: Version, _ change: Change) {
        let observers = state.withLock { state in
            state.version = version
            return state.observers.values.compactMap(\.observation)
        }
        // Still under the writer's lock, so that all observers see commits in their order.
        for observer in observers { observer.tell(change) }
        didCommit.withLock { $0 }?(Snapshot(version: version))
    }
}

extension ChatStore {
    /// Removes from the disk what is left of channels that were cleared or removed.
    ///
    /// Each write does a part of this; call it where the disk's space is wanted at once.
    ///
    /// Removes the rows, and then has LevelDB rewrite its tables without them. Of the latter it never
    /// says whether it failed, so the space may not be free although nothing is thrown.
    ///
    /// - Throws: ``StoreError`` as ``write(_:)`` throws it after a failure; with code `closed`; with
    ///   `noSpace`, `io` or `corruption` if the rows cannot be removed. Those that are left leave the
    ///   disk with later writes.
    /// - Precondition: Not called within a write.
    /// - Complexity: O(*n*) in the rows. Other writes wait meanwhile, readers do not.
    public func purgeCleared() throws(StoreError) {
        precondition(!isWriting, "ChatStore.purgeCleared is a write: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            if let error = try mend(&writer).cache { throw error }
            _ = try version()
            // So that no table has both a row and its removal: that one would stay.
            try cache.flush()
            while try cache.purgeCleared(atMost: ChatStore.purgedInOneBatch) {}
            writer.hasCleared = false
            try renewSnapshot()
            try cache.compact()
        }
    }

    /// Lets go of the rows on disk that only the last commit's snapshot holds.
    private func renewSnapshot() throws(StoreError) {
        let old = try version()
        let new = Version(
            number: old.number, cache: try cache.snapshot(), outbox: old.outbox, names: old.names,
            extents: old.extents, latest: old.latest)
        state.withLock { $0.version = new }
    }
}

extension Change.Operation {
    fileprivate var isOfOutbox: Bool {
        switch self {
        case .savedDraft, .removedDraft: true
        default: false
        }
    }
}
