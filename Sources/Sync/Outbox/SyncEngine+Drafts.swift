public import Models
import Store

extension SyncEngine {
    /// Saves the text that the user is typing in a channel; an empty text removes the draft.
    ///
    /// The draft is on disk when the call returns. It is not sent to the server, and is kept until
    /// it is replaced, or until the user logs out and removes all data. Clearing the cache does not
    /// remove it.
    ///
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    /// - Complexity: Waits for the disk. Call the method when the user pauses or leaves the
    ///   channel, not for each character.
    public func setDraft(_ text: String, of url: ChannelURL) throws(SyncError) {
        try change { (core) throws(SyncError) in
            try core.write(orFail: "the draft of \(url) was not saved") {
                (ingest) throws(StoreError) in
                try ingest.batch.setDraft(text, of: url)
            }
        }
    }
}
