import Foundation
import Models

extension ChatStore {
    /// The errors of reopening; `nil` for a database that can be written.
    struct RecoveryFailures {
        var cache: StoreError?
        var outbox: StoreError?
    }

    /// The error of the cache's last write, unless the files were reopened since.
    package var cacheFailure: StoreError? { cache.failure }

    /// The error of the last write to the outbox, as for ``cacheFailure``.
    package var outboxFailure: StoreError? { outbox.failure }

    /// Reopens the files after a failed write, as the next write would.
    package func reopenFailedFiles() throws(StoreError) {
        precondition(!isWriting, "A write has already reopened the files.")
        try writer.withLock { (writer) throws(StoreError) in
            let failures = try recover(&writer)
            if let failure = failures.cache ?? failures.outbox { throw failure }
        }
    }

    /// Reopens each database whose last write failed, and returns the errors.
    ///
    /// If an earlier attempt left the files closed, another process may have written to them:
    /// observers receive ``Change/Operation/missed``.
    func recover(_ writer: inout Writer) throws(StoreError) -> RecoveryFailures {
        let (isClosed, hasFiles) = state.withLock { ($0.isClosed, $0.committed != nil) }
        if isClosed { throw StoreError(closedAt: path) }
        if !hasFiles { writer.hasLostFiles = true }
        // The cached values may come from the failed batch.
        if cache.hasFailed { (writer.known, writer.index) = (Batch.Known(), nil) }
        let wait = writer.hasLongLivedSnapshot ? LevelDB.shortWait : LevelDB.longWait
        let left = RecoveryFailures(
            cache: reopen(cache, wait, writer), outbox: reopen(outbox, wait, writer))
        // Readers wait while this method waits for snapshots. If one exists for long, later calls
        // wait only briefly.
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

    /// Publishes the state of files to which another process may have written, and reports missed
    /// changes; an error changes nothing.
    func publishReopenedState(_ writer: inout Writer, after number: Int) throws(StoreError) {
        let next = try Batch.NextNumbers(in: cache, outbox)
        guard next.generation >= next.recordedGeneration else {
            throw StoreError.replaced(outbox)
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

    /// Throws `corruption` if another program has removed the files, or replaced them by earlier
    /// copies, since the last write; `newerSchema` if a newer version of the package has changed
    /// them.
    func checkReopened(_ database: LevelDB, _ writer: Writer) throws(StoreError) {
        let version = try database.schemaVersion()
        try StoreSchema.current.check(version, at: database.path)
        let isCache = database === cache
        let known = isCache ? writer.next.recordedGeneration : writer.next.generation
        guard version != nil, try database.generation() >= known else {
            throw StoreError.replaced(database)
        }
    }

    private func reopen(
        _ database: LevelDB, _ wait: Duration, _ writer: Writer
    ) -> StoreError? {
        guard database.hasFailed else { return nil }
        do throws(StoreError) {
            try withoutSnapshot { () throws(StoreError) in
                try database.checkIsUnused(waiting: wait)
            }
            // Readers need not wait for this check of the free space.
            try database.checkCanReopen()
            try withoutSnapshot { () throws(StoreError) in
                try database.reopen(isChecked: true, waiting: wait)
                do throws(StoreError) {
                    try checkReopened(database, writer)
                } catch {
                    database.refuse(error)
                    throw error
                }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Calls a closure while the store holds no snapshot, and readers wait.
    func withoutSnapshot(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            // The committed state keeps the files open. Its replacement has the same number,
            // because neither contains the failed write.
            state.resumed = state.committed.map(Resumed.init) ?? state.resumed
            state.committed = nil
            defer { state.resume(cache, outbox) }
            try body()
        }
    }
}

extension ChatStore.State {
    var isClosed: Bool { committed == nil && resumed == nil }

    /// Recreates the committed state; if that fails, every read throws the error.
    mutating func resume(_ cache: LevelDB, _ outbox: LevelDB) {
        guard let resumed else { return }
        do throws(StoreError) {
            committed = CommittedState(
                number: resumed.number, cache: try cache.snapshot(),
                outbox: try outbox.snapshot(), derived: resumed.derived)
            self.resumed = nil
            failure = nil
        } catch {
            failure = cache.failure ?? outbox.failure ?? error
        }
    }
}

struct Resumed {
    var number: Int
    let derived: DerivedValues

    init(_ committed: CommittedState) {
        number = committed.number
        derived = committed.takeDerived()
    }
}

extension StoreError {
    fileprivate static func replaced(_ database: LevelDB) -> StoreError {
        StoreError(
            .corruption,
            "files were removed, or replaced by earlier copies, while the store was open: close it "
                + "and open it again", path: database.path)
    }
}
