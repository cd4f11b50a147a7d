public import Models

extension StoreReader {
    /// Returns the draft of a channel, which is the text that the user is writing; `nil` if there
    /// is none.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the draft cannot be decoded. Saving
    ///   another draft replaces it.
    /// - Complexity: One lookup.
    public func draft(of url: ChannelURL) throws(StoreError) -> String? {
        let outbox = try view.outbox
        return try outbox.read(ByteWriter.key { $0.draftKey(url) }, as: "the draft of \(url)") {
            (reader) throws(ByteReader.Damage) in
            try reader.text()
        }
    }

    /// Returns the drafts of all channels, except those that cannot be decoded.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: O(*n*) in the drafts.
    public func drafts() throws(StoreError) -> [ChannelURL: String] {
        let outbox = try view.outbox
        var drafts: [ChannelURL: String] = [:]
        try outbox.scan(KeyRange(prefix: [OutboxTable.draft.rawValue])) {
            (key, value) throws(StoreError) in
            var reader = ByteReader(value)
            guard let url = try? outbox.text(ofKey: key, as: "the channel of a draft"),
                let text = try? reader.text()
            else { return true }
            drafts[ChannelURL(url)] = text
            return true
        }
        return drafts
    }
}
