import Models

// After damage, an item may lack its index row, or an index row may lack its item.

struct OutboxReindexing {
    /// The number of removed undecodable rows with an unknown request ID.
    var unreadableLost = 0
    /// The items of which only the index row exists.
    var lost: [OutboxItem] = []
    var ids: Set<RequestID> = []
}

extension LevelDB {
    /// Rebuilds the index and the next number in one durable batch with a report of lost items.
    ///
    /// An undecodable item is kept if an index row has its request ID and no other item has that
    /// ID. Of two items with the same request ID, the one of the old index row is kept; otherwise,
    /// the newer one. `findLoss` receives the results and the earlier, unacknowledged loss. The
    /// returned loss is added to that one.
    func reindexOutboxItems(
        _ findLoss: (OutboxReindexing, OutboxLoss?) throws(StoreError) -> OutboxLoss
    ) throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        let batch = Overlay()
        let ids = try rows.removeRequests(in: batch)
        var index = OutboxIndex(ids: ids)
        try rows.forEachRow(in: KeyRange(OutboxTable.outboxItem)) { key, value in
            index.add(key, rows.readableRecord(value))
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
    fileprivate func removeRequests(in batch: Overlay) throws(StoreError) -> [KeyBytes: RequestID] {
        var ids: [KeyBytes: RequestID] = [:]
        try forEachRow(in: KeyRange(OutboxTable.request)) { key, value in
            batch.remove { $0.raw(key) }
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: key.dropFirst()))
            if let id = try? reader.text() { ids[KeyBytes(value)] = RequestID(id) }
        }
        return ids
    }
}

private struct OutboxIndex {
    let ids: [KeyBytes: RequestID]
    private(set) var locations: [RequestID: KeyBytes] = [:]
    private(set) var dropped: [KeyBytes] = []
    private(set) var greatest: UInt64 = 0
    private(set) var result = OutboxReindexing()
    private var unreadable: [KeyBytes] = []
    /// Items whose key had another channel, by their correct locations.
    private(set) var moved: [KeyBytes: OutboxItem] = [:]
    private var occupied: Set<KeyBytes> = []

    init(ids: [KeyBytes: RequestID]) { self.ids = ids }

    mutating func add(_ key: UnsafeRawBufferPointer, _ item: OutboxItem?) {
        var location = KeyBytes(key.dropFirst())
        occupied.insert(location)
        guard let place = OutboxItemLocation(location[...]) else {
            result.unreadableLost += 1
            dropped.append(location)
            return
        }
        greatest = max(greatest, place.sequence)
        guard let item, !item.channelURL.rawValue.isEmpty, !item.requestID.rawValue.isEmpty
        else {
            unreadable.append(location)
            return
        }
        if item.channelURL != place.channelURL {
            dropped.append(location)
            location = OutboxIndex.location(in: item.channelURL, place.sequence)
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
        KeyBytes(ByteWriter.key { $0.outboxItemKey(url, sequence) }.dropFirst())
    }

    /// Decides on undecodable rows and index rows without an item, after all rows were added.
    mutating func finish() {
        defer { result.ids = Set(locations.keys) }
        for (location, item) in moved where occupied.contains(location) {
            // Another item has this location.
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
    init(unreadable id: RequestID, at location: OutboxItemLocation?) {
        self.init()
        requestID = id
        if let location { channelURL = location.channelURL }
    }
}
