import Models

// Recovery of the outbox. After damage, an item may lack its index row, or an index row may lack
// its item.

/// The results of ``LevelDB/reindexOutboxItems(_:)``.
struct OutboxReindexing {
    /// The number of removed rows that cannot be decoded and whose request ID no index row
    /// contains.
    var unreadableLost = 0
    /// The items of which only the index row exists.
    ///
    /// Of such an item, only the request ID and the channel are known.
    var lost: [OutboxItem] = []
    /// The request IDs of the items in the outbox.
    var ids: Set<RequestID> = []
}

extension LevelDB {
    /// Rebuilds the index of outbox items, and the number for the next item.
    ///
    /// An item that cannot be decoded is kept if an index row contains its request ID and no other
    /// item has that ID. All other rows that cannot be decoded are removed. Of two items with the
    /// same request ID, the item that the old index row refers to is kept. If that row refers to
    /// neither item, the newer item is kept.
    ///
    /// One durable batch contains all changes, and the report of the lost items. If there is an
    /// earlier report, the lost items are added to it.
    ///
    /// - Parameter findLoss: A closure that compares the rows with the damaged files. It receives
    ///   the results, and the earlier loss that the app has not acknowledged.
    /// - Throws: Errors of the closure and of the disk; `corruption` if a file is damaged.
    func reindexOutboxItems(
        _ findLoss: (OutboxReindexing, OutboxLoss?) throws(StoreError) -> OutboxLoss
    ) throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        let batch = Overlay()
        let ids = try rows.removeRequests(in: batch)
        var index = OutboxIndex(ids: ids)
        try rows.scan(KeyRange(prefix: [OutboxTable.outboxItem.rawValue])) {
            (key, value) throws(StoreError) in
            index.add(key, rows.readableRecord(value))
            return true
        }
        index.finish()
        for location in index.dropped {
            batch.remove { $0.raw([OutboxTable.outboxItem.rawValue] + location) }
        }
        for (location, item) in index.moved {
            batch.put(
                { $0.raw([OutboxTable.outboxItem.rawValue] + location) },
                { $0.raw(item.serializedBytes) })
        }
        for (id, location) in index.locations {
            batch.put({ $0.outboxItemRequestKey(id) }, { $0.raw(location) })
        }
        // If the stored number is damaged, derive the next number from the items.
        let known: UInt64? = (try? nextNumber()) ?? nil
        let next = max(known ?? 1, index.greatest + 1)
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next) })
        let before = try outboxLoss()
        var loss = before ?? OutboxLoss()
        loss.add(try findLoss(index.result, before))
        if before != nil || !loss.isEmpty { batch.put(loss) }
        try write(batch, isDurable: true)
    }
}

extension Rows {
    /// Removes the index rows, and returns their request IDs by the locations of their items.
    fileprivate func removeRequests(in batch: Overlay) throws(StoreError) -> [KeyBytes: RequestID] {
        var ids: [KeyBytes: RequestID] = [:]
        try scan(KeyRange(prefix: [OutboxTable.request.rawValue])) {
            (key, value) throws(StoreError) in
            batch.remove { $0.raw(key) }
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: key.dropFirst()))
            // Bytes that are not a text cannot be a request ID.
            if let id = try? reader.text() { ids[KeyBytes(value)] = RequestID(id) }
            return true
        }
        return ids
    }
}

/// The new index, from request IDs to items.
private struct OutboxIndex {
    /// The request IDs in the old index rows, by the locations of their items.
    let ids: [KeyBytes: RequestID]
    /// The locations of the items, which are their keys without the table's letter.
    private(set) var locations: [RequestID: KeyBytes] = [:]
    private(set) var dropped: [KeyBytes] = []
    private(set) var greatest: UInt64 = 0
    private(set) var result = OutboxReindexing()
    private var unreadable: [KeyBytes] = []
    /// The items whose key contained another channel, by their correct locations.
    private(set) var moved: [KeyBytes: OutboxItem] = [:]
    private var occupied: Set<KeyBytes> = []

    init(ids: [KeyBytes: RequestID]) { self.ids = ids }

    /// Adds an outbox row; `item` is `nil` if the row cannot be decoded.
    mutating func add(_ key: UnsafeRawBufferPointer, _ item: OutboxItem?) {
        var location = KeyBytes(key.dropFirst())
        occupied.insert(location)
        guard
            let (url, sequence) = OutboxItemLocation(location[...]).map({
                ($0.channelURL, $0.sequence)
            })
        else {
            result.unreadableLost += 1
            dropped.append(location)
            return
        }
        greatest = max(greatest, sequence)
        guard let item, !item.channelURL.rawValue.isEmpty, !item.requestID.rawValue.isEmpty
        else {
            unreadable.append(location)
            return
        }
        if item.channelURL != url {
            dropped.append(location)
            location = OutboxIndex.location(in: item.channelURL, sequence)
            moved[location] = item
        }
        let id = item.requestID
        guard let other = locations[id] else {
            locations[id] = location
            return
        }
        let isNewer = other.suffix(8).lexicographicallyPrecedes(location.suffix(8))
        let stays = ids[location] == id || (isNewer && ids[other] != id)
        dropped.append(stays ? other : location)
        moved[stays ? other : location] = nil
        if stays { locations[id] = location }
    }

    private static func location(in url: ChannelURL, _ sequence: UInt64) -> KeyBytes {
        ByteWriter.key { writer in
            writer.measured(url.rawValue)
            writer.integer(sequence)
        }
    }

    /// Decides on rows that cannot be decoded, and on old index rows without an item.
    ///
    /// Call this method after all rows were added.
    mutating func finish() {
        defer { result.ids = Set(locations.keys) }
        for (location, item) in moved where occupied.contains(location) {
            // Another item has this location, and therefore the same sequence number. Assign a new
            // number.
            greatest += 1
            let free = OutboxIndex.location(in: item.channelURL, greatest)
            moved[location] = nil
            moved[free] = item
            if locations[item.requestID] == location { locations[item.requestID] = free }
        }
        for location in unreadable {
            if let id = ids[location], locations[id] == nil {
                locations[id] = location
            } else {
                dropped.append(location)
                if ids[location] == nil { result.unreadableLost += 1 }
            }
        }
        let dangling = ids.filter { !occupied.contains($0.key) && locations[$0.value] == nil }
        result.lost = dangling.sorted {
            $0.key.suffix(8).lexicographicallyPrecedes($1.key.suffix(8))
        }
        .map { OutboxItem(unreadable: $0.value, at: OutboxItemLocation($0.key[...])) }
    }
}

/// The location of an outbox item, which is part of its key: the channel and the sequence number.
struct OutboxItemLocation {
    let channelURL: ChannelURL
    let sequence: UInt64

    /// - Parameter bytes: A key without the table's letter, or the value of an index row.
    init?(_ bytes: ArraySlice<UInt8>) {
        let parts = bytes.withUnsafeBytes { bytes -> (String, UInt64)? in
            var reader = ByteReader(bytes)
            guard let url = try? reader.measured(), let sequence = try? reader.integer(UInt64.self),
                reader.isAtEnd, sequence <= .maximumAssigned
            else { return nil }
            return (url, sequence)
        }
        guard let parts else { return nil }
        channelURL = ChannelURL(parts.0)
        sequence = parts.1
    }
}

extension OutboxItem {
    /// Creates a placeholder for an item whose bytes cannot be decoded.
    init(unreadable id: RequestID, at location: OutboxItemLocation?) {
        self.init()
        requestID = id
        if let location { channelURL = location.channelURL }
    }
}
