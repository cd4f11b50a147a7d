import Sync

/// The two results of starting a collection: the cached rows, and the rows after the server has
/// responded.
public struct CollectionStart<Element: Sendable>: Sendable {
    let cachedResult: Result<[Element], SyncError>
    let refresh: Task<Result<[Element], SyncError>, Never>

    /// The cached rows, which the collection showed when `start()` returned.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `store` if the cache cannot be read, `disposed`, or
    ///   `queryInProgress` if the collection was started before.
    public var cached: [Element] {
        get throws(SyncError) { try cachedResult.get() }
    }

    /// The rows after the server has responded; equal to `cached` if no request is needed.
    ///
    /// If the calling task is canceled, the request is canceled, too. After an error, the
    /// collection keeps the cached rows, and updates them when there is a connection.
    ///
    /// - Throws: ``/Sync/SyncError`` with code `notConnected` or another error of the server;
    ///   `store`, `closed`, `canceled`; `disposed` if the collection was disposed before the server
    ///   responded, or if a message collection was released before.
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
