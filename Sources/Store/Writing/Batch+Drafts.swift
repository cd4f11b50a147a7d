public import Models

extension Batch {
    /// Saves an outbox item: at the end of the outbox or, if it exists already, in its place.
    ///
    /// The item is on disk when the write returns.
    ///
    /// - Throws: `invalid` if the item has no request ID or no channel, if one of the two is longer
    ///   than 65,535 bytes, if the outbox has the item under another channel, or if its message
    ///   belongs to another channel.
    public func save(_ draft: Draft, source: CollectionEventSource? = nil) throws(StoreError) {
        let url = draft.channelURL
        let id = draft.requestID
        guard !url.rawValue.isEmpty, !id.rawValue.isEmpty else {
            throw StoreError(
                .invalid, "the draft needs a channel and a request id", path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        try checkName(id.rawValue, "a request id")
        if let message = draft.message, message.channelURL != url {
            throw StoreError(
                .invalid, "draft \(id) is of \(url), and its message of \(message.channelURL)",
                path: outbox.path)
        }
        if let key = try outbox.draftKey(id) {
            guard key.starts(with: ByteWriter.key { $0.draftPrefix(url) }) else {
                throw StoreError(
                    .invalid, "draft \(id) is in another channel already", path: outbox.path)
            }
            put(draft, key)
        } else {
            if !next.isDraftCompared {
                next.draft = max(next.draft, try outbox.greatestSequence() + 1)
                next.isDraftCompared = true
            }
            let key = ByteWriter.key { $0.draftKey(url, next.draft) }
            next.draft &+= 1
            put(draft, key)
            rows.outbox.put({ $0.draftRequestKey(id) }, { $0.raw(Array(key.dropFirst())) })
        }
        note(.savedDraft(draft), source)
    }

    /// Removes an item from the outbox.
    ///
    /// The removal is on disk when the write returns; the batch's changes to the cache are written
    /// before it. An item that cannot be decoded can be removed too; its change then carries only
    /// its request ID and its channel.
    ///
    /// - Returns: A Boolean value that indicates whether the item existed.
    @discardableResult
    public func removeDraft(
        _ id: RequestID, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        guard let key = try outbox.draftKey(id) else { return false }
        let draft = try outbox.withValue(of: key) { (value) throws(StoreError) in
            value.flatMap { try? Draft(serialized: $0) }
        }
        rows.outbox.remove { $0.raw(key) }
        rows.outbox.remove { $0.draftRequestKey(id) }
        note(.removedDraft(draft ?? Draft(unreadable: id, at: DraftPlace(key.dropFirst()))), source)
        return true
    }

    private func put(_ draft: Draft, _ key: KeyBytes) {
        rows.outbox.put(
            { $0.raw(key) }, { writer in draft.withSerializedBytes { writer.raw($0) } })
    }
}
