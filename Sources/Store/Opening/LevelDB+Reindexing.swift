import Models

// After damage, an outbox item may have lost the row that leads to it, or such a row its item.

/// The findings of ``LevelDB/reindexOutboxItems()``.
struct OutboxReindexing {
    /// The number of rows that were removed because they can be neither decoded nor named.
    var unreadableLost = 0
    /// The items that an index row names and that have no row; only name and channel are known.
    var lost: [OutboxItem] = []
    /// The ids of the items that the outbox has.
    var ids: Set<RequestID> = []
}

extension LevelDB {
    /// Rebuilds the index of outbox items, and the number that the next item gets.
    ///
    /// All in one batch, together with the report of what was lost, which is added to that of an
    /// earlier damage. An item that cannot be decoded stays if an index row names its request id
    /// and no other item has that. Removed are rows that can be neither decoded nor named, and the
    /// older of two items under one id.
    ///
    /// - Parameter findLoss: A closure that compares the rows with the damaged files. It receives
    ///   the earlier loss that was not acknowledged yet.
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
        for place in index.dropped {
            batch.remove { $0.raw([OutboxTable.outboxItem.rawValue] + place) }
        }
        for (place, item) in index.moved {
            batch.put(
                { $0.raw([OutboxTable.outboxItem.rawValue] + place) },
                { $0.raw(item.serializedBytes) })
        }
        for (id, place) in index.places {
            batch.put({ $0.outboxItemRequestKey(id) }, { $0.raw(place) })
        }
        // If the stored number is damaged, the next one is derived from the items.
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
    /// Removes the index rows.
    ///
    /// - Returns: The request ids, by the places that they led to.
    fileprivate func removeRequests(in batch: Overlay) throws(StoreError) -> [KeyBytes: RequestID] {
        var ids: [KeyBytes: RequestID] = [:]
        try scan(KeyRange(prefix: [OutboxTable.request.rawValue])) {
            (key, value) throws(StoreError) in
            batch.remove { $0.raw(key) }
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: key.dropFirst()))
            // Bytes that are no text name no item.
            if let id = try? reader.text() { ids[KeyBytes(value)] = RequestID(id) }
            return true
        }
        return ids
    }
}

/// The item of each request id.
private struct OutboxIndex {
    /// The ids that index rows gave to places before.
    let ids: [KeyBytes: RequestID]
    /// The place of each item: its key without the letter.
    private(set) var places: [RequestID: KeyBytes] = [:]
    private(set) var dropped: [KeyBytes] = []
    private(set) var greatest: UInt64 = 0
    private(set) var result = OutboxReindexing()
    private var unreadable: [KeyBytes] = []
    /// The items that were under another channel's key, by their own places.
    private(set) var moved: [KeyBytes: OutboxItem] = [:]
    private var met: Set<KeyBytes> = []

    init(ids: [KeyBytes: RequestID]) { self.ids = ids }

    /// Adds a row; `item` is `nil` if it cannot be decoded.
    mutating func add(_ key: UnsafeRawBufferPointer, _ item: OutboxItem?) {
        var place = KeyBytes(key.dropFirst())
        met.insert(place)
        guard
            let (url, sequence) = OutboxItemLocation(place[...]).map({
                ($0.channelURL, $0.sequence)
            })
        else {
            result.unreadableLost += 1
            dropped.append(place)
            return
        }
        greatest = max(greatest, sequence)
        guard let item, !item.channelURL.rawValue.isEmpty, !item.requestID.rawValue.isEmpty
        else {
            unreadable.append(place)
            return
        }
        if item.channelURL != url {
            dropped.append(place)
            place = OutboxIndex.place(in: item.channelURL, sequence)
            moved[place] = item
        }
        let id = item.requestID
        guard let other = places[id] else {
            places[id] = place
            return
        }
        let isNewer = other.suffix(8).lexicographicallyPrecedes(place.suffix(8))
        let stays = ids[place] == id || (isNewer && ids[other] != id)
        dropped.append(stays ? other : place)
        moved[stays ? other : place] = nil
        if stays { places[id] = place }
    }

    private static func place(in url: ChannelURL, _ sequence: UInt64) -> KeyBytes {
        ByteWriter.key { writer in
            writer.measured(url.rawValue)
            writer.integer(sequence)
        }
    }

    /// Decides on rows that cannot be decoded, and on index rows without an item, after all rows.
    mutating func finish() {
        defer { result.ids = Set(places.keys) }
        for (place, item) in moved where met.contains(place) {
            // Another item has its place, and so its number.
            greatest += 1
            let free = OutboxIndex.place(in: item.channelURL, greatest)
            moved[place] = nil
            moved[free] = item
            if places[item.requestID] == place { places[item.requestID] = free }
        }
        for place in unreadable {
            if let id = ids[place], places[id] == nil {
                places[id] = place
            } else {
                dropped.append(place)
                if ids[place] == nil { result.unreadableLost += 1 }
            }
        }
        let dangling = ids.filter { !met.contains($0.key) && places[$0.value] == nil }
        result.lost = dangling.sorted {
            $0.key.suffix(8).lexicographicallyPrecedes($1.key.suffix(8))
        }
        .map { OutboxItem(unreadable: $0.value, at: OutboxItemLocation($0.key[...])) }
    }
}

/// The contents of an outbox item's key: the channel, and the item's number.
struct OutboxItemLocation {
    let channelURL: ChannelURL
    let sequence: UInt64

    /// - Parameter bytes: A key without its letter, or the value of an index row.
    init?(_ bytes: ArraySlice<UInt8>) {
        let parts = bytes.withUnsafeBytes { bytes -> (String, UInt64)? in
            var reader = ByteReader(bytes)
            guard let url = try? reader.measured(), let sequence = try? reader.integer(UInt64.self),
                reader.isAtEnd, sequence <= .greatestGiven
            else { return nil }
            return (url, sequence)
        }
        guard let parts else { return nil }
        channelURL = ChannelURL(parts.0)
        sequence = parts.1
    }
}

extension OutboxItem {
    /// Creates the description of an item whose bytes cannot be decoded.
    init(unreadable id: RequestID, at place: OutboxItemLocation?) {
        self.init()
        requestID = id
        if let place { channelURL = place.channelURL }
    }
}
