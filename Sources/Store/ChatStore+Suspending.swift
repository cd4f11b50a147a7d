import Foundation
import Models

extension ChatStore {
    /// Closes the files temporarily, so that the system can suspend the process, or another one can
    /// open them.
    ///
    /// iOS terminates a process that is suspended while it locks a file in a shared container. The
    /// call waits for a running write, and briefly for running reads, at the cost of ``close()``.
    /// Until ``resume()``, every read and write fails with `suspended`. Observations continue
    /// afterwards. Repeated calls have no effect.
    ///
    /// - Throws: `busy` if a ``Snapshot`` exists, or `closed`. The store is then unchanged.
    /// - Precondition: The call is not inside a write.
    public func suspend() throws(StoreError) {
        precondition(!isWriting, "ChatStore.suspend waits for writes: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            if state.withLock({ $0.isClosed }) { throw StoreError(closedAt: path) }
            if isSuspended { return }
            saveLists(&writer)
            recordGeneration(&writer)
            cache.shortenLogs()
            outbox.shortenLogs()
            try withoutSnapshot { () throws(StoreError) in
                // Check both databases first, so that either both are suspended or neither.
                try cache.checkHasNoReaders(waiting: LevelDB.longWait)
                try outbox.checkHasNoReaders(waiting: LevelDB.longWait)
                cache.suspend()
                outbox.suspend()
            }
        }
    }

    /// Opens the files again after ``suspend()``.
    ///
    /// Observers receive ``Change/Operation/missed``, because another process may have written to
    /// the suspended store. Otherwise, the call has no effect.
    ///
    /// - Throws: As ``init(at:options:encryptionKey:migrationHandler:)`` does; the store is then
    ///   still suspended. After `corruption` or `newerSchema`, close the store and open it again.
    /// - Precondition: The call is not inside a write.
    public func resume() throws(StoreError) {
        precondition(!isWriting, "ChatStore.resume waits for writes: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            guard let number = state.withLock({ $0.resumed?.number }), isSuspended else { return }
            do throws(StoreError) {
                for path in [cache.path, outbox.path] { try StoreFiles.checkIsNoLink(path) }
                try cache.resume()
                try outbox.resume()
                for database in [cache, outbox] { try checkReopened(database, writer) }
                try publishReopenedState(&writer, after: number)
            } catch {
                cache.suspend()
                outbox.suspend()
                throw error
            }
        }
    }

    private var isSuspended: Bool { state.withLock { $0.failure?.code == .suspended } }
}
