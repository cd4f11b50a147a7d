import Models
import Store

extension SyncCore {
    /// Returns `nil`, and records the failure, if the store cannot be read.
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

    /// Returns a snapshot, after an empty write if necessary: only a write reopens the files that
    /// the store could not reopen after a failed write, and a caller that cannot read may never
    /// write.
    func snapshot() throws(StoreError) -> Snapshot {
        do throws(StoreError) {
            return try store.snapshot()
        } catch {
            guard error.code != .closed else { throw error }
            _ = try? store.write { _ in }
            return try store.snapshot()
        }
    }

    /// The error of the last write, or of an earlier one that made the cache unwritable; otherwise
    /// that of the last read.
    var lastFailure: SyncError? {
        writeFailure ?? readFailure
    }

    /// The last failure or, if there is none, that of the outbox only.
    var storeFailure: SyncError? { lastFailure ?? outboxFailure }

    mutating func recordFailure() {
        if let lastFailure, isCacheDamage(lastFailure), cacheDamage == nil {
            cacheDamage = lastFailure
        }
        state.failure = storeFailure ?? cacheDamage
    }

    func isCacheDamage(_ error: SyncError) -> Bool {
        (error.cause as? StoreError).map(store.isCacheDamage) ?? false
    }

    var isHaltedByDamage: Bool { lastFailure.map(isCacheDamage) ?? false }
}
