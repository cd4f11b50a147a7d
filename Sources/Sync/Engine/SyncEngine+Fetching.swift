public import Models
public import Store

// Requests of callers. Each call stores its result, and reports it to observers of the store,
// before it returns.
extension SyncEngine {
    /// Fetches messages around an anchor, and closes gaps in the range that the page covers.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel.
    ///   - anchor: A time on the server's clock, a message, or a cursor of an earlier page.
    ///   - older: The maximum number of messages older than the anchor, from 0 to 10,000. A number
    ///     outside this range is replaced by the nearest number in the range. A page with fewer
    ///     messages is not necessarily the last one.
    ///   - newer: The maximum number of messages newer than the anchor, from 0 to 10,000. If the
    ///     anchor is a message, the message itself is one of them.
    ///   - bound: The bound of a gap, if the anchor is at that bound. The page then closes the gap
    ///     from that bound on. If the anchor is a cursor that has expired, the page starts at the
    ///     bound. Pass `nil` if the anchor is a stored message, whose position is known.
    ///   - source: The source of the change for observers of the store. The default is that of
    ///     filling a gap.
    /// - Returns: The page, and the range of the history that it covers. If another request at the
    ///   same anchor and in the same direction is in flight, its page is returned, which may have
    ///   more messages.
    /// - Throws: ``SyncError`` with code `notConnected`; `refused`, with a cause of code `expired`
    ///   if the server does not know the anchor; `stalled`, `store`, `closed`, `canceled`.
    public func fetchMessages(
        in url: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int,
        bound: Gap.Bound? = nil, source: CollectionEventSource = .messageFill
    ) async throws(SyncError) -> FetchedMessages {
        try await fetch(
            PageRequest(in: url, at: anchor, bound: bound, older: older, newer: newer), source)
    }

    /// Fetches a page, and stores it with a source of the change for observers.
    ///
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    package func fetch(
        _ request: PageRequest, _ source: CollectionEventSource
    ) async throws(SyncError) -> FetchedMessages {
        let fetched: FetchedMessages = try await reply { .fetch(request, source, ticket: $0) }
        guard !fetched.unconfirmed.isEmpty else { return fetched }
        if request.parentMessageID != nil || !request.kinds.isEmpty {
            _ = try await fetchMessages(fetched.unconfirmed, in: request.channelURL)
        } else if source.isOfList {
            // The engine itself looks up the stored messages that a page of a channel's history
            // does not contain, but later. A list that shows the server's page must not contain
            // messages that the server lacks. Ignore the error, because the page is stored.
            _ = try? await fetchMessages(fetched.unconfirmed, in: request.channelURL)
        }
        return fetched
    }

    /// Fetches the newest messages of some kinds that may be missing in the cache.
    ///
    /// If the server can filter by kind, the messages are stored inside the gaps and stale ranges of
    /// the history, and `StoreReader.kindCoverage(in:)` says down to where that was done. Otherwise, the call
    /// fetches a page of the history, and closes gaps.
    ///
    /// - Parameters:
    ///   - kinds: The kinds.
    ///   - url: The URL of the channel.
    ///   - limit: The maximum number of messages of the kinds. A page of the history has 200.
    /// - Returns: `true` if messages may still be missing.
    /// - Throws: ``SyncError`` with code `stalled` if the server repeats a page, or as
    ///   ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func fetchMessages(
        of kinds: MessageKinds, in url: ChannelURL, limit: Int
    ) async throws(SyncError) -> Bool {
        func newestGap() throws(SyncError) -> Gap? {
            try stored { (reader) throws(StoreError) in
                try reader.kindGaps(in: url).newest(of: kinds)
            }
        }
        // After a truncation, known messages may have changed, too.
        if try newestGap()?.changesSince != nil { try await caughtUp(url) }
        var idle = IdleRequests()
        while let gap = try newestGap() {
            try await waitForFeed()
            try await fetch(gap, of: kinds, in: url, limit: limit)
            let left = try newestGap()
            if left != gap { return left != nil }
            guard idle.allowsMore(hasMoved: false) else {
                throw SyncError(.stalled, "the server repeats the same page of \(url)")
            }
        }
        return false
    }

    /// Fetches a page of the messages of some kinds at the upper bound of a gap.
    private func fetch(
        _ gap: Gap, of kinds: MessageKinds, in url: ChannelURL, limit: Int
    ) async throws(SyncError) {
        let anchor = gap.backfillCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
        let bound = anchor == .newest ? nil : gap.upper
        do throws(SyncError) {
            guard backend.capabilities.contains(.kindFilter) else {
                throw SyncError(BackendError.lacking(.kindFilter))
            }
            let limit = PageSize.nearest(to: limit, atLeast: 1)
            var request = PageRequest(in: url, at: anchor, bound: bound, older: limit)
            request.kinds = kinds
            _ = try await fetch(request, .messageFill)
        } catch {
            guard (error.cause as? BackendError)?.code == .unsupported else { throw error }
            let fetched = try await fetchMessages(
                in: url, at: anchor, older: 200, newer: 0, bound: bound)
            try await lookUpUnconfirmed(fetched, in: url)
        }
    }

    /// Fetches messages by their IDs, for example after a search.
    ///
    /// The call closes no gap, but stores the messages, even if they are inside a gap. Each request
    /// contains up to 100 IDs.
    ///
    /// - Returns: The messages that exist, and the IDs of the other messages, which the call
    ///   removes from the store.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func fetchMessages(
        _ ids: [MessageID], in url: ChannelURL
    ) async throws(SyncError) -> MessageLookup {
        var found: [Message] = []
        var gone: [MessageID] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let requested = Array(rest.prefix(SyncCore.lookupLimit))
            rest = rest.dropFirst(requested.count)
            let lookup = try await make(
                LookUp(call: CoreCall.Lookup(messageIDs: requested, channelURL: url)))
            found += lookup.found
            gone += lookup.gone
        }
        return MessageLookup(found: found, gone: gone)
    }

    /// Searches messages on the server, and stores those that it finds.
    ///
    /// The call closes no gap: a message that was not stored before is stored inside a gap. A found
    /// message neither replaces a newer version nor restores a message that is known to be deleted.
    /// Messages that the server has found by other rules than those of `SearchQuery` are ignored.
    /// If the backend has the capability `separateReactions`, the returned messages may lack their
    /// reactions; the stored copies keep the reactions that were stored before.
    ///
    /// - Parameters:
    ///   - params: The words, and the messages among which they are searched. Their order is
    ///     ignored: the newest message comes first.
    ///   - cursor: The cursor of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of messages, from 1 to 10,000; values out of range are
    ///     replaced by the nearest valid one. A page may have fewer without being the last one.
    /// - Returns: The page.
    /// - Throws: ``SyncError`` with code `unsupported` if the backend lacks `messageSearch`;
    ///   `refused`, with a cause of code `expired` if the server does not know the cursor; or as
    ///   ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor? = nil,
        limit: Int = MessageSearchParams.defaultPageSize
    ) async throws(SyncError) -> ServerSearchPage {
        let limit = PageSize.nearest(to: limit, atLeast: 1)
        return try await make(
            FindMessages(call: SearchMessages(matching: params, after: cursor, limit: limit)))
    }

    /// Fetches a page of the server's list of the messages that mention the user, and stores them.
    ///
    /// As ``searchMessages(matching:after:limit:)``, the call closes no gap.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the previous page; `nil` for the newest page.
    ///   - limit: The maximum number of messages, from 1 to 10,000; values out of range are
    ///     replaced by the nearest valid one.
    /// - Returns: The page, without messages that do not mention the user.
    /// - Throws: ``SyncError`` with code `unsupported` if the backend lacks `mentionList`; `refused`,
    ///   with a cause of code `expired` if the server does not know the cursor; or as
    ///   ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func fetchMentions(
        after cursor: PageCursor? = nil, limit: Int = MessageSearchParams.defaultPageSize
    ) async throws(SyncError) -> Page<Message> {
        let limit = PageSize.nearest(to: limit, atLeast: 1)
        return try await make(FetchMentions(call: ListMentions(after: cursor, limit: limit)))
    }

    /// Fetches replies to a message around an anchor.
    ///
    /// The call closes no gap of the channel. Stored replies that should be on the page but are not
    /// are looked up, and are removed if the server no longer has them.
    ///
    /// - Parameters:
    ///   - parentID: The ID of the parent message.
    ///   - url: The URL of the parent message's channel.
    ///   - anchor: The anchor in the thread.
    ///   - older: The maximum number of replies older than the anchor, from 0 to 10,000. A number
    ///     outside this range is replaced by the nearest number in the range.
    ///   - newer: The maximum number of replies newer than the anchor, from 0 to 10,000.
    ///   - bound: The bound of a known range of the thread, if the anchor is at that bound, which
    ///     is the position of the oldest or newest reply of the range. Otherwise `nil`.
    /// - Returns: The page, and the range of the thread that it covers.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func fetchReplies(
        to parentID: MessageID, in url: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int, bound: Gap.Bound? = nil
    ) async throws(SyncError) -> FetchedMessages {
        try await fetch(
            PageRequest(
                in: url, repliesTo: parentID, at: anchor, bound: bound, older: older, newer: newer),
            .requestThreadedMessages)
    }

    /// Fetches a page of the changes of a channel's messages.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel.
    ///   - point: The start; `nil` to continue from the end of the channel's last changelog.
    ///   - params: A filter of the edited messages to return; `nil` for all. It does not apply to
    ///     deleted messages. A call with a filter does not change the point at which a call without
    ///     `point` continues.
    /// - Returns: The changes, and the token for the next page.
    /// - Throws: ``SyncError`` with code `refused` and a cause of code `expired` if the server
    ///   cannot report all changes since `point`; `invalidArgument` if `point` is `nil` and there
    ///   is no earlier changelog; or as ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func messageChanges(
        in url: ChannelURL, since point: ChangelogPoint? = nil,
        params: MessageChangelogParams? = nil
    ) async throws(SyncError) -> MessageChangelog {
        var point = point
        if point == nil {
            let token = try stored { (reader) throws(StoreError) in
                try reader.messageChangelogToken(of: url)
            }
            point = token.map { .token($0) }
        }
        guard let point else { throw .withoutToken("the messages of \(url)") }
        return try await make(
            FetchMessageChanges(
                call: CoreCall.MessageChanges(channelURL: url, since: point, params: params)))
    }

    /// Fetches a page of the changes of the user's group channels.
    ///
    /// - Parameters:
    ///   - point: The start; `nil` to continue from the end of the last changelog of channels.
    ///   - params: A filter of the new and changed channels to return; `nil` for all. It does not
    ///     apply to channels that the user has lost. A call with a filter does not change the point
    ///     at which a call without `point` continues.
    /// - Returns: The changes, and the token for the next page.
    /// - Throws: ``SyncError``, as ``messageChanges(in:since:params:)`` does.
    public func channelChanges(
        since point: ChangelogPoint? = nil, params: GroupChannelChangelogParams? = nil
    ) async throws(SyncError) -> GroupChannelChangelog {
        var point = point
        if point == nil {
            let token = try stored { (reader) throws(StoreError) in
                try reader.channelChangelogToken()
            }
            point = token.map { .token($0) }
        }
        guard let point else { throw .withoutToken("the channels") }
        return try await make(
            FetchChannelChanges(call: CoreCall.ChannelChanges(since: point, params: params)))
    }

    /// Fetches a page of the group channels that match a query.
    ///
    /// - Parameters:
    ///   - query: The filters and the order. A `limit` outside the valid range is replaced by the
    ///     nearest valid number.
    ///   - cursor: The cursor of the previous page; `nil` for the first page.
    /// - Returns: The page. Its cursor is `nil` if the page is the last one.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func fetchChannels(
        matching query: GroupChannelListQuery, after cursor: PageCursor? = nil
    ) async throws(SyncError) -> Page<GroupChannel> {
        var query = query.withoutLabels
        query.limit = query.pageSize
        return try await make(FetchChannels(call: CoreCall.Channels(query: query, cursor: cursor)))
    }

    /// Fetches a group channel.
    ///
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:bound:source:)`` does.
    public func fetchChannel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await make(FetchChannel(url))
    }

    // MARK: Viewers

    /// Sets the visible range of a ``ChannelViewer``, and registers the viewer if it is new.
    package func show(_ url: ChannelURL, _ range: ShownRange?, viewer: Int) {
        handle(.show(url, range, viewer: viewer))
    }

    /// Unregisters a viewer, if it is registered.
    package func hide(_ url: ChannelURL, viewer: Int) { handle(.hide(url, viewer: viewer)) }

    // MARK: Messages from other sources

    /// Stores messages that the app received without the engine, for example in a push
    /// notification.
    ///
    /// A message replaces the stored one only if it is newer. The call closes no gap, but stores
    /// the messages, even if they are inside a gap. It needs no connection.
    ///
    /// - Returns: The number of the given messages that are now stored, in the given version or a
    ///   newer one. Messages that were deleted, or that are older than the user's history, are not
    ///   stored.
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    @discardableResult
    public func ingest(
        _ messages: [Message], source: CollectionEventSource = .requestMessage
    ) throws(SyncError) -> Int {
        try change { (core) throws(SyncError) in try core.ingestMessages(messages, source) }
    }

    package nonisolated func stored<Value>(
        _ read: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        try translatingStoreErrors { () throws(StoreError) in try read(try store.snapshot()) }
    }
}

extension SyncError {
    fileprivate static func withoutToken(_ what: String) -> SyncError {
        SyncError(
            .invalidArgument,
            "no changelog of \(what) was read before: pass the time or token to start from")
    }
}

extension CollectionEventSource {
    /// A Boolean value that indicates whether a list has requested a page.
    fileprivate var isOfList: Bool {
        switch self {
        case .messageInitialize, .messageLoadPrevious, .messageLoadNext: true
        default: false
        }
    }
}
