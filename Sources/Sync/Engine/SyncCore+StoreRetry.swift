import Store

/// The attempts to open the files of a store again after a failed read or write.
struct StoreRetry: Hashable {
    /// The number of attempts since the last success.
    var attempts = 0
    /// A Boolean value that indicates whether the next attempt follows a wait.
    var isWaiting = false
}

extension SyncCore {
    /// Plans another attempt to open the files of the store, if the last read or write failed.
    ///
    /// The failed write may have been one of the app, and the engine may have nothing to write.
    /// The failure would then remain although the disk can be written again, and callers that wait
    /// until the engine has caught up would wait until the next write.
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

    /// Opens the files of the store again, if the last read or write failed.
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
    /// A Boolean value that indicates whether a failed read or write may succeed later, without a
    /// change of the files.
    fileprivate var isTemporary: Bool {
        guard let code = (cause as? StoreError)?.code else { return false }
        return [.permission, .noSpace, .io, .busy, .locked].contains(code)
    }
}
