public import Models

extension StoreReader {
    /// Returns the draft of a channel or, if `parentMessageID` is given, of a thread; `nil` if
    /// there is none.
    ///
    /// - Throws: `corruption` if the draft cannot be decoded. Saving another draft replaces it.
    public func draft(
        of url: ChannelURL, inThreadOf parentMessageID: MessageID? = nil
    ) throws(StoreError) -> Draft? {
        let place = DraftPlace(url, parentMessageID)
        return try view.outbox.read(
            place.key, as: "the draft of \(place.parts.joined(separator: ", "))"
        ) { (reader) throws(ByteReader.Damage) in try Draft(&reader) }
    }

    /// Returns the drafts of all channels, except undecodable ones and those of threads.
    public func drafts() throws(StoreError) -> [ChannelURL: Draft] {
        var drafts: [ChannelURL: Draft] = [:]
        try view.outbox.forEachRow(in: KeyRange(OutboxTable.draft)) { key, value in
            var reader = ByteReader(value)
            if let place = DraftPlace(ofKey: key), place.parentMessageID == nil,
                let draft = try? Draft(&reader)
            {
                drafts[place.channelURL] = draft
            }
        }
        return drafts
    }
}
