public import Models

extension StoreReader {
    /// Returns what the user wrote in a channel and the server has not confirmed, in the order it
    /// was written.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a draft cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the drafts.
    public func drafts(in url: ChannelURL, limit: Int? = nil) throws(StoreError) -> [Draft] {
        try view.drafts(KeyRange(prefix: ByteWriter.key { $0.draftPrefix(url) }), limit)
    }

    /// Returns all drafts: channel by channel, those of each in the order they were written.
    public func drafts(limit: Int? = nil) throws(StoreError) -> [Draft] {
        try view.drafts(KeyRange(prefix: [OutboxTable.draft.rawValue]), limit)
    }

    /// Returns a draft by its request id; `nil` if it is not in the outbox.
    ///
    /// - Complexity: Two lookups.
    public func draft(_ id: RequestID) throws(StoreError) -> Draft? {
        let outbox = try view.outbox
        guard let key = try outbox.draftKey(id) else { return nil }
        return try outbox.record(key, as: "draft \(id)")
    }
}

extension Rows {
    /// The key of the row that a draft has.
    func draftKey(_ id: RequestID) throws(StoreError) -> KeyBytes? {
        try withValue(of: ByteWriter.key { $0.draftRequestKey(id) }) { (value) throws(StoreError) in
            value.map { [OutboxTable.draft.rawValue] + $0 }
        }
    }
}

extension StoreView {
    fileprivate func drafts(_ range: KeyRange, _ limit: Int?) throws(StoreError) -> [Draft] {
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        var drafts: [Draft] = []
        let outbox = outbox
        try outbox.scan(range) { (_, value) throws(StoreError) in
            drafts.append(try outbox.record(value, as: "a draft"))
            return drafts.count < limit
        }
        return drafts
    }
}
