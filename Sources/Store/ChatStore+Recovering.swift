import Foundation
import Models

// Recovery after a failed write: the next write reopens the files first.

extension ChatStore {
    /// The errors of reopening the two databases; `nil` for a database that can be written.
    struct RecoveryFailures {
        var cache: StoreError?
        var outbox: StoreError?
    }

    /// The error of the last write to the cache, if it failed and the files were not reopened since.
    package var cacheFailure: StoreError? { cache.failure }

    /// The error of the last write to the outbox, if it failed and the files were not reopened since.
    package var outboxFailure: StoreError? { outbox.failure }

    /// Reopens the files if the last write failed, as the next write would.
    ///
    /// - Throws: Errors of the disk, `busy` while a snapshot keeps the files open, or `closed`.
    /// - Precondition: The call is not inside a write.
    package func reopenFailedFiles() throws(StoreError) {
        precondition(!isWriting, "A write has already reopened the files.")
        try writer.withLock { (writer) throws(StoreError) in
            let failures = try recover(&writer)
            if let failure = failures.cache ?? failures.outbox { throw failure }
        }
    }

    /// Reopens the files of each database whose last write failed.
    ///
    /// If an earlier attempt left the files closed, another process may have written to them since.
    /// Observers then receive ``Change/Operation/missed``, as after a suspension.
    ///
    /// - Returns: The errors of the databases that could not be reopened. Their data stays readable
    ///   where possible.
    /// - Throws: `closed`, in which case nothing was changed.
    func recover(_ writer: inout Writer) throws(StoreError) -> RecoveryFailures {
        let (isClosed, hasFiles) = state.withLock { ($0.isClosed, $0.committed != nil) }
        if isClosed { throw StoreError(closedAt: path) }
        if !hasFiles { writer.hasLostFiles = true }
        // Discard the cached values, because they may come from the failed batch.
        if cache.hasFailed { (writer.known, writer.index) = (Batch.Known(), nil) }
        let wait = writer.hasLongLivedSnapshot ? LevelDB.shortWait : LevelDB.longWait
        let left = RecoveryFailures(cache: reopen(cache, wait), outbox: reopen(outbox, wait))
        // While this method waits for the release of snapshots, readers wait, too. If a snapshot
        // exists for long, later calls wait only briefly, so that not every write delays readers.
        writer.hasLongLivedSnapshot = left.cache?.code == .busy || left.outbox?.code == .busy
        if writer.hasLostFiles, let number = state.withLock({ $0.committed?.number }) {
            do throws(StoreError) {
                try publishReopenedState(&writer, after: number)
            } catch {
                return RecoveryFailures(cache: error, outbox: error)
            }
        }
        return left
    }

    /// Publishes the state of reopened files to which another process may have written, and
    /// notifies observers that they missed changes.
    ///
    /// - Throws: Errors of reading the files, in which case nothing was changed.
    func publishReopenedState(_ writer: inout Writer, after number: Int) throws(StoreError) {
        let next = try Batch.NextNumbers(in: cache, outbox)
        guard next.generation >= next.recordedGeneration else {
            throw StoreError(
                .corruption,
                "the outbox was replaced by an earlier copy: close the store and open it again",
                path: outbox.path)
        }
        let committed = CommittedState(
            number: number + 1, cache: try cache.snapshot(), outbox: try outbox.snapshot())
        cache.purge = Purge()
        writer = Writer(next: next)
        state.withLock { state in
            state.resumed = nil
            state.failure = nil
        }
        publish(
            committed, Change(number: committed.number, entries: [Change.Entry(operation: .missed)])
        )
    }

    private func reopen(_ database: LevelDB, _ wait: Duration) -> StoreError? {
        guard database.hasFailed else { return nil }
        do throws(StoreError) {
            // First check for snapshots, because reopening fails while a snapshot keeps the files
            // open.
            try withoutSnapshot { () throws(StoreError) in
                try database.checkIsUnused(waiting: wait)
            }
            // This step only checks the free space of the disk, so readers need not wait for it.
            try database.checkCanReopen()
            try withoutSnapshot { () throws(StoreError) in
                try database.reopen(isChecked: true, waiting: wait)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Calls a closure while the store holds no snapshot of the files; readers wait until the
    /// closure returns.
    func withoutSnapshot(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            // Release the committed state, because it keeps the files open. Its replacement gets
            // the same number, because neither of the two states contains the failed write.
            state.resumed = state.committed.map(Resumed.init) ?? state.resumed
            state.committed = nil
            defer { state.resume(cache, outbox) }
            try body()
        }
    }
}

extension ChatStore.State {
    /// A Boolean value that indicates whether the store is closed permanently.
    var isClosed: Bool { committed == nil && resumed == nil }

    /// Recreates the committed state that was released when the files were closed.
    ///
    /// If the files cannot be read, the error becomes the result of every read.
    mutating func resume(_ cache: LevelDB, _ outbox: LevelDB) {
        guard let resumed else { return }
        do throws(StoreError) {
            committed = CommittedState(
                number: resumed.number, cache: try cache.snapshot(),
                outbox: try outbox.snapshot(), derived: resumed.derived)
            self.resumed = nil
            failure = nil
        } catch {
            // Every read throws this error until a write has reopened the files.
            failure = cache.failure ?? outbox.failure ?? error
        }
    }
}

/// The part of the committed state that stays in memory while the files are closed.
struct Resumed {
    var number: Int
    let derived: DerivedValues

    init(_ committed: CommittedState) {
        number = committed.number
        derived = committed.takeDerived()
    }
}
