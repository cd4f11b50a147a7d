public import Models

extension StoreReader {
    /// Returns what the user wrote in a channel and the server has not confirmed.
    ///
    /// In the order it was written. A draft that cannot be decoded is left out, so that it does not
    /// keep the others from being sent; ``unreadableDraftIDs()`` names it.
    ///
    /// - Parameters:
    ///   - url: The channel. One that the cache does not hold may have drafts too.
    ///   - state: The state of the drafts to return. The default, `nil`, returns those of any. A draft with an
    ///     operation or a state that only a newer version knows is in no state.
    ///   - limit: The most drafts to return. The default, `nil`, returns all.
    /// - Returns: The drafts; none for an unknown channel.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the drafts walked over.
    public func drafts(
        in url: ChannelURL, state: DraftState? = nil, limit: Int? = nil
    ) throws(StoreError) -> [Draft] {
        try view.drafts(KeyRange(prefix: ByteWriter.key { $0.draftPrefix(url) }), state, limit)
    }

    /// Returns all drafts: channel by channel, those of each in the order they were written.
    ///
    /// A draft that cannot be decoded is left out; ``unreadableDraftIDs()`` names it.
    ///
    /// - Parameters:
    ///   - state: The state of the drafts to return. The default, `nil`, returns those of any. A draft with an
    ///     operation or a state that only a newer version knows is in no state.
    ///   - limit: The most drafts to return. The default, `nil`, returns all.
    /// - Returns: The drafts.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the drafts walked over.
    public func drafts(
        state: DraftState? = nil, limit: Int? = nil
    ) throws(StoreError) -> [Draft] {
        try view.drafts(KeyRange(prefix: [OutboxTable.draft.rawValue]), state, limit)
    }

    /// Returns the outbox item with a request ID, or `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if it cannot be decoded.
    /// - Complexity: Two lookups.
    public func draft(_ id: RequestID) throws(StoreError) -> Draft? {
        let outbox = try view.outbox
        guard let key = try outbox.draftKey(id) else { return nil }
        return try outbox.record(key, as: "draft \(id)")
    }

    /// Returns the number of outbox items of a channel, including those that cannot be decoded.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the items; decodes none.
    public func draftCount(in url: ChannelURL) throws(StoreError) -> Int {
        try view.outbox.count(KeyRange(prefix: ByteWriter.key { $0.draftPrefix(url) }))
    }

    /// Returns the number of all outbox items, including those that cannot be decoded.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the items; decodes none.
    public func draftCount() throws(StoreError) -> Int {
        try view.outbox.count(KeyRange(prefix: [OutboxTable.draft.rawValue]))
    }

    /// Returns the request IDs of the outbox items that cannot be decoded, which lists leave out.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: O(*n*) in all outbox items; decodes each.
    public func unreadableDraftIDs() throws(StoreError) -> [RequestID] {
        let outbox = try view.outbox
        var ids: [RequestID] = []
        let range = KeyRange(prefix: [OutboxTable.request.rawValue])
        try outbox.scan(range) { (key, value) throws(StoreError) in
            let row = [OutboxTable.draft.rawValue] + value
            let draft: Draft? = try outbox.readableRecord(row)
            guard draft == nil, try outbox.contains(row) else { return true }
            ids.append(RequestID(try outbox.text(ofKey: key, as: "the request id of a draft")))
            return true
        }
        return ids
    }
}

extension Rows {
    /// The greatest number that any outbox item has; 0 if there is none.
    ///
    /// - Complexity: O(*n*) in the items; decodes none.
    func greatestSequence() throws(StoreError) -> UInt64 {
        var greatest: UInt64 = 0
        try scan(KeyRange(prefix: [OutboxTable.draft.rawValue])) { (key, _) throws(StoreError) in
            let place = DraftPlace(KeyBytes(key.dropFirst())[...])
            greatest = max(greatest, place?.sequence ?? 0)
            return true
        }
        return greatest
    }

    /// Returns the key of an outbox item's row, or `nil` if there is none.
    func draftKey(_ id: RequestID) throws(StoreError) -> KeyBytes? {
        try withValue(of: ByteWriter.key { $0.draftRequestKey(id) }) { (value) throws(StoreError) in
            value.map { [OutboxTable.draft.rawValue] + $0 }
        }
    }
}

extension StoreView {
    fileprivate func drafts(
        _ range: KeyRange, _ state: DraftState?, _ limit: Int?
    ) throws(StoreError) -> [Draft] {
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        var drafts: [Draft] = []
        let outbox = outbox
        try outbox.scan(range) { (_, value) throws(StoreError) in
            let draft: Draft? = outbox.readableRecord(value)
            if let draft, state == nil || draft.isUnderstood && draft.state == state {
                drafts.append(draft)
            }
            return drafts.count < limit
        }
        return drafts
    }
}
