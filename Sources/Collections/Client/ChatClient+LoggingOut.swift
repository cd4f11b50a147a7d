public import Models
import Store
public import Sync

// Removing a user's data from this device.
extension ChatClient {
    /// The data that is removed when a user logs out.
    public enum Wiping: Hashable, Sendable, CaseIterable {
        /// All data that can be fetched again.
        ///
        /// The outbox is kept, and is sent when the user connects again.
        case cachedData
        /// All there is of the user, with and without a key: the user's directories. The caller has
        /// what was not sent, but for what a client with another key setting holds, which this one
        /// cannot read, and for what ``StorageDamage/unmovedOutbox`` is about.
        case everything
    }

    /// Logs the user out: ends the connection, and removes the user's data from this device.
    ///
    /// Collections are disposed, and the client has no user anymore. The server's list of devices,
    /// such as for push notifications, is not changed.
    ///
    /// - Parameter wiping: The data to remove.
    /// - Returns: The user's unsent outbox items by channel, in the order in which they were
    ///   written; empty if the client had no user.
    /// - Throws: ``/Sync/SyncError`` with code `store` if the data could not be removed, for
    ///   example because the store could not be opened; the user is kept then, with the unsent
    ///   items. Files of an emptied store that cannot be removed now are removed when the next user
    ///   connects. `closed` or `canceled` if another user connects in the meantime, who is not
    ///   affected.
    @discardableResult
    public func logOut(wiping: Wiping) async throws(SyncError) -> [OutboxItem] {
        guard let userID = session?.userID else { return [] }
        await disconnect()
        // For a damaged cache, this creates a new one next to the outbox.
        try await clearCachedData()
        if let cachingError { throw SyncError(cachingError) }
        guard let session, session.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
        let engine = session.engine
        // From here on, a push extension cannot store data of the user.
        try await engine.removePushInbox()
        // The last step that can fail: from here on, only the caller has the items.
        let items: [OutboxItem]
        switch wiping {
        case .cachedData:
            items = try engine.stored { (reader) throws(StoreError) in try reader.outboxItems() }
        case .everything: items = try await engine.discardOutboxItems()
        }
        // Removed rows that LevelDB has not compacted are removed with its files.
        await forget(session, removesFiles: wiping == .everything)
        return items
    }
}
