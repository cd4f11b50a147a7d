public import Models
public import Store

// The push inbox, in which another process leaves messages.
extension SyncEngine {
    /// The number of messages in a write batch, which limits the duration of a write.
    private static let messagesOfABatch = 500

    /// Stores the messages that other processes have left in the store's `PushInbox`, and creates
    /// the inbox if there is none.
    ///
    /// They are treated as by ``ingest(_:source:)``: a message is stored unless a newer version is,
    /// or it was deleted; and no gap is closed. A file is removed from the inbox when its messages
    /// are on disk. If the process ends in between, the file is read again, without an effect.
    /// Unreadable parts of a file are reported and removed with it. No connection is needed.
    ///
    /// - Returns: The content of the inbox; empty for a store in memory, and for a user whose
    ///   session was revoked.
    /// - Throws: ``SyncError`` with code `store` or `closed`. A file that cannot be read, for
    ///   example because a newer version wrote it, stays in the inbox; the other files are
    ///   processed nevertheless.
    /// - Complexity: Lists a directory and reads the files in it. If there are any, waits for the
    ///   disk.
    @discardableResult
    public func absorbPushes() throws(SyncError) -> AbsorbedPushes {
        var absorbed = AbsorbedPushes()
        guard store.directory != nil, state.connection != .revoked else { return absorbed }
        // If the store is closed or suspended, the inbox is left unchanged.
        _ = try stored { (reader) throws(StoreError) in reader.number }
        let names = try withPushInboxFiles { (store) throws(StoreError) in
            try store.makePushInbox()
            return try store.pushNames()
        }
        var failure: SyncError?
        var rest = names[...]
        while !rest.isEmpty {
            var drops: [String] = []
            var messages: [Message] = []
            var damage: [PushInbox.Damage] = []
            while messages.count < SyncEngine.messagesOfABatch, let name = rest.popFirst() {
                let drop: (messages: [Message], damage: [PushInbox.Damage])?
                do throws(SyncError) {
                    drop = try withPushInboxFiles { (store) throws(StoreError) in
                        try store.drop(name)
                    }
                } catch {
                    // The file may be read by a newer version, or later. Continue with the other
                    // files.
                    failure = failure ?? error
                    continue
                }
                guard let drop else { continue }
                drops.append(name)
                messages += drop.messages
                damage += drop.damage
            }
            let held = try absorb(messages)
            // Remove the files only now: their messages are on disk.
            try withPushInboxFiles { (store) throws(StoreError) in try store.removePushes(drops) }
            absorbed.pushCount += drops.count
            absorbed.messages += messages
            absorbed.heldCount += held
            absorbed.damage += damage
        }
        if let failure { throw failure }
        return absorbed
    }

    /// Removes the push inbox with its content, so that no more data of the user is stored on this
    /// device.
    ///
    /// Call this when a user logs out: other processes find no inbox until ``absorbPushes()``
    /// creates one.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func removePushInbox() throws(SyncError) {
        try withPushInboxFiles { (store) throws(StoreError) in try store.removePushInbox() }
    }

    /// Accesses the files of the inbox.
    func withPushInboxFiles<Value>(
        _ body: (ChatStore) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        do throws(StoreError) {
            return try body(store)
        } catch {
            throw SyncError(error)
        }
    }

    private func absorb(_ messages: [Message]) throws(SyncError) -> Int {
        guard !messages.isEmpty else { return 0 }
        return try change { (core) throws(SyncError) in
            try core.ingestMessages(messages, .messageBackgroundSync, isDurable: true)
        }
    }
}

/// The content of a push inbox that was processed.
public struct AbsorbedPushes: Sendable {
    /// The number of files, all of which are removed.
    public internal(set) var pushCount = 0

    /// The messages in the order in which they were left, up to the capacity of the inbox, which is
    /// `PushInbox.maximumByteCount`.
    public internal(set) var messages: [Message] = []

    /// The number of these messages that are now stored, in this or a newer version.
    public internal(set) var heldCount = 0

    /// The unreadable parts of the files; empty if there are none.
    public internal(set) var damage: [PushInbox.Damage] = []

    /// A Boolean value that indicates whether the inbox was empty.
    public var isEmpty: Bool { pushCount == 0 }
}
