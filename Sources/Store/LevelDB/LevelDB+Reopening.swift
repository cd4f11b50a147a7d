import Foundation
import Models

// Closing and reopening the files, for suspending the store and after a failed write.

extension LevelDB {
    /// The time to wait for running reads.
    static let longWait: Duration = .milliseconds(250)
    /// The time to wait for running reads if an earlier wait failed.
    static let shortWait: Duration = .milliseconds(20)
    private static let microsecondsBetweenLooks: UInt32 = 200

    /// The maximum size of logs that are not written to a table before the files are closed, in
    /// bytes.
    ///
    /// Replaying logs of this size takes about a millisecond, and each additional table makes reads
    /// slower.
    private static let shortLogs = 256 << 10
    /// The maximum time to wait while LevelDB writes a table from the logs.
    private static let longestFlush: Duration = .milliseconds(250)
    /// The number of unmerged tables at which no further table is written.
    ///
    /// LevelDB delays writers at 8 tables, and blocks them at 12.
    private static let manyTables = 8

    /// Writes large logs to a table before the files are closed, so that the next opening need not
    /// replay them.
    ///
    /// Errors are ignored. If LevelDB has too many unmerged tables, or a file cannot be written,
    /// the logs stay, and no data is lost.
    ///
    /// - Complexity: O(*n*) in the size of the logs if they have 256 KiB or more. Waits for the
    ///   current work of LevelDB's thread, which works for all databases of the process.
    func shortenLogs() {
        let handle = state.withLock { $0.failure == nil ? $0.handle : nil }
        guard environment.isOnDisk, let handle, handle.unmergedTableCount < LevelDB.manyTables
        else { return }
        _ = environment.flush(
            handle.pointer, least: LevelDB.shortLogs, waiting: LevelDB.longestFlush)
    }

    /// Checks that there is no reader or snapshot.
    ///
    /// - Parameter time: The time to wait for running readers. The caller must prevent new readers.
    /// - Throws: `busy` if a reader or a snapshot remains.
    func checkHasNoReaders(waiting time: Duration) throws(StoreError) {
        try wait(time) { state in
            state.isUnused
                ? nil
                : StoreError(
                    .busy, "a snapshot keeps the files open: release it and retry", path: path)
        }
    }

    /// Polls a closure until it returns no error.
    ///
    /// - Throws: The last error, after `time`.
    private func wait(
        _ time: Duration, for reason: (inout State) -> StoreError?
    ) throws(StoreError) {
        let start = ContinuousClock.now
        while let error = state.withLock({ reason(&$0) }) {
            guard ContinuousClock.now - start < time else { throw error }
            usleep(LevelDB.microsecondsBetweenLooks)
        }
    }

    /// Closes the files until ``resume()``; the caller must have checked that there is no reader.
    func suspend() {
        state.withLock { state in
            guard !state.isClosed, !state.isSuspended else { return }
            state.isSuspended = true
            state.handle = nil
            if state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// Opens the files again.
    ///
    /// - Throws: Errors of opening the files, in which case the database is still suspended.
    func resume() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            guard state.isSuspended, !state.isClosed else { return }
            state.handle = try Handle(
                at: path, options: options, environment: environment, firstDamage: firstDamage,
                skippingDamage: false)
            state.isSuspended = false
        }
    }
}

// MARK: After a write that failed

extension LevelDB {
    /// If a write has failed, checks that there is no reader or snapshot.
    ///
    /// - Parameter time: The time to wait for running readers. The caller must prevent new readers.
    /// - Throws: `busy` if a reader or a snapshot remains.
    func checkIsUnused(waiting time: Duration) throws(StoreError) {
        try wait(time) { state in
            guard let failure = state.failure, !state.isUnused else { return nil }
            return heldError(failure)
        }
    }

    private func heldError(_ failure: StoreError) -> StoreError {
        StoreError(
            .busy,
            "the files cannot be reopened after a failed write while a snapshot keeps them open: "
                + "release it and retry", path: path,
            cause: failure)
    }

    /// If a write has failed, checks that the disk has enough space for
    /// ``reopen(isChecked:waiting:)``.
    ///
    /// If the space is not sufficient, the caller leaves the files open, so that reads continue.
    ///
    /// - Throws: Errors of the disk. The files are unchanged and readable.
    /// - Complexity: Writes as much as the size of the logs, and waits for the disk.
    package func checkCanReopen() throws(StoreError) {
        guard hasFailed, environment.isOnDisk else { return }
        try DatabaseFiles(path).checkTheyCanBeWritten()
    }

    /// Closes the files after a failed write, rolls the write back, and opens the files again.
    ///
    /// - Parameters:
    ///   - isChecked: A Boolean value that indicates whether the caller has just called
    ///     ``checkCanReopen()``. By default, this call makes the check.
    ///   - time: The time to wait for running readers. By default, the call does not wait.
    /// - Throws: `busy` if a reader or a snapshot exists, in which case the files are unchanged;
    ///   `closed`; or errors of opening the files, after which nothing can be read until a later
    ///   call succeeds.
    package func reopen(
        isChecked: Bool = false, waiting time: Duration = .zero
    ) throws(StoreError) {
        if !isChecked { try checkCanReopen() }
        try checkIsUnused(waiting: time)
        try state.withLock { (state) throws(StoreError) in
            if state.isClosed { throw StoreError(closedAt: path) }
            guard let failure = state.failure else { return }
            guard state.isUnused else { throw heldError(failure) }
            state.handle = nil
            do throws(StoreError) {
                try rollBack()
                state.handle = try Handle(
                    at: path, options: options, environment: environment, firstDamage: firstDamage,
                    skippingDamage: false)
            } catch {
                // From now on, reads fail for this reason, and not for that of the failed write.
                state.failure = error
                throw error
            }
            state.failure = nil
        }
    }

    private func rollBack() throws(StoreError) {
        let status = environment.rollBack()
        guard status != 0 else { return }
        throw status == EBUSY
            ? StoreError(lockedAt: path)
            : StoreError(errno: status, doing: "remove an incomplete write", path: path)
    }
}
