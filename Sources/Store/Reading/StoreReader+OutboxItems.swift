public import Models

extension StoreReader {
    /// Returns the outbox items of a channel, in the order in which the user created them.
    ///
    /// The result omits undecodable items, so that the others can still be sent;
    /// ``unreadableOutboxItemIDs()`` returns their IDs. Without a `state`, it includes items with
    /// an operation or a state that only a newer version of the package knows. The cache need not
    /// have the channel.
    ///
    /// - Complexity: One seek, then O(*n*) in the items visited.
    public func outboxItems(
        in url: ChannelURL, state: OutboxItemState? = nil, limit: Int? = nil
    ) throws(StoreError) -> [OutboxItem] {
        try view.outboxItems(
            KeyRange(prefix: ByteWriter.key { $0.outboxItemPrefix(url) }), state, limit)
    }

    /// Returns the outbox items of all channels, grouped by channel, as
    /// ``outboxItems(in:state:limit:)`` does.
    public func outboxItems(
        state: OutboxItemState? = nil, limit: Int? = nil
    ) throws(StoreError) -> [OutboxItem] {
        try view.outboxItems(KeyRange(OutboxTable.outboxItem), state, limit)
    }

    /// Returns the outbox item with a request ID; `nil` if there is none.
    public func outboxItem(_ id: RequestID) throws(StoreError) -> OutboxItem? {
        let outbox = try view.outbox
        guard let key = try outbox.outboxItemKey(id) else { return nil }
        return try outbox.record(key, as: "outbox item \(id)")
    }

    /// Returns the number of outbox items, including undecodable ones.
    package func outboxItemCount(in url: ChannelURL) throws(StoreError) -> Int {
        try view.outbox.count(KeyRange(prefix: ByteWriter.key { $0.outboxItemPrefix(url) }))
    }

    package func outboxItemCount() throws(StoreError) -> Int {
        try view.outbox.count(KeyRange(OutboxTable.outboxItem))
    }

    /// Returns the request IDs of the undecodable items, by decoding all items.
    public func unreadableOutboxItemIDs() throws(StoreError) -> [RequestID] {
        let outbox = try view.outbox
        var ids: [RequestID] = []
        try outbox.forEachRow(in: KeyRange(OutboxTable.request)) {
            (key, value) throws(StoreError) in
            let row = [OutboxTable.outboxItem.rawValue] + value
            let item: OutboxItem? = try outbox.readableRecord(row)
            guard item == nil, try outbox.contains(row) else { return }
            ids.append(
                RequestID(try outbox.text(ofKey: key, as: "the request id of an outbox item")))
        }
        return ids
    }
}

extension Rows {
    func greatestSequence() throws(StoreError) -> UInt64 {
        var greatest: UInt64 = 0
        try forEachRow(in: KeyRange(OutboxTable.outboxItem)) { key, _ in
            let location = OutboxItemLocation(KeyBytes(key.dropFirst())[...])
            greatest = max(greatest, location?.sequence ?? 0)
        }
        return greatest
    }

    func outboxItemKey(_ id: RequestID) throws(StoreError) -> KeyBytes? {
        try withValue(of: ByteWriter.key { $0.outboxItemRequestKey(id) }) {
            (value) throws(StoreError) in
            guard let value else { return nil }
            // An item that is written at a damaged place would be lost.
            try decode(value, as: "the place of outbox item \(id)") {
                (reader) throws(ByteReader.Damage) in
                _ = try reader.measured()
                _ = try reader.integer(UInt64.self)
            }
            return [OutboxTable.outboxItem.rawValue] + value
        }
    }
}

extension StoreView {
    fileprivate func outboxItems(
        _ range: KeyRange, _ state: OutboxItemState?, _ limit: Int?
    ) throws(StoreError) -> [OutboxItem] {
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        var items: [OutboxItem] = []
        let outbox = outbox
        try outbox.scan(range) { (_, value) throws(StoreError) in
            let item: OutboxItem? = outbox.readableRecord(value)
            if let item, state == nil || item.isUnderstood && item.state == state {
                items.append(item)
            }
            return items.count < limit
        }
        return items
    }
}
