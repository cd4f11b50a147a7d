public import Models
public import Store
public import Sync

extension ChatClient {
    /// Searches the stored messages, and the user's unsent ones.
    ///
    /// ```swift
    /// var params = MessageSearchParams("umbrella kitch")
    /// params.senderUserIDs = ["alice"]
    /// let page = try await client.search(params)
    /// ```
    ///
    /// The search reads only the cache, off the main actor. ``SearchPage/unsearched`` lists the
    /// ranges of the history that the cache lacks.
    ///
    /// - Parameters:
    ///   - params: The words, and the messages to search. Without a word, the result is empty,
    ///     unless the search lists all that pass its filters: see `MessageSearchParams`.
    ///   - cursor: The cursor of the previous page; `nil` for the first page. Pages neither repeat
    ///     nor skip messages when others arrive or are deleted.
    ///   - limit: The maximum number of messages; less than 1 returns none.
    /// - Returns: A page of results.
    /// - Throws: `noUser`, `store` or `closed`.
    /// - Complexity: That of ``/Store/StoreReader/searchMessages(_:after:limit:)``, plus O(*n*) in
    ///   the numbers of channels and of outbox items.
    public func search(
        _ params: MessageSearchParams, after cursor: SearchCursor? = nil,
        limit: Int = 20
    ) async throws(SyncError) -> SearchPage {
        let store = try engine.store
        return try await onDisk { () throws(StoreError) in
            try SearchPage(params, after: cursor, limit: limit, in: try store.snapshot())
        }
    }

    /// Returns the state of the search index; `nil` if the index is turned off.
    ///
    /// - Throws: As ``search(_:after:limit:)``.
    /// - Complexity: O(*n*) in the rows of the index, about one for each hundred messages.
    public func searchIndexStatus() async throws(SyncError) -> SearchIndexStatus? {
        let store = try engine.store
        return try await onDisk { () throws(StoreError) in try store.searchIndexStatus() }
    }

    /// Removes the search index, and builds a new one in the background.
    ///
    /// Until then, searches read the stored messages. If the index is turned off, the call has no
    /// effect.
    ///
    /// - Throws: As ``search(_:after:limit:)``.
    public func rebuildSearchIndex() async throws(SyncError) {
        let store = try engine.store
        try await onDisk { () throws(StoreError) in try store.rebuildSearchIndex() }
        if let session, session.store === store { indexMessages(of: session) }
    }

    func indexMessages(of session: Session) {
        guard options.store.isSearchIndexed else { return }
        let store = session.store
        session.tasks.add(
            Task.detached(priority: .utility) {
                // Ignore an error, such as a full disk: indexing continues when the store is next
                // opened.
                while !Task.isCancelled, (try? store.indexMessages()) == true {
                    await Task.yield()
                }
            })
    }
}
