import Store

struct StoreRetry: Hashable {
    var attempts = 0
    var isWaiting = false
}

extension SyncCore {
    /// Plans an attempt to open the files of the store after a failure.
    ///
    /// The engine may have nothing to write: without an attempt, the failure would remain, and
    /// callers of `caughtUp` would wait until the next write.
    mutating func planStoreRetry() {
        guard let storeFailure, storeFailure.isTemporary else {
            if storeRetry.isWaiting { act(.cancelWait(.store)) }
            storeRetry = StoreRetry()
            return
        }
        guard !storeRetry.isWaiting else { return }
        storeRetry.attempts += 1
        storeRetry.isWaiting = true
        act(.wait(.store, beforeAttempt: storeRetry.attempts + 1, atLeast: nil))
    }

    mutating func retryStore() {
        storeRetry.isWaiting = false
        guard storeFailure != nil else { return }
        do throws(StoreError) {
            try store.reopenFailedFiles()
            (writeFailure, readFailure, outboxFailure) = (nil, nil, nil)
        } catch {
            // If the last write succeeded, only the outbox has failed.
            if lastFailure == nil {
                outboxFailure = SyncError(error)
            } else {
                writeFailure = SyncError(error)
            }
        }
    }
}

extension SyncError {
    fileprivate var isTemporary: Bool {
        guard let code = (cause as? StoreError)?.code else { return false }
        return [.permission, .noSpace, .io, .busy, .locked].contains(code)
    }
}
