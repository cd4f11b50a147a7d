public import Models

extension Batch {
    /// Saves the draft of a channel or, if `parentMessageID` is given, of a thread; an empty draft
    /// removes the stored one.
    ///
    /// The draft is on disk when the write returns, and stays when the channel is removed or the
    /// cache is cleared. The channel need not be stored.
    ///
    /// - Throws: `invalid` if the URL is empty, or if the URL or an ID is longer than 65,535 bytes.
    public func setDraft(
        _ draft: Draft, of url: ChannelURL, inThreadOf parentMessageID: MessageID? = nil
    ) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(.invalid, "the draft to save has no channel URL", path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        for id in [parentMessageID, draft.replyingTo] {
            if let id { try checkName(id.rawValue, "the id of a message") }
        }
        let key = DraftPlace(url, parentMessageID).key
        // An undecodable draft counts as different, and is replaced.
        let isUnchanged = try outbox.withValue(of: key) { (value) throws(StoreError) in
            guard let value else { return draft.isEmpty }
            var reader = ByteReader(value)
            return !draft.isEmpty && (try? Draft(&reader)) == draft
        }
        if isUnchanged { return }
        recordsGeneration = true
        if draft.isEmpty {
            rows.outbox.remove { $0.raw(key) }
        } else {
            rows.outbox.put({ $0.raw(key) }, draft.write)
        }
        record(.savedDraft(draft, of: url, inThreadOf: parentMessageID))
    }

    package func removeDrafts() throws(StoreError) {
        recordsGeneration = true
        for key in try outbox.keys(in: KeyRange(OutboxTable.draft)) {
            rows.outbox.remove { $0.raw(key) }
            if let place = key.withBytes({ DraftPlace(ofKey: $0) }) {
                record(.savedDraft("", of: place.channelURL, inThreadOf: place.parentMessageID))
            }
        }
    }
}
