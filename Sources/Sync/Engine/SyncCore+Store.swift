import Models
import Store

extension SyncCore {
    /// Reads from the store, and records whether it has failed; returns `nil` if it has.
    mutating func read<Result>(_ body: (Snapshot) throws(StoreError) -> Result) -> Result? {
        do throws(StoreError) {
            let result = try body(try snapshot())
            readFailure = nil
            return result
        } catch {
            readFailure = SyncError(error)
            return nil
        }
    }

    /// Returns a snapshot to read from.
    ///
    /// Only a write reopens files that the store could not reopen after a failed write. A caller
    /// that cannot read may never write, so this method then attempts an empty write.
    func snapshot() throws(StoreError) -> Snapshot {
        do throws(StoreError) {
            return try store.snapshot()
        } catch {
            guard error.code != .closed else { throw error }
            _ = try? store.write { _ in }
            return try store.snapshot()
        }
    }

    /// The error of the last write, or of an earlier one that has made the cache unwritable;
    /// otherwise that of the last read.
    var lastFailure: SyncError? {
        // A successful read does not prove that the disk can be written.
        writeFailure ?? readFailure
    }

    /// The last failure or, if there is none, the error that keeps only the outbox from being
    /// written.
    var storeFailure: SyncError? { lastFailure ?? outboxFailure }

    mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = storeFailure ?? cacheDamage
    }

    /// Returns whether an error means that the cache is damaged: a retry would fail too, while the
    /// outbox remains usable.
    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }
}
