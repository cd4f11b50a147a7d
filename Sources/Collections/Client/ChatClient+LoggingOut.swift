public import Models
import Store
public import Sync

// Logging out, and removing a user's data from this device.
extension ChatClient {
    /// The data that is removed when a user logs out.
    public enum Wiping: Hashable, Sendable, CaseIterable {
        /// All data that can be fetched again.
        ///
        /// The outbox is kept, and is sent when the user connects again.
        case cachedData
        /// All data of the user on this device, plain and encrypted: the user's directories.
        ///
        /// ``logOut(wiping:)`` returns the unsent outbox items. It cannot return items that this
        /// client cannot read: those in a second store of the user that this client does not open
        /// (an encrypted one if this client has no key, or a plain one), and those of
        /// ``StorageDamage/unmovedOutbox``.
        case everything
    }

    /// Logs the user out: ends the connection, and removes the user's data from this device.
    ///
    /// Collections are disposed of, and the client then has no user. The server's list of devices,
    /// such as for push notifications, is not changed.
    ///
    /// - Parameter wiping: The data to remove.
    /// - Returns: The user's unsent outbox items by channel, in the order in which they were
    ///   written; empty if the client had no user.
    /// - Throws: ``/Sync/SyncError`` with code `store` if the data could not be removed, for
    ///   example because the store could not be opened; the client then keeps the user and the
    ///   unsent items. Files of an emptied store that cannot be removed now are removed when the
    ///   next user connects. `closed` or `canceled` if another user connects in the meantime; that
    ///   user is not affected.
    @discardableResult
    public func logOut(wiping: Wiping) async throws(SyncError) -> [OutboxItem] {
        guard let userID = session?.userID else { return [] }
        await disconnect()
        // If the cache is damaged, this call replaces it by an empty one and keeps the outbox.
        try await clearCachedData()
        if let cachingError { throw SyncError(cachingError) }
        guard let session, session.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
        let engine = session.engine
        // From here on, a push extension cannot store data of the user.
        try await engine.removePushInbox()
        // This is the last step that can fail. With `everything`, only the caller has the items
        // afterwards.
        let items: [OutboxItem]
        switch wiping {
        case .cachedData:
            items = try engine.stored { (reader) throws(StoreError) in try reader.outboxItems() }
        case .everything: items = try await engine.discardOutboxItems()
        }
        // LevelDB keeps removed rows until it compacts its files: removing the files removes them,
        // too.
        await forget(session, removesFiles: wiping == .everything)
        return items
    }
}
