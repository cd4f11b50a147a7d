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
        /// All data of the user on this device, in plain and in encrypted directories.
        ///
        /// ``logOut(wiping:)`` returns the unsent outbox items that this client can read. It does
        /// not return the items of a store that this client does not open, such as
        /// ``StorageDamage/plainStore``.
        case everything
    }

    /// Logs the user out: ends the connection, and removes the user's data from this device.
    ///
    /// Collections remove their rows, with the source `sessionEnded`, and are disposed. The client
    /// then has no user. The server's list of devices, for
    /// example for push notifications, is not changed.
    ///
    /// - Parameter wiping: The data to remove.
    /// - Returns: The user's unsent outbox items by channel, in the order in which the user created
    ///   them; empty if the client had no user.
    /// - Throws: ``/Sync/SyncError`` with code `store` if the data could not be removed, for
    ///   example because the store could not be opened. The client then keeps the user and the
    ///   unsent items. If only the files of an already emptied store cannot be removed, the call
    ///   does not throw, and the client removes these files when the next user connects. `closed`
    ///   or `canceled` if another user connects during the call; that user is not affected.
    @discardableResult
    public func logOut(wiping: Wiping) async throws(SyncError) -> [OutboxItem] {
        guard let userID = session?.userID else { return [] }
        await disconnect()
        // If the cache is damaged, this call replaces it and keeps the outbox.
        try await clearCachedData(source: .sessionEnded)
        if let cachingError { throw SyncError(cachingError) }
        guard let session, session.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
        let engine = session.engine
        // After this step, a push extension cannot store data of the user.
        try await engine.removePushInbox()
        // The steps after this one cannot fail. With `everything`, the returned array is then the
        // only copy of the items.
        let items: [OutboxItem]
        switch wiping {
        case .cachedData:
            items = try engine.stored { (reader) throws(StoreError) in try reader.outboxItems() }
        case .everything: items = try await engine.discardOutboxItems()
        }
        if self.session?.engine === engine { endCollections() }
        // Rows that are removed from LevelDB stay in its files until LevelDB compacts them.
        // Therefore remove the files, too.
        await forget(session, removesFiles: wiping == .everything)
        return items
    }
}
