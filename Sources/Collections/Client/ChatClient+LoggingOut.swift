public import Models
import Store
public import Sync

extension ChatClient {
    /// The data that is removed when a user logs out.
    public enum Wiping: Hashable, Sendable, CaseIterable {
        /// All data that can be fetched again.
        ///
        /// The outbox is kept; its items are sent when the user connects again.
        case cachedData
        /// All data of the user on this device: plain and encrypted directories.
        ///
        /// ``logOut(wiping:)`` returns the unsent outbox items that this client can read. It does
        /// not return the items of ``StorageDamage/unmovedOutbox``, or those of a store that this
        /// client does not open: an encrypted one if the client has no key, or a plain one if it
        /// has a key.
        case everything
    }

    /// Logs the user out: ends the connection, and removes the user's data from this device.
    ///
    /// Collections are disposed, and the client then has no user. The server's list of devices, for
    /// example for push notifications, is not changed.
    ///
    /// - Parameter wiping: The data to remove.
    /// - Returns: The user's unsent outbox items by channel, in the order in which the user created
    ///   them; empty if the client had no user.
    /// - Throws: ``/Sync/SyncError`` with code `store` if the data could not be removed, for
    ///   example because the store could not be opened. The client then keeps the user and the
    ///   unsent items. Files of an emptied store that cannot be removed cause no error: the client
    ///   removes them when the next user connects. `closed` or `canceled` if another user connects
    ///   in the meantime; that user is not affected.
    @discardableResult
    public func logOut(wiping: Wiping) async throws(SyncError) -> [OutboxItem] {
        guard let userID = session?.userID else { return [] }
        await disconnect()
        // If the cache is damaged, this call replaces it and keeps the outbox.
        try await clearCachedData()
        if let cachingError { throw SyncError(cachingError) }
        guard let session, session.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
        let engine = session.engine
        // From now on, a push extension cannot store data of the user.
        try await engine.removePushInbox()
        // No later step can fail. With `everything`, only the caller has the items afterwards.
        let items: [OutboxItem]
        switch wiping {
        case .cachedData:
            items = try engine.stored { (reader) throws(StoreError) in try reader.outboxItems() }
        case .everything: items = try await engine.discardOutboxItems()
        }
        // LevelDB's files contain removed rows until it compacts them; removing the files removes
        // the rows.
        await forget(session, removesFiles: wiping == .everything)
        return items
    }
}
