import Foundation
import Models

extension LevelDB {
    static let longWait: Duration = .milliseconds(250)
    static let shortWait: Duration = .milliseconds(20)
    private static let microsecondsBetweenLooks: UInt32 = 200

    /// In bytes: replaying shorter logs takes about a millisecond, and another table makes reads
    /// slower.
    private static let shortLogs = 256 << 10
    private static let longestFlush: Duration = .milliseconds(250)
    /// The number of unmerged tables at which LevelDB delays writers.
    private static let manyTables = 8

    /// Writes large logs to a table, so that the next opening need not replay them.
    ///
    /// If this fails, the logs stay. The call waits for LevelDB's thread, which all databases
    /// share.
    func shortenLogs() {
        let handle = state.withLock { $0.failure == nil ? $0.handle : nil }
        guard environment.isOnDisk, let handle, handle.unmergedTableCount < LevelDB.manyTables
        else { return }
        _ = environment.flush(
            handle.pointer, least: LevelDB.shortLogs, waiting: LevelDB.longestFlush)
    }

    /// Throws `busy` if a reader or a snapshot remains after `time`; there must be no new readers.
    func checkHasNoReaders(waiting time: Duration) throws(StoreError) {
        try wait(time) { state in
            state.isUnused
                ? nil
                : StoreError(
                    .busy, "a snapshot keeps the files open: release it and retry", path: path)
        }
    }

    /// Polls `reason` until it returns no error; throws the last one after `time`.
    private func wait(
        _ time: Duration, for reason: (inout State) -> StoreError?
    ) throws(StoreError) {
        let start = ContinuousClock.now
        while let error = state.withLock({ reason(&$0) }) {
            guard ContinuousClock.now - start < time else { throw error }
            usleep(LevelDB.microsecondsBetweenLooks)
        }
    }

    /// Closes the files until ``resume()``; there must be no reader.
    func suspend() {
        state.withLock { state in
            guard !state.isClosed, !state.isSuspended else { return }
            state.isSuspended = true
            state.handle = nil
            if state.failure != nil { _ = environment.rollBack() }
            state.failure = nil
        }
    }

    /// After an error, the database is still suspended.
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
    /// As ``checkHasNoReaders(waiting:)`` if a write has failed.
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

    /// After a failed write, checks that the disk has space for ``reopen(isChecked:waiting:)``;
    /// otherwise, the caller leaves the files open for reads.
    package func checkCanReopen() throws(StoreError) {
        guard hasFailed, environment.isOnDisk else { return }
        try DatabaseFiles(path).checkTheyCanBeWritten()
    }

    /// Closes the files after a failed write, rolls the write back, and opens the files again.
    ///
    /// The call also does ``checkCanReopen()``, unless `isChecked`. If it throws `busy` because a
    /// reader or a snapshot remains after `time`, the files are unchanged. After an error of
    /// opening the files, nothing can be read until a later call succeeds.
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
                // From now on, reads fail for this reason.
                state.failure = error
                throw error
            }
            state.failure = nil
        }
    }

    /// Closes reopened files that are not those that were written.
    ///
    /// Every call throws the error until ``reopen(isChecked:waiting:)`` succeeds.
    func refuse(_ error: StoreError) {
        state.withLock { ($0.handle, $0.failure) = (nil, error) }
    }

    private func rollBack() throws(StoreError) {
        let status = environment.rollBack()
        guard status != 0 else { return }
        throw status == EBUSY
            ? StoreError(lockedAt: path)
            : StoreError(errno: status, doing: "remove an incomplete write", path: path)
    }
}
