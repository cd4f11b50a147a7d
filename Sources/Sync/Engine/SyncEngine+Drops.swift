public import Models
public import Store

// What another process has left in the drop box.
extension SyncEngine {
    /// How many messages go into one batch, so that no write is long.
    private static let messagesOfABatch = 500

    /// Takes in what other processes have left in the store's `DropBox`, and makes the box if there is none.
    ///
    /// They go the way of ``ingest(_:source:)``: shown at once, where nothing newer is held and the message was
    /// not deleted, and without a claim about what lies beside them. A drop is removed when its messages are on
    /// the disk; where the process ends in between, it is taken in again, which changes nothing. What of a drop
    /// cannot be read is told, and goes with it. Needs no connection.
    ///
    /// - Returns: What was there; nothing for a store in memory, and for a user whom the server does not let in
    ///   any more.
    /// - Throws: ``SyncError`` with code `store` or `closed`. A drop that cannot be read, as of a newer version, waits in
    ///   the box; all others are taken in nevertheless.
    /// - Complexity: Lists a directory; reads what is in there, and waits for the disk if that is anything.
    @discardableResult
    public func absorbDrops() throws(SyncError) -> AbsorbedDrops {
        var absorbed = AbsorbedDrops()
        guard store.directory != nil, state.connection != .revoked else { return absorbed }
        // Of a store that is closed or suspended, the box is left as it is.
        _ = try stored { (reader) throws(StoreError) in reader.number }
        let names = try withDropFiles { (store) throws(StoreError) in
            try store.makeDropBox()
            return try store.dropNames()
        }
        var failure: SyncError?
        var rest = names[...]
        while !rest.isEmpty {
            var drops: [String] = []
            var messages: [Message] = []
            var damage: [DropBox.Damage] = []
            while messages.count < SyncEngine.messagesOfABatch, let name = rest.popFirst() {
                let drop: (messages: [Message], damage: [DropBox.Damage])?
                do throws(SyncError) {
                    drop = try withDropFiles { (store) throws(StoreError) in try store.drop(name) }
                } catch {
                    // It waits for a newer version, or another time; the others need not.
                    failure = failure ?? error
                    continue
                }
                guard let drop else { continue }
                drops.append(name)
                messages += drop.messages
                damage += drop.damage
            }
            let held = try absorb(messages)
            // Now, and not before: they are on the disk.
            try withDropFiles { (store) throws(StoreError) in try store.removeDrops(drops) }
            absorbed.dropCount += drops.count
            absorbed.messages += messages
            absorbed.heldCount += held
            absorbed.damage += damage
        }
        if let failure { throw failure }
        return absorbed
    }

    /// Removes the drop box with all that is in it, so that nothing more of the user comes to this device.
    ///
    /// For a user who logs out: other processes find no box then, until ``absorbDrops()`` makes one.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    public func removeDropBox() throws(SyncError) {
        try withDropFiles { (store) throws(StoreError) in try store.removeDropBox() }
    }

    /// Does something with the box's files.
    func withDropFiles<Value>(
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
            try core.takeIn(messages, .eventMessageReceived, isDurable: true)
        }
    }
}

/// What was in a drop box, and what became of it.
public struct AbsorbedDrops: Sendable {
    /// How many drops there were; each is removed now.
    public internal(set) var dropCount = 0

    /// The messages in them, in the order in which they were left; as much as a full box holds, which is
    /// `DropBox.maximumSize`.
    public internal(set) var messages: [Message] = []

    /// How many of the messages are held now, as they came or newer.
    public internal(set) var heldCount = 0

    /// What could not be read of the drops; empty if all could.
    public internal(set) var damage: [DropBox.Damage] = []

    /// Whether nothing was there.
    public var isEmpty: Bool { dropCount == 0 }
}
