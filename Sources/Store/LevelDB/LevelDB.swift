import CScrollbackLevelDB
import Foundation
import Models

/// An ordered key-value database of bytes: a wrapper of LevelDB, which no other code calls.
///
/// The class is thread-safe, but writes must not be concurrent. After a failed write, earlier data
/// is readable, but every later write fails until ``reopen(isChecked:waiting:)`` has closed the
/// files, removed the incomplete write from the log, and opened the files again.
package final class LevelDB: Sendable {
    package let path: String
    let options: StoreOptions
    let environment: Environment
    let firstDamage = FirstDamage()
    let state: Locked<State>

    struct State {
        /// The open files; `nil` after the database was closed, while it is suspended, and if
        /// reopening the files has failed.
        var handle: Handle?
        var isClosed = false
        var isSuspended = false
        /// The error of the failed write; `nil` again after the files were reopened.
        var failure: StoreError?
        var purge = Purge()
        var bytesWritten = 0
        var throttle = Throttle()

        /// A Boolean value that indicates whether no reader or snapshot keeps the files open.
        var isUnused: Bool {
            mutating get { handle == nil || isKnownUniquelyReferenced(&handle) }
        }
    }

    /// The version of LevelDB, such as 1.23.
    package static var version: (major: Int, minor: Int) {
        (Int(scrollback_leveldb_major), Int(scrollback_leveldb_minor))
    }

    /// Opens a database, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The directory of the files, whose parent must exist.
    ///   - options: The options of the files.
    ///   - environment: The file system; the disk by default.
    ///   - skippingDamage: A Boolean value that indicates whether to skip damaged or missing parts
    ///     of the logs. By default, these are an error, and the files stay unchanged.
    /// - Throws: `locked`, `permission`, `noSpace`, `io`, or `corruption`.
    package init(
        at path: String, options: StoreOptions = StoreOptions(),
        environment: Environment = .disk(), skippingDamage: Bool = false
    ) throws(StoreError) {
        self.path = path
        self.options = options
        self.environment = environment
        let handle = try Handle(
            at: path, options: options, environment: environment, firstDamage: firstDamage,
            skippingDamage: skippingDamage)
        state = Locked(State(handle: handle))
    }

    /// Closes the files, immediately or when the last snapshot is released.
    ///
    /// The call writes large logs to a table, so that the next opening is fast. It rolls back a
    /// failed write, unless a snapshot still keeps the files open. Later calls of other methods
    /// fail with `closed`. Repeated calls have no effect.
    package func close() {
        shortenLogs()
        state.withLock { state in
            if state.isClosed { return }
            state.isClosed = true
            let isLast = state.isUnused
            state.handle = nil
            // Ignore an error. The next opening may then find the complete failed batch, as
            // documented.
            if isLast && state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// Closes the files as ``close()`` does, without preparing the next opening, and calls a closure
    /// after they are closed.
    func retire(_ didClose: @escaping @Sendable () -> Void) {
        let handle = state.withLock { state in
            (state.isClosed, state.failure) = (true, nil)
            return state.handle.take()
        }
        guard let handle else { return didClose() }
        handle.didClose.withLock { $0 = didClose }
    }

    /// Returns and clears the report of the logs that LevelDB replayed when it opened.
    package func takeLogReport() -> LogReport { LogReport(environment.takeLogReport()) }

    /// The progress of ``purgeCleared(atMost:)``.
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
                throw StoreError(
                    .suspended, "the store is suspended: call resume() first", path: path)
            }
            throw StoreError(closedAt: path)
        }
    }
}

// MARK: Reading and writing

extension LevelDB {
    /// Returns a snapshot of the current rows.
    package func snapshot() throws(StoreError) -> Snapshot { Snapshot(try handle()) }

    /// Writes a batch atomically.
    ///
    /// - Parameters:
    ///   - batch: The rows to write and to remove.
    ///   - isDurable: A Boolean value that indicates whether the batch is on disk when the call
    ///     returns. Otherwise, the batch then survives a crash of the process; it survives a power
    ///     failure only a short time later.
    /// - Throws: Errors of the disk, or `closed`. Until the files are reopened, every later call
    ///   throws the same error.
    package func write(_ batch: Overlay, isDurable: Bool) throws(StoreError) {
        let handle = try handle(toWrite: true)
        do {
            try LevelDB.check(path) { error in
                batch.withRows { bytes, rows in
                    scrollback_db_write(
                        handle.pointer, bytes.baseAddress, bytes.count, rows.baseAddress,
                        rows.count, isDurable, error)
                }
            }
            environment.mark()
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
        let delay = state.withLock { state in
            state.bytesWritten += batch.size
            if !batch.released.isEmpty { state.purge.add(batch.released) }
            return state.throttle.delay(afterWriting: batch.size) { handle.unmergedTableCount }
        }
        // Delay the writer of a bulk load, so that LevelDB can keep up with merging tables.
        if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
    }

    /// The number of bytes of keys and values written since the database was opened.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    /// The error of the failed write; `nil` again after the files were reopened.
    package var failure: StoreError? { state.withLock { $0.failure } }

    /// A Boolean value that indicates whether a write failed and the files were not reopened since.
    package var hasFailed: Bool { failure != nil }
}
