package import Store

// What becomes of a store's failures, and where its work is done.

extension SyncError {
    /// The failure of a read or a write.
    package init(_ error: StoreError) {
        self.init(error.code == .closed ? .closed : .store, error.message, cause: error)
    }
}

/// Does something that waits for the disk, and not on the thread of who asks.
///
/// - Parameter work: What is done with a store, or with its files.
/// - Returns: What it returns.
/// - Throws: ``SyncError`` with code `store`.
@concurrent
package func onDisk<Value: Sendable>(
    _ work: @Sendable () throws(StoreError) -> Value
) async throws(SyncError) -> Value {
    do throws(StoreError) {
        return try work()
    } catch {
        throw SyncError(error)
    }
}
