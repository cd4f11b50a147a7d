public import Models
public import Store

extension SyncEngine {
    /// Saves what the user is writing in a channel or in a thread; an empty draft removes the stored
    /// one.
    ///
    /// The draft is on disk when the call returns. It is not sent to the server, and is kept until
    /// it is replaced, or until the user logs out and removes all data. Clearing the cache does not
    /// remove it.
    ///
    /// - Parameters:
    ///   - draft: The draft.
    ///   - url: The channel.
    ///   - parentMessageID: The parent message of the thread; `nil`, the default, for the channel.
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    /// - Complexity: Waits for the disk. Call the method when the user pauses or leaves the
    ///   channel, not for each character.
    public func setDraft(
        _ draft: Draft, of url: ChannelURL, inThreadOf parentMessageID: MessageID? = nil
    ) throws(SyncError) {
        try change { (core) throws(SyncError) in
            try core.write(orFail: "the draft of \(url) was not saved") {
                (ingest) throws(StoreError) in
                try ingest.batch.setDraft(draft, of: url, inThreadOf: parentMessageID)
            }
        }
    }
}
