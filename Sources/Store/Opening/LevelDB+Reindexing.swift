import Models

// After a log of the outbox lost commits, a draft may be there without the row that leads to it.

extension LevelDB {
    /// Makes the rows that lead to drafts anew, and the number that the next draft gets.
    ///
    /// All in one batch. A draft that cannot be decoded stays if a row names its request id, and no
    /// other draft has that; what can be neither read nor named goes, and the older of two drafts
    /// under one id.
    ///
    /// - Returns: How many drafts can be read, and how many cannot, whether or not they stay.
    @discardableResult
    func reindexDrafts() throws(StoreError) -> (readable: Int, unreadable: Int) {
        let rows = Rows(snapshot: try snapshot())
        let batch = Overlay()
        let ids = try rows.takeRequests(in: batch)
        var index = DraftIndex(ids: ids)
        try rows.scan(KeyRange(prefix: [OutboxTable.draft.rawValue])) {
            (key, value) throws(StoreError) in
            index.add(key, rows.readableRecord(value))
            return true
        }
        index.addUnreadable()
        for place in index.dropped { batch.remove { $0.raw([OutboxTable.draft.rawValue] + place) } }
        for (id, place) in index.places { batch.put({ $0.draftRequestKey(id) }, { $0.raw(place) }) }
        // A number that cannot be read is one that the drafts tell.
        let known: UInt64? = (try? nextNumber()) ?? nil
        let next = max(known ?? 1, index.greatest + 1)
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next) })
        try write(batch, isDurable: true)
        return (index.readable, index.unreadable)
    }
}

extension Rows {
    /// Removes the rows that lead to drafts.
    ///
    /// - Returns: The request ids, by the places that they led to.
    fileprivate func takeRequests(in batch: Overlay) throws(StoreError) -> [KeyBytes: RequestID] {
        var ids: [KeyBytes: RequestID] = [:]
        try scan(KeyRange(prefix: [OutboxTable.request.rawValue])) {
            (key, value) throws(StoreError) in
            batch.remove { $0.raw(key) }
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: key.dropFirst()))
            // What is no text names no draft.
            if let id = try? reader.text() { ids[KeyBytes(value)] = RequestID(id) }
            return true
        }
        return ids
    }
}

/// Which draft each request id stands for.
private struct DraftIndex {
    /// The ids that rows gave to places before.
    let ids: [KeyBytes: RequestID]
    /// The place of each draft: its key behind the letter.
    private(set) var places: [RequestID: KeyBytes] = [:]
    private(set) var dropped: [KeyBytes] = []
    private(set) var greatest: UInt64 = 0
    private(set) var readable = 0
    private(set) var unreadable = 0
    private var leftOver: [KeyBytes] = []

    init(ids: [KeyBytes: RequestID]) { self.ids = ids }

    /// Takes a row in; `draft` is `nil` if it cannot be decoded.
    mutating func add(_ key: UnsafeRawBufferPointer, _ draft: Draft?) {
        let place = KeyBytes(key.dropFirst())
        guard let (url, sequence) = DraftIndex.parts(of: place) else {
            unreadable += 1
            dropped.append(place)
            return
        }
        greatest = max(greatest, sequence)
        guard let draft, draft.channelURL == url, !draft.requestID.rawValue.isEmpty else {
            unreadable += 1
            leftOver.append(place)
            return
        }
        let id = draft.requestID
        guard let other = places[id] else {
            readable += 1
            places[id] = place
            return
        }
        let isNewer = other.suffix(8).lexicographicallyPrecedes(place.suffix(8))
        let stays = ids[place] == id || (isNewer && ids[other] != id)
        dropped.append(stays ? other : place)
        if stays { places[id] = place }
    }

    /// Takes in what cannot be decoded, after all others.
    mutating func addUnreadable() {
        for place in leftOver {
            if let id = ids[place], places[id] == nil {
                places[id] = place
            } else {
                dropped.append(place)
            }
        }
        leftOver = []
    }

    /// What a place says; `nil` if it is none.
    private static func parts(of place: KeyBytes) -> (ChannelURL, UInt64)? {
        place.withBytes { bytes in
            var reader = ByteReader(bytes)
            guard let url = try? reader.measured(), let sequence = try? reader.integer(UInt64.self),
                reader.isAtEnd, sequence <= .greatestGiven
            else { return nil }
            return (ChannelURL(url), sequence)
        }
    }
}
