import Foundation
import Models

extension ChatStore {
    /// Lets go of the files, so that the system may suspend the process, or another process open them.
    ///
    /// iOS ends a process that is suspended with a lock on a file in a container that it shares. Waits for a
    /// write under way, and some moments for reads. Observations go on when the store is resumed; until
    /// then every read and write fails with `suspended`. Suspending twice is once.
    ///
    /// - Throws: ``StoreError`` with code `busy` if somebody holds a ``Snapshot``, and `closed`; then
    ///   nothing was done.
    /// - Precondition: Not called within a write.
    /// - Complexity: That of ``close()``, and some hundred milliseconds for who reads.
    public func suspend() throws(StoreError) {
        precondition(!isWriting, "ChatStore.suspend waits for writes: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            if state.withLock({ $0.isClosed }) { throw StoreError(closedAt: path) }
            if isSuspended { return }
            // Readers need not wait for it.
            saveLists(&writer)
            cache.shortenLogs()
            outbox.shortenLogs()
            try withoutVersion { () throws(StoreError) in
                // Both or none.
                try cache.checkNobodyReads(waiting: LevelDB.longWait)
                try outbox.checkNobodyReads(waiting: LevelDB.longWait)
                cache.suspend()
                outbox.suspend()
            }
        }
    }

    /// Opens the files again after ``suspend()``.
    ///
    /// Observers are told ``Change/Operation/missed``, since somebody else may have written meanwhile.
    /// Of a store that is not suspended, nothing is done.
    ///
    /// - Throws: ``StoreError`` as ``init(at:options:encryptionKey:migrationHandler:)`` does; then it is still
    ///   suspended. After `corruption`, and `newerSchema`, close it, and open it anew.
    /// - Precondition: Not called within a write.
    public func resume() throws(StoreError) {
        precondition(!isWriting, "ChatStore.resume waits for writes: call it after this one.")
        try writer.withLock { (writer) throws(StoreError) in
            guard let number = state.withLock({ $0.resumed?.number }), isSuspended else { return }
            do throws(StoreError) {
                try cache.resume()
                try outbox.resume()
                // No newer code must have migrated the rows meanwhile.
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
