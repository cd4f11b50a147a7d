import Foundation
import Models

// How the files are let go of, and opened again: by a suspension, and after a write that failed.

extension LevelDB {
    /// How long to wait for reads that are under way.
    static let longWait: Duration = .milliseconds(250)
    /// How long to wait if that was in vain before.
    static let shortWait: Duration = .milliseconds(20)
    private static let microsecondsBetweenLooks: UInt32 = 200

    /// What logs may hold when the files are let go of: that is replayed in about a millisecond, and a table
    /// for less would be one more to look into.
    private static let shortLogs = 256 << 10
    /// How long to wait for a table that is made of the logs.
    private static let longestFlush: Duration = .milliseconds(250)
    /// LevelDB holds up writers at 8, and stops them at 12.
    private static let manyTables = 8

    /// Makes a table of what the logs hold, if that is much; before the files are let go of.
    ///
    /// Who opens them next has to replay the logs. Best effort: where LevelDB is behind with its tables,
    /// or a file cannot be written, the logs stay, and nothing is lost.
    ///
    /// - Complexity: O(*n*) in the logs, if they hold 256 KiB; behind what LevelDB's thread has begun, which
    ///   all databases of the process share.
    func shortenLogs() {
        let handle = state.withLock { $0.failure == nil ? $0.handle : nil }
        guard environment.isOnDisk, let handle, handle.unmergedTableCount < LevelDB.manyTables
        else { return }
        _ = environment.flush(
            handle.pointer, least: LevelDB.shortLogs, waiting: LevelDB.longestFlush)
    }

    /// Makes sure that nobody reads.
    ///
    /// - Parameter time: How long to wait for those who do. Others have to be kept from beginning.
    /// - Throws: `busy`.
    func checkNobodyReads(waiting time: Duration) throws(StoreError) {
        try wait(time) { state in
            state.isUnused
                ? nil : StoreError(.busy, "a snapshot still holds the files", path: path)
        }
    }

    /// Waits for as long as a closure gives a reason to.
    ///
    /// - Throws: The reason, if there is one yet when the time is over.
    private func wait(
        _ time: Duration, for reason: (inout State) -> StoreError?
    ) throws(StoreError) {
        let start = ContinuousClock.now
        while let error = state.withLock({ reason(&$0) }) {
            guard ContinuousClock.now - start < time else { throw error }
            usleep(LevelDB.microsecondsBetweenLooks)
        }
    }

    /// Lets go of the files, which nobody may be reading, until ``resume()``.
    ///
    /// Takes back what a failed write left, as ``close()`` does.
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
    /// - Throws: What opening throws; then it is still suspended.
    func resume() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            guard state.isSuspended, !state.isClosed else { return }
            state.handle = try Handle(
                at: path, options: options, environment: environment, skippingDamage: false)
            state.isSuspended = false
        }
    }
}

// MARK: After a write that failed

extension LevelDB {
    /// Makes sure that nobody reads, if a write failed.
    ///
    /// - Parameter time: How long to wait for those who do. Others have to be kept from beginning.
    /// - Throws: `busy`.
    func checkIsUnused(waiting time: Duration) throws(StoreError) {
        try wait(time) { state in
            guard let failure = state.failure, !state.isUnused else { return nil }
            return heldError(failure)
        }
    }

    private func heldError(_ failure: StoreError) -> StoreError {
        StoreError(
            .busy, "a write failed before, and a snapshot still holds the files", path: path,
            cause: failure)
    }

    /// Makes sure that ``reopen(isChecked:waiting:)`` will have the space it needs, if a write failed.
    ///
    /// Rather than be left with nothing, go on reading as long as nothing can be written.
    ///
    /// - Throws: What the disk says. The files are as before, and can be read.
    /// - Complexity: Writes as much as the logs have, and waits for the disk.
    package func checkCanReopen() throws(StoreError) {
        guard hasFailed, environment.isOnDisk else { return }
        try DatabaseFiles(path).checkTheyCanBeWritten()
    }

    /// Closes the files after a write that failed, takes back what it left, and opens them again.
    ///
    /// - Parameters:
    ///   - isChecked: Whether ``checkCanReopen()`` was called just before, where no reader had to
    ///     wait for it. By default, it is called here.
    ///   - time: How long to wait for those who read; by default not at all.
    /// - Throws: `busy` as long as somebody reads, or holds a snapshot; then the files are as before.
    ///   `closed`. Else what opening throws; then nothing can be read until it succeeds.
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
            let status = environment.rollBack()
            if status != 0 {
                throw status == EBUSY
                    ? StoreError(lockedAt: path)
                    : StoreError(errno: status, doing: "cut off a failed write", path: path)
            }
            state.handle = try Handle(
                at: path, options: options, environment: environment, skippingDamage: false)
            state.failure = nil
        }
    }
}
