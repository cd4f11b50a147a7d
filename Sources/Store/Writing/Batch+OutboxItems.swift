public import Models

extension Batch {
    /// Saves an outbox item, which is on disk when the write returns.
    ///
    /// A new item goes to the end of the outbox; an existing one keeps its place.
    ///
    /// - Throws: `invalid` if the item has no request ID or no channel, if one of them is longer
    ///   than 65,535 bytes, or if the stored item or the message belongs to another channel.
    public func save(_ item: OutboxItem, source: CollectionEventSource? = nil) throws(StoreError) {
        let url = item.channelURL
        let id = item.requestID
        guard !url.rawValue.isEmpty, !id.rawValue.isEmpty else {
            throw StoreError(
                .invalid, "the outbox item to save has no channel URL or no request id",
                path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        try checkName(id.rawValue, "a request id")
        if let message = item.message, message.channelURL != url {
            throw StoreError(
                .invalid,
                "outbox item \(id) is of \(url), and its message of \(message.channelURL)",
                path: outbox.path)
        }
        if let key = try outbox.outboxItemKey(id) {
            guard key.starts(with: ByteWriter.key { $0.outboxItemPrefix(url) }) else {
                throw StoreError(
                    .invalid, "outbox item \(id) is in another channel already", path: outbox.path)
            }
            recordsGeneration = true
            put(item, key)
        } else {
            if !next.isOutboxItemCompared {
                next.item = max(next.item, try outbox.greatestSequence() + 1)
                next.isOutboxItemCompared = true
            }
            let key = ByteWriter.key { $0.outboxItemKey(url, next.item) }
            next.item &+= 1
            put(item, key)
            rows.outbox.put({ $0.outboxItemRequestKey(id) }, { $0.raw(Array(key.dropFirst())) })
        }
        record(.savedOutboxItem(item), source)
    }

    /// Removes an item, even an undecodable one, and returns whether it existed.
    ///
    /// The removal is on disk when the write returns, and the batch's changes to the cache are on
    /// disk before it. Of an undecodable item, observers receive only its request ID and channel.
    @discardableResult
    public func removeOutboxItem(
        _ id: RequestID, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        guard let key = try outbox.outboxItemKey(id) else { return false }
        let item = try outbox.withValue(of: key) { (value) throws(StoreError) in
            value.flatMap { try? OutboxItem(serialized: $0) }
        }
        recordsGeneration = true
        rows.outbox.remove { $0.raw(key) }
        rows.outbox.remove { $0.outboxItemRequestKey(id) }
        record(
            .removedOutboxItem(
                item ?? OutboxItem(unreadable: id, at: OutboxItemLocation(key.dropFirst()))), source
        )
        return true
    }

    private func put(_ item: OutboxItem, _ key: KeyBytes) {
        rows.outbox.put(
            { $0.raw(key) }, { writer in item.withSerializedBytes { writer.raw($0) } })
    }
}
