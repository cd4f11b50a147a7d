import CLevelDB
import Foundation
import Models

/// An ordered map from bytes to bytes in files: LevelDB, and the only code that calls it.
///
/// Safe for several threads; writes have to come one at a time. After a write that failed, what was
/// there before can be read, and every later write fails too, until ``reopen(isChecked:waiting:)``
/// has closed the files, cut off what the failed one left in the log, and opened them anew.
package final class LevelDB: Sendable {
    package let path: String
    let options: StoreOptions
    let environment: Environment
    let state: Locked<State>

    struct State {
        /// `nil` once it is closed, while it is suspended, and after files could not be opened anew.
        var handle: Handle?
        var isClosed = false
        var isSuspended = false
        /// What the last write failed with, until the files were opened anew.
        var failure: StoreError?
        var purge = Purge()
        var bytesWritten = 0
        var throttle = Throttle()

        /// Whether nobody but this holds the files.
        var isUnused: Bool {
            mutating get { handle == nil || isKnownUniquelyReferenced(&handle) }
        }
    }

    /// The version of the library that this process is linked with, as in 1.23.
    package static var version: (major: Int, minor: Int) {
        (Int(leveldb_major_version()), Int(leveldb_minor_version()))
    }

    /// Opens a database, and creates it where there is none.
    ///
    /// - Parameters:
    ///   - path: The directory of the files. Its parent has to be there.
    ///   - options: How the files are kept.
    ///   - environment: Where they are: on the disk by default.
    ///   - skippingDamage: Whether to go on without what is damaged or missing in the logs. By
    ///     default that is an error, and nothing was changed.
    /// - Throws: `locked`, `permission`, `noSpace`, `io`, or `corruption`.
    package init(
        at path: String, options: StoreOptions = StoreOptions(),
        environment: Environment = .disk(), skippingDamage: Bool = false
    ) throws(StoreError) {
        self.path = path
        self.options = options
        self.environment = environment
        let handle = try Handle(
            at: path, options: options, environment: environment, skippingDamage: skippingDamage)
        state = Locked(State(handle: handle))
    }

    /// Lets go of the files, at once or as soon as the last snapshot is gone.
    ///
    /// Makes a table of long logs, so that the next opening is short. Takes back what a failed write left,
    /// unless a snapshot still holds the files. Every later call fails with `closed`. Closing twice is
    /// once.
    package func close() {
        shortenLogs()
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            let isLast = state.isUnused
            state.handle = nil
            // Best effort: whoever cannot write now may find the failed batch there, whole.
            if isLast && state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// What LevelDB left out of its logs when the database was opened.
    package func takeLogReport() -> LogReport { LogReport(environment.takeLogReport()) }

    /// What ``purgeCleared(atMost:)`` has to do.
    var purge: Purge {
        get { state.withLock { $0.purge } }
        set { state.withLock { $0.purge = newValue } }
    }

    func handle(toWrite isWriting: Bool = false) throws(StoreError) -> Handle {
        try state.withLock { (state) throws(StoreError) in
            if isWriting, let failure = state.failure { throw failure }
            if let handle = state.handle { return handle }
            if let failure = state.failure { throw failure }
            if state.isSuspended {
                throw StoreError(.suspended, "the store has let go of its files", path: path)
            }
            throw StoreError(closedAt: path)
        }
    }
}

// MARK: Reading and writing

extension LevelDB {
    /// The database as it is now, whatever is written later.
    package func snapshot() throws(StoreError) -> Snapshot { Snapshot(try handle()) }

    /// Writes a batch, all or nothing.
    ///
    /// - Parameters:
    ///   - batch: The rows to write and to remove.
    ///   - isDurable: Whether the batch is on the disk when the call returns. If not, it survives
    ///     the end of the process, and soon a loss of power too.
    /// - Throws: What the disk says, or `closed`. A failure is thrown again by every later call,
    ///   until the files were opened anew.
    package func write(_ batch: Overlay, isDurable: Bool) throws(StoreError) {
        let handle = try handle(toWrite: true)
        // There is one write at a time. What a large one takes is not kept.
        let isSmall = batch.size <= LevelDB.smallBatch
        let rows: OpaquePointer = isSmall ? handle.smallBatch : leveldb_writebatch_create()
        defer { isSmall ? leveldb_writebatch_clear(rows) : leveldb_writebatch_destroy(rows) }
        batch.forEachInOrderOfWriting { key, value in
            if let value {
                leveldb_writebatch_put(
                    rows, key.characters, key.count, value.characters, value.count)
            } else {
                leveldb_writebatch_delete(rows, key.characters, key.count)
            }
        }
        do {
            try LevelDB.check(path) {
                leveldb_write(
                    handle.pointer, isDurable ? handle.durably : handle.quickly, rows, $0)
            }
            environment.mark()
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
        let delay = state.withLock { state in
            state.bytesWritten += batch.size
            if !batch.givenUp.isEmpty { state.purge.add(batch.givenUp) }
            return state.throttle.delay(afterWriting: batch.size) { handle.unmergedTableCount }
        }
        // As long as a load has to wait for LevelDB to keep up.
        if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
    }

    /// How many bytes of keys and values were written since this was made.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    /// Up to how many bytes of keys and values a batch is built where the last one was.
    private static let smallBatch = 64 << 10

    /// What the last write failed with, until the files were opened anew.
    package var failure: StoreError? { state.withLock { $0.failure } }

    /// Whether the last write failed.
    package var hasFailed: Bool { failure != nil }
}
