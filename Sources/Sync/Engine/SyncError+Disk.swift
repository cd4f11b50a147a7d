package import Store

extension SyncError {
    package init(_ error: StoreError) {
        self.init(error.code == .closed ? .closed : .store, error.message, cause: error)
    }
}

package func translatingStoreErrors<Value>(
    _ body: () throws(StoreError) -> Value
) throws(SyncError) -> Value {
    do throws(StoreError) {
        return try body()
    } catch {
        throw SyncError(error)
    }
}

/// Performs work that waits for the disk, on a thread other than the caller's.
@concurrent
package func onDisk<Value: Sendable>(
    _ work: @Sendable () throws(StoreError) -> Value
) async throws(SyncError) -> Value {
    try translatingStoreErrors(work)
}
