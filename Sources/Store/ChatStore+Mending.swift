import Foundation
import Models

// Recovery: after a failed write, the files are reopened before the next one.

extension ChatStore {
    /// The errors of the databases that could not be recovered; `nil` for one that can be written.
    struct Unmended {
        var cache: StoreError?
        var outbox: StoreError?
    }

    /// Reopens the files of each database whose last write failed.
    ///
    /// If an earlier attempt has left the store without open files, another process may have
    /// written to them: observers then receive ``Change/Operation/missed``, as after a suspension.
    ///
    /// - Returns: The errors of databases that could not be reopened. They are read as before, if
    ///   possible.
    /// - Throws: `closed`; then nothing was changed.
    func mend(_ writer: inout Writer) throws(StoreError) -> Unmended {
        let (isClosed, hasFiles) = state.withLock { ($0.isClosed, $0.version != nil) }
        if isClosed { throw StoreError(closedAt: path) }
        if !hasFiles { writer.hasLostFiles = true }
        // Discard what failed batches have cached.
        if cache.hasFailed { writer.known = Batch.Known() }
        let wait = writer.isHeldUp ? LevelDB.shortWait : LevelDB.longWait
        let left = Unmended(cache: mend(cache, wait), outbox: mend(outbox, wait))
        // Readers wait too. A caller that holds a snapshot for long must not delay them at every
        // write.
        writer.isHeldUp = left.cache?.code == .busy || left.outbox?.code == .busy
        if writer.hasLostFiles, let number = state.withLock({ $0.version?.number }) {
            do throws(StoreError) {
                try beginAnew(&writer, after: number)
            } catch {
                return Unmended(cache: error, outbox: error)
            }
        }
        return left
    }

    /// Continues with reopened files that others may have written to, and notifies observers that
    /// they missed changes.
    ///
    /// - Throws: Errors of reading the files. Nothing was changed then.
    func beginAnew(_ writer: inout Writer, after number: Int) throws(StoreError) {
        let next = try Batch.NextNumbers(in: cache, outbox)
        let version = CommittedState(
            number: number + 1, cache: try cache.snapshot(), outbox: try outbox.snapshot(),
            names: ChannelNames())
        cache.purge = Purge()
        writer = Writer(next: next)
        state.withLock { state in
            state.resumed = nil
            state.failure = nil
        }
        publish(
            version, Change(number: version.number, entries: [Change.Entry(operation: .missed)]))
    }

    private func mend(_ database: LevelDB, _ wait: Duration) -> StoreError? {
        guard database.hasFailed else { return nil }
        do throws(StoreError) {
            // Reopening fails while a snapshot keeps the files open: check that first.
            try withoutVersion { () throws(StoreError) in
                try database.checkIsUnused(waiting: wait)
            }
            // This checks only the disk: readers need not wait.
            try database.checkCanReopen()
            try withoutVersion { () throws(StoreError) in
                try database.reopen(isChecked: true, waiting: wait)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Calls a closure while the store holds no snapshot of the files.
    ///
    /// Readers wait in the meantime.
    func withoutVersion(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            // The last committed state does not contain the failed write: the new one is the same
            // commit. The old one must be released first, since it keeps the files open.
            state.resumed = state.version.map(Resumed.init) ?? state.resumed
            state.version = nil
            defer { state.resume(cache, outbox) }
            try body()
        }
    }
}

extension ChatStore.State {
    /// A Boolean value that indicates whether the store is closed permanently.
    var isClosed: Bool { version == nil && resumed == nil }

    /// Creates the released committed state again, if the files can be read.
    mutating func resume(_ cache: LevelDB, _ outbox: LevelDB) {
        guard let resumed else { return }
        do throws(StoreError) {
            version = CommittedState(
                number: resumed.number, cache: try cache.snapshot(),
                outbox: try outbox.snapshot(), names: resumed.names, latest: resumed.latest)
            self.resumed = nil
            failure = nil
        } catch {
            // Thrown to each reader until a write has reopened the files.
            failure = cache.failure ?? outbox.failure ?? error
        }
    }
}

/// The part of the committed state that outlives its files.
struct Resumed {
    var number: Int
    let names: ChannelNames
    let latest: DerivedValues

    init(_ version: CommittedState) {
        number = version.number
        names = version.names
        latest = version.latest
    }
}
