import Models
import Store

extension FuzzTarget {
    /// Rows of a store's two databases.
    ///
    /// The input is a sequence of rows: a byte (0 for the cache, 1 for the outbox), a key and a
    /// value. A length precedes the key and the value.
    ///
    /// Opening the store must succeed or throw an error. Each read must return a value, or throw an
    /// error that names the damage. A value that was read must survive being written again, and the
    /// store must be usable after it is cleared.
    static let rows = FuzzTarget("Rows") { input in
        var input = FuzzInput(input)
        let environments = (
            cache: LevelDB.Environment.memory(), outbox: LevelDB.Environment.memory()
        )
        let (cache, outbox) = (Overlay(), Overlay())
        while !input.isAtEnd {
            let rows = input.byte() & 1 == 0 ? cache : outbox
            let (key, value) = (input.measured(), input.measured())
            rows.put({ $0.raw(key) }, { $0.raw(value) })
        }
        put(cache, "/cache", environments.cache)
        put(outbox, "/outbox", environments.outbox)
        let opened = damageOr { () throws(StoreError) in
            try ChatStore(at: nil, environments: environments)
        }
        guard let store = opened else { return }
        defer { store.close() }
        readAll(store)
        writeAgain(store)
        clear(store)
    }

    private static func put(_ rows: Overlay, _ path: String, _ environment: LevelDB.Environment) {
        orTrap {
            let database = try LevelDB(at: path, environment: environment)
            try database.write(rows, isDurable: false)
            database.close()
        }
    }
}

/// Returns the result of a call, or `nil` if the call found damage.
///
/// The error's code must say that there is damage.
@discardableResult
func damageOr<Value>(_ body: () throws(StoreError) -> Value) -> Value? {
    do throws(StoreError) {
        return try body()
    } catch {
        precondition(
            [.corruption, .newerSchema].contains(error.code), "Damage is not called so: \(error)")
        precondition(!error.message.isEmpty, "Damage has no name: \(error)")
        return nil
    }
}

private func readAll(_ store: ChatStore) {
    for database in RowDescription.Database.allCases {
        damageOr { () throws(StoreError) in try store.describedRows(of: database).count }
    }
    damageOr { () throws(StoreError) in try store.groupChannels() }
    damageOr { () throws(StoreError) in try store.openChannels() }
    damageOr { () throws(StoreError) in try store.cachedChannels() }
    damageOr { () throws(StoreError) in try store.channelURLsKeptInCache() }
    damageOr { () throws(StoreError) in try store.channelURLsByAccess() }
    damageOr { () throws(StoreError) in try store.channelURLsWithGaps() }
    damageOr { () throws(StoreError) in try store.channelURLsWithStaleRanges() }
    damageOr { () throws(StoreError) in try store.messageCount() }
    damageOr { () throws(StoreError) in try store.unreadableOutboxItemIDs() }
    damageOr { () throws(StoreError) in try store.token("feed") }
    let urls = damageOr { () throws(StoreError) in try store.channelURLs() } ?? []
    for url in urls {
        damageOr { () throws(StoreError) in try store.messageCount(in: url) }
        damageOr { () throws(StoreError) in try store.oldestPosition(in: url) }
        damageOr { () throws(StoreError) in try store.newestPosition(in: url) }
        damageOr { () throws(StoreError) in try store.messages(in: url, after: .time(0)) }
        damageOr { () throws(StoreError) in try store.gaps(in: url) }
        damageOr { () throws(StoreError) in try store.staleRanges(in: url) }
        damageOr { () throws(StoreError) in try store.tombstones(in: url) }
        damageOr { () throws(StoreError) in try store.outboxItems(in: url) }
        damageOr { () throws(StoreError) in try store.isKeptInCache(url) }
        let messages =
            damageOr { () throws(StoreError) in try store.messages(in: url, limit: 10) } ?? []
        for id in messages.compactMap(\.messageID) {
            damageOr { () throws(StoreError) in try store.message(id, in: url) }
            damageOr { () throws(StoreError) in try store.replies(to: id, in: url) }
            damageOr { () throws(StoreError) in try store.tombstone(of: id, in: url) }
        }
    }
}

/// Writes the values that can be read, and reads them again.
private func writeAgain(_ store: ChatStore) {
    for item in damageOr({ () throws(StoreError) in try store.outboxItems() }) ?? [] {
        if isWritten(store, { (batch) throws(StoreError) in try batch.save(item) }) {
            let again = damageOr { () throws(StoreError) in try store.outboxItem(item.requestID) }
            precondition(again == item, "An item is not read as it was written.")
        }
    }
    for url in damageOr({ () throws(StoreError) in try store.channelURLs() }) ?? [] {
        let read = damageOr { () throws(StoreError) in try store.messages(in: url, limit: 10) }
        for message in read ?? [] {
            guard let id = message.messageID,
                isWritten(store, { (batch) throws(StoreError) in try batch.save(message) })
            else { continue }
            let again = damageOr { () throws(StoreError) in
                try store.message(id, in: message.channelURL)
            }
            precondition(again == message, "A message is not read as it was written.")
        }
    }
}

/// Writes to the store.
///
/// Returns false if the store refuses the input, or if it finds damage.
private func isWritten(
    _ store: ChatStore, _ body: (Batch) throws(StoreError) -> Void
) -> Bool {
    do {
        try store.write { try body($0) }
        return true
    } catch {
        let code = (error as? StoreError)?.code
        precondition(code == .invalid || code == .corruption, "A write has failed: \(error)")
        return false
    }
}

/// Clears the cache, which repairs any damage in it.
private func clear(_ store: ChatStore) {
    orTrap {
        try store.clearCachedData()
        let message = Message(id: "again", channelURL: "general", text: "Hi!", createdAt: 1)
        try store.write { try $0.save(message) }
        let messages = try store.messages(in: "general")
        precondition(messages == [message], "What is cleared holds something: \(messages)")
        try store.purgeCleared()
    }
}
