public import Models
public import Store

extension SyncEngine {
    /// Saves what the user is writing in a channel or in a thread; an empty draft removes the
    /// stored one.
    ///
    /// The draft is on disk when the call returns, so do not call the method for each character. It
    /// stays on this device until it is replaced, or until the user logs out and removes all data;
    /// clearing the cache does not remove it.
    ///
    /// - Throws: `store` or `closed`.
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
