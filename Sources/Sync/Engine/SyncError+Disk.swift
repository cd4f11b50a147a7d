package import Store

extension SyncError {
    /// Creates the error for a failed read or write.
    package init(_ error: StoreError) {
        self.init(error.code == .closed ? .closed : .store, error.message, cause: error)
    }
}

/// Calls a closure, and converts an error of the store to a ``SyncError``.
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
///
/// - Parameter work: A closure that uses a store or its files.
/// - Returns: The result of the closure.
/// - Throws: ``SyncError`` with code `store`.
@concurrent
package func onDisk<Value: Sendable>(
    _ work: @Sendable () throws(StoreError) -> Value
) async throws(SyncError) -> Value {
    try translatingStoreErrors(work)
}
