import Sync

/// The rows of a collection: first the cached ones, then those after the server's response.
public struct CollectionStart<Element: Sendable>: Sendable {
    let cachedResult: Result<[Element], SyncError>
    let refresh: Task<Result<[Element], SyncError>, Never>

    /// The cached rows, which the collection shows when `start()` returns.
    ///
    /// - Throws: `store` if the cache cannot be read, `disposed`, or `queryInProgress` if the
    ///   collection was started before.
    public var cached: [Element] {
        get throws(SyncError) { try cachedResult.get() }
    }

    /// The rows after the server has responded, or the cached rows if no request is needed.
    ///
    /// Canceling the task that awaits this property cancels the request. If the request fails, the
    /// collection keeps the cached rows, and updates them once the engine is connected.
    ///
    /// - Throws: `notConnected` or another error of the server; `store`, `closed`, `canceled`;
    ///   `disposed` if the collection was disposed, or a message collection was released, before
    ///   the server responded.
    public var refreshed: [Element] {
        get async throws(SyncError) {
            let result = await withTaskCancellationHandler {
                await refresh.value
            } onCancel: {
                refresh.cancel()
            }
            return try result.get()
        }
    }
}
