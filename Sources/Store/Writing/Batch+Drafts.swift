public import Models

extension Batch {
    /// Puts a draft into the outbox: at the end, or in the place that it has there already.
    ///
    /// On the disk when the write returns.
    ///
    /// - Throws: `invalid` if it has no request id or no channel, or one of the two is longer than
    ///   65,535 bytes, or the draft is held under another channel.
    public func save(_ draft: Draft, source: CollectionEventSource? = nil) throws(StoreError) {
        let url = draft.channelURL
        let id = draft.requestID
        guard !url.rawValue.isEmpty, !id.rawValue.isEmpty else {
            throw StoreError(
                .invalid, "the draft needs a channel and a request id", path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        try checkName(id.rawValue, "a request id")
        if let key = try outbox.draftKey(id) {
            guard key.starts(with: ByteWriter.key { $0.draftPrefix(url) }) else {
                throw StoreError(
                    .invalid, "draft \(id) is in another channel already", path: outbox.path)
            }
            put(draft, key)
        } else {
            let key = ByteWriter.key { $0.draftKey(url, next.draft) }
            next.draft += 1
            rows.outbox.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.draft) })
            put(draft, key)
            rows.outbox.put({ $0.draftRequestKey(id) }, { $0.raw(Array(key.dropFirst())) })
        }
        note(.savedDraft(draft), source)
    }

    /// Takes a draft out of the outbox.
    ///
    /// On the disk when the write returns. What the batch does to the cache is written before.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    public func removeDraft(
        _ id: RequestID, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        guard let key = try outbox.draftKey(id), let draft: Draft = try draft(id) else {
            return false
        }
        rows.outbox.remove { $0.raw(key) }
        rows.outbox.remove { $0.draftRequestKey(id) }
        note(.removedDraft(draft), source)
        return true
    }

    private func put(_ draft: Draft, _ key: KeyBytes) {
        rows.outbox.put(
            { $0.raw(key) }, { writer in draft.withSerializedBytes { writer.raw($0) } })
    }
}
