import Foundation
import Models

extension ChatStore {
    /// Closes the files temporarily, so that the system may suspend the process, or another process
    /// may open them.
    ///
    /// iOS terminates a process that is suspended while it holds a lock on a file in a shared
    /// container. The call waits for a running write, and briefly for reads. Observations continue
    /// when the store is resumed; until then, every read and write fails with `suspended`. Repeated
    /// calls have no effect.
    ///
    /// - Throws: ``StoreError`` with code `busy` if a ``Snapshot`` exists, and `closed`; then
    ///   nothing was done.
    /// - Precondition: Not called inside a write.
    /// - Complexity: That of ``close()``; readers wait up to some hundred milliseconds.
    public func suspend() throws(StoreError) {
        precondition(!isWriting, "ChatStore.suspend waits for writes: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            if state.withLock({ $0.isClosed }) { throw StoreError(closedAt: path) }
            if isSuspended { return }
            // Readers need not wait for this.
            saveLists(&writer)
            cache.shortenLogs()
            outbox.shortenLogs()
            try withoutVersion { () throws(StoreError) in
                // Suspend both databases or neither.
                try cache.checkNobodyReads(waiting: LevelDB.longWait)
                try outbox.checkNobodyReads(waiting: LevelDB.longWait)
                cache.suspend()
                outbox.suspend()
            }
        }
    }

    /// Opens the files again after ``suspend()``.
    ///
    /// Observers receive ``Change/Operation/missed``, since another process may have written in the
    /// meantime. The call has no effect if the store is not suspended.
    ///
    /// - Throws: ``StoreError`` as ``init(at:options:encryptionKey:migrationHandler:)`` does; the
    ///   store is still suspended then. After `corruption` or `newerSchema`, close it and open it
    ///   again.
    /// - Precondition: Not called inside a write.
    public func resume() throws(StoreError) {
        precondition(!isWriting, "ChatStore.resume waits for writes: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            guard let number = state.withLock({ $0.resumed?.number }), isSuspended else { return }
            do throws(StoreError) {
                try cache.resume()
                try outbox.resume()
                // A newer version must not have migrated the rows in the meantime.
                _ = try StoreSchema.current.versions(of: cache, outbox)
                try beginAnew(&writer, after: number)
            } catch {
                cache.suspend()
                outbox.suspend()
                throw error
            }
        }
    }

    private var isSuspended: Bool { state.withLock { $0.failure?.code == .suspended } }
}
