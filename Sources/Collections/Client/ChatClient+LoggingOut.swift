public import Models
import Store
public import Sync

extension ChatClient {
    /// The data to remove when a user logs out.
    public enum Wiping: Hashable, Sendable, CaseIterable {
        /// All data that can be fetched again. Outbox items are sent when the user connects again.
        case cachedData
        /// All data of the user on this device, in plain and in encrypted directories.
        ///
        /// ``logOut(wiping:)`` returns only the unsent outbox items of the store that this client
        /// has open, and not those of ``StorageDamage/plainStore``.
        case everything
    }

    /// Ends the connection, and removes the user's data from this device.
    ///
    /// Collections remove their rows, with the source `sessionEnded`, and are disposed. The client
    /// then has no user. The server's list of devices for push notifications is not changed.
    ///
    /// - Returns: The user's unsent outbox items by channel, oldest first.
    /// - Throws: `store` if the data could not be removed, for example because the store could not
    ///   be opened; the client then keeps the user and the unsent items. If only files of an
    ///   already emptied store remain, there is no error: the client removes them when the next
    ///   user connects. The cache of ``StorageDamage/plainStore`` may remain. `closed` or
    ///   `canceled` if another user connects during the call.
    @discardableResult
    public func logOut(wiping: Wiping) async throws(SyncError) -> [OutboxItem] {
        guard let userID = session?.userID else { return [] }
        await disconnect()
        try await clearCachedData(source: .sessionEnded)
        // Another program may have put a store there, which must not prevent the log-out.
        try? await removeOtherCachedData()
        if let cachingError { throw SyncError(cachingError) }
        guard let session, session.userID == userID else {
            throw SyncError(.canceled, "another user has connected instead of \(userID)")
        }
        let engine = session.engine
        // After this step, a push extension cannot store data of the user.
        try await engine.removePushInbox()
        // The following steps cannot fail: with `everything`, the returned array is the only copy
        // of the items.
        let items: [OutboxItem]
        switch wiping {
        case .cachedData:
            items = try engine.stored { (reader) throws(StoreError) in try reader.outboxItems() }
        case .everything: items = try await engine.discardUserData()
        }
        if self.session?.engine === engine { endCollections() }
        // Also remove the files: they contain removed rows until LevelDB compacts them.
        await forget(session, removesFiles: wiping == .everything)
        return items
    }
}
