import Models

extension ProblemSearch {
    mutating func searchOutbox(_ rows: Rows) throws(StoreError) {
        var ids: [KeyBytes: RequestID] = [:]
        var greatest: UInt64 = 0
        try rows.forEachRow(in: KeyRange(OutboxTable.outboxItem)) { key, value in
            let bytes = KeyBytes(key.dropFirst())
            guard let location = OutboxItemLocation(bytes[...]) else { return add(.unreadable) }
            greatest = max(greatest, location.sequence)
            guard let item = try? OutboxItem(serialized: value) else {
                return add(.unreadable, in: location.channelURL)
            }
            if item.channelURL != location.channelURL { add(.key, in: location.channelURL) }
            ids[bytes] = item.requestID
        }
        try searchIndex(of: rows, ids)
        try rows.forEachRow(in: KeyRange(OutboxTable.draft)) { key, value in
            var reader = ByteReader(value)
            let place = DraftPlace(ofKey: key)
            if place == nil || (try? Draft(&reader)) == nil {
                add(.unreadable, in: place?.channelURL)
            }
        }
        try rows.forEachRow(in: KeyRange(OutboxTable.pin)) { key, _ in
            let url = try? rows.text(ofKey: key, as: "the channel of a pin")
            if url == nil { add(.unreadable) }
        }
        let next: UInt64? = try readableNumber(.nextNumber, in: rows)
        if greatest >= next ?? 1 { add(.nextNumber) }
    }

    /// Compares the index rows with the outbox items, by the keys of the items without the table's
    /// letter.
    private mutating func searchIndex(
        of rows: Rows, _ ids: [KeyBytes: RequestID]
    ) throws(StoreError) {
        var indexed: Set<KeyBytes> = []
        try rows.forEachRow(in: KeyRange(OutboxTable.request)) { (key, value) throws(StoreError) in
            let location = KeyBytes(value)
            let id = try? rows.text(ofKey: key, as: "a request id")
            let row = [OutboxTable.outboxItem.rawValue] + location
            // An item that cannot be decoded was already reported as `unreadable`.
            let isRight =
                if let found = ids[location] { found.rawValue == id } else {
                    try rows.contains(row)
                }
            if isRight {
                indexed.insert(location)
            } else {
                add(.index, in: OutboxItemLocation(location[...])?.channelURL)
            }
        }
        for location in ids.keys where !indexed.contains(location) {
            add(.index, in: OutboxItemLocation(location[...])?.channelURL)
        }
    }
}
