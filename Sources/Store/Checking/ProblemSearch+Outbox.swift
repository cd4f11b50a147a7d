import Models

extension ProblemSearch {
    mutating func searchOutbox(_ rows: Rows) throws(StoreError) {
        var ids: [KeyBytes: RequestID] = [:]
        var greatest: UInt64 = 0
        try rows.scan(KeyRange(prefix: [OutboxTable.outboxItem.rawValue])) {
            (key, value) throws(StoreError) in
            let bytes = KeyBytes(key.dropFirst())
            guard let location = OutboxItemLocation(bytes[...]) else {
                add(.unreadable)
                return true
            }
            greatest = max(greatest, location.sequence)
            guard let item = try? OutboxItem(serialized: value) else {
                add(.unreadable, in: location.channelURL)
                return true
            }
            if item.channelURL != location.channelURL { add(.key, in: location.channelURL) }
            ids[bytes] = item.requestID
            return true
        }
        try searchIndex(of: rows, ids)
        try rows.scan(KeyRange(prefix: [OutboxTable.draft.rawValue])) {
            (key, value) throws(StoreError) in
            var reader = ByteReader(value)
            let place = DraftPlace(ofKey: key)
            if place == nil || (try? Draft(&reader)) == nil {
                add(.unreadable, in: place?.channelURL)
            }
            return true
        }
        try rows.scan(KeyRange(prefix: [OutboxTable.pin.rawValue])) { (key, _) throws(StoreError) in
            let url = try? rows.text(ofKey: key, as: "the channel of a pin")
            if url == nil { add(.unreadable) }
            return true
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
        try rows.scan(KeyRange(prefix: [OutboxTable.request.rawValue])) {
            (key, value) throws(StoreError) in
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
            return true
        }
        for location in ids.keys where !indexed.contains(location) {
            add(.index, in: OutboxItemLocation(location[...])?.channelURL)
        }
    }
}
