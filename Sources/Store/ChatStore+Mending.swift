import Foundation
import Models

// After a write that failed, the files are opened anew before the next one.

extension ChatStore {
    /// Why a database is still as its last write has left it; `nil` of one that can be written.
    struct Unmended {
        var cache: StoreError?
        var outbox: StoreError?
    }

    /// Opens the files of each database anew whose last write failed.
    ///
    /// Where an attempt before has left the store without files, somebody else may have written to them: then
    /// observers are told ``Change/Operation/missed``, as after a suspension.
    ///
    /// - Returns: What could not be opened anew; its files are read as before, if they can be.
    /// - Throws: `closed`; then nothing was touched.
    func mend(_ writer: inout Writer) throws(StoreError) -> Unmended {
        let (isClosed, hasFiles) = state.withLock { ($0.isClosed, $0.version != nil) }
        if isClosed { throw StoreError(closedAt: path) }
        if !hasFiles { writer.hasLostFiles = true }
        // What a batch has met that failed is met again.
        if cache.hasFailed { writer.known = Batch.Known() }
        let wait = writer.isHeldUp ? LevelDB.shortWait : LevelDB.longWait
        let left = Unmended(cache: mend(cache, wait), outbox: mend(outbox, wait))
        // Readers wait too. Who holds a snapshot for long is not to hold them up at each write.
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

    /// Begins anew with open files that others may have written to, and tells observers that they missed it.
    ///
    /// - Throws: What reading them throws; then nothing was changed.
    func beginAnew(_ writer: inout Writer, after number: Int) throws(StoreError) {
        let next = try Batch.NextNumbers(in: cache, outbox)
        let version = Version(
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
            // In vain as long as somebody holds the files, so that is looked at first.
            try withoutVersion { () throws(StoreError) in
                try database.checkIsUnused(waiting: wait)
            }
            // Readers need not wait for what only asks the disk.
            try database.checkCanReopen()
            try withoutVersion { () throws(StoreError) in
                try database.reopen(isChecked: true, waiting: wait)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Calls a closure while the store holds no files by its version; readers wait meanwhile.
    func withoutVersion(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            // What failed is not in the last version, so the new one is the same commit. The old one
            // has to be let go of first, since it holds the files.
            state.resumed = state.version.map(Resumed.init) ?? state.resumed
            state.version = nil
            defer { state.resume(cache, outbox) }
            try body()
        }
    }
}

extension ChatStore.State {
    /// Whether there is nothing to read, and never will be.
    var isClosed: Bool { version == nil && resumed == nil }

    /// Makes the version anew that was let go of, if the files can be read.
    mutating func resume(_ cache: LevelDB, _ outbox: LevelDB) {
        guard let resumed else { return }
        do throws(StoreError) {
            version = Version(
                number: resumed.number, cache: try cache.snapshot(),
                outbox: try outbox.snapshot(), names: resumed.names, latest: resumed.latest)
            self.resumed = nil
            failure = nil
        } catch {
            // Thrown to each reader, until a write succeeds in opening the files.
            failure = cache.failure ?? outbox.failure ?? error
        }
    }
}

/// What of a version outlives its files.
struct Resumed {
    var number: Int
    let names: ChannelNames
    let latest: DerivedValues

    init(_ version: Version) {
        number = version.number
        names = version.names
        latest = version.latest
    }
}
