public import Store
public import Sync

extension ChatClient {
    /// Returns the live rows of a table of the app in the store of the current user.
    ///
    /// A `limit` of `nil` lists all rows. Values of an earlier version are converted. The client
    /// ends the rows when another user connects.
    ///
    /// - Throws: `noUser`, or `store`, for example if the table was used with other types.
    /// - Complexity: O(*n*) in the number of rows.
    public func table<Key, Value>(
        _ table: StoreTable<Key, Value>, within range: StoreKeyRange<Key> = .all,
        isDescending: Bool = false, limit: Int? = nil
    ) throws(SyncError) -> RowCollection<Key, Value> {
        let collection = try RowCollection(
            of: table, within: range, isDescending: isDescending, limit: limit,
            store: try engine.store)
        add(collection)
        return collection
    }

    /// Opens a table of the app in the store of the current user, and converts all values of
    /// earlier versions, as ``/Store/ChatStore/open(_:)`` does.
    ///
    /// - Throws: `noUser` or `store`.
    public func open<Key, Value>(_ table: StoreTable<Key, Value>) async throws(SyncError) {
        let store = try engine.store
        try await onDisk { () throws(StoreError) in try store.open(table) }
    }
}
