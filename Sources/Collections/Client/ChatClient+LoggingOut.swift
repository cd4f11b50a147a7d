public import Models
import Store
public import Sync

// What becomes of a user's data on this device when the user goes.
extension ChatClient {
    /// What leaves the device when a user logs out.
    public enum Wiping: Hashable, Sendable, CaseIterable {
        /// All that the server can give again; what was not sent stays, and is sent when the user is back.
        case cachedData
        /// All there is of the user, with and without a key: the user's directories. The caller has what was not
        /// sent, but for what a client with another key setting holds, which this one cannot read, and for what
        /// ``StorageDamage/unmovedOutbox`` is about.
        case everything
    }

    /// Logs the user out: ends the connection, and takes what is held of the user off this device.
    ///
    /// Collections are disposed of, and nobody is the client's user any more. The server's own list of
    /// devices, such as for pushes, is not touched.
    ///
    /// - Parameter wiping: What goes.
    /// - Returns: What the user wrote and was never sent, channel by channel, in the order in which it was
    ///   written; none if nobody was the client's user.
    /// - Throws: ``/Sync/SyncError`` with code `store` if it could not be taken away, as where the store could not be
    ///   opened; then the user stays, with what was not sent. Files of an emptied store that cannot be removed now go
    ///   when the next user connects. `closed` or `canceled` if somebody else connects meanwhile, who is left alone.
    @discardableResult
    public func logOut(wiping: Wiping) async throws(SyncError) -> [Draft] {
        guard let userID = session?.userID else { return [] }
        await disconnect()
        // Of a damaged cache, it opens a new one beside the outbox.
        try await clearCachedData()
        if let cachingError { throw SyncError(cachingError) }
        guard let session, session.userID == userID else {
            throw SyncError(.canceled, "somebody else has connected instead of \(userID)")
        }
        let engine = session.engine
        // From now on a push leaves nothing of the user on this device.
        try await engine.removeDropBox()
        // Last of what may fail: from here on nobody has them but the caller.
        let drafts: [Draft]
        switch wiping {
        case .cachedData:
            drafts = try engine.stored { (reader) throws(StoreError) in try reader.drafts() }
        case .everything: drafts = try await engine.discardDrafts()
        }
        // What LevelDB has not yet rewritten of removed rows goes with its files.
        await forget(session, removesFiles: wiping == .everything)
        return drafts
    }
}
