public import Models

extension Batch {
    /// Saves the draft of a channel, which is the text that the user is writing.
    ///
    /// The draft is on disk when the write returns. Because drafts cannot be fetched again, the
    /// store keeps them, like outbox items, when their channel is removed or the cache is cleared.
    ///
    /// - Parameters:
    ///   - text: The text; empty to remove the draft.
    ///   - url: The channel, which need not be stored.
    /// - Throws: ``StoreError`` with code `invalid` if the URL is empty or longer than 65,535
    ///   bytes; `io`.
    /// - Complexity: One lookup. An unchanged text is not written.
    public func setDraft(_ text: String, of url: ChannelURL) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(.invalid, "the draft to save has no channel URL", path: outbox.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
        // A stored draft that cannot be decoded counts as different, and is replaced.
        let key = ByteWriter.key { $0.draftKey(url) }
        let isUnchanged = try outbox.withValue(of: key) { (value) throws(StoreError) in
            guard let value else { return text.isEmpty }
            return !text.isEmpty && value.elementsEqual(text.utf8)
        }
        if isUnchanged { return }
        if text.isEmpty {
            rows.outbox.remove { $0.raw(key) }
        } else {
            rows.outbox.put({ $0.raw(key) }, { $0.text(text) })
        }
        record(.savedDraft(text, of: url))
    }

    /// Removes the drafts of all channels.
    package func removeDrafts() throws(StoreError) {
        let outbox = outbox
        var keys: [KeyBytes] = []
        try outbox.scan(KeyRange(prefix: [OutboxTable.draft.rawValue])) {
            (key, _) throws(StoreError) in
            keys.append(KeyBytes(key))
            return true
        }
        for key in keys {
            rows.outbox.remove { $0.raw(key) }
            let url = try? key.withUnsafeBytes { (key) throws(StoreError) in
                try outbox.text(ofKey: key, as: "the channel of a draft")
            }
            if let url { record(.savedDraft("", of: ChannelURL(url))) }
        }
    }
}
