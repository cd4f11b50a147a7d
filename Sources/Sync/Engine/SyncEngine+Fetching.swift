public import Models
public import Store

// Requests of callers. Each call stores its result before it returns.
extension SyncEngine {
    /// Fetches messages around an anchor, and closes gaps in the range that the page covers.
    ///
    /// - Parameters:
    ///   - url: The channel's URL.
    ///   - anchor: A time on the server's clock, a message, or a cursor of an earlier page.
    ///   - older: The maximum number of messages older than the anchor, clamped to 0...10,000. A
    ///     page with fewer messages is not necessarily the last one.
    ///   - newer: The maximum number of messages newer than the anchor, or the anchor itself if it
    ///     is a message, clamped to 0...10,000.
    ///   - bound: The bound of a gap, if the anchor is at that bound. The page then closes the gap
    ///     from that bound on, and starts there if the anchor is an expired cursor. Pass `nil` if
    ///     the anchor is a stored message.
    ///   - source: The source of the change for observers of the store.
    /// - Returns: The page, and the range of the history that it covers. This may be the page of a
    ///   request in flight at the same anchor and in the same direction, with more messages.
    /// - Throws: `notConnected`; `refused`, with a cause of code `expired` if the server does not
    ///   know the anchor; `stalled`, `store`, `closed`, `canceled`.
    public func fetchMessages(
        in url: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int,
        bound: Gap.Bound? = nil, source: CollectionEventSource = .messageFill
    ) async throws(SyncError) -> FetchedMessages {
        try await fetch(
            PageRequest(in: url, at: anchor, bound: bound, older: older, newer: newer), source)
    }

    package func fetch(
        _ request: PageRequest, _ source: CollectionEventSource
    ) async throws(SyncError) -> FetchedMessages {
        let fetched: FetchedMessages = try await awaitReply { .fetch(request, source, ticket: $0) }
        guard !fetched.unconfirmed.isEmpty else { return fetched }
        if request.parentMessageID != nil || !request.kinds.isEmpty {
            _ = try await fetchMessages(fetched.unconfirmed, in: request.channelURL)
        } else if source.isOfList {
            // The engine looks up these messages later, and a list must not show messages that the
            // server lacks. Ignore the error, because the page is stored.
            _ = try? await fetchMessages(fetched.unconfirmed, in: request.channelURL)
        }
        return fetched
    }

    /// Fetches the newest messages of some kinds that may be missing in the cache.
    ///
    /// If the server can filter by kind, the call stores at most `limit` messages of the kinds
    /// inside gaps and stale ranges, down to `StoreReader.kindCoverage(in:)`. Otherwise, it fetches
    /// 200 messages of the history, and closes gaps.
    ///
    /// - Returns: `true` if messages may still be missing.
    /// - Throws: `stalled` if the server repeats a page, or as
    ///   ``fetchMessages(in:at:older:newer:bound:source:)``.
    package func fetchMessages(
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

    /// Fetches messages by their IDs, in requests of up to 100 IDs.
    ///
    /// The call stores the messages, even inside a gap, and closes no gap.
    ///
    /// - Returns: The messages that exist, and the IDs of the others, which are removed from the
    ///   store.
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``.
    package func fetchMessages(
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
    /// The call stores new messages inside gaps, and closes none. A found message neither replaces
    /// a newer version nor restores a message that is known to be deleted. Messages that do not
    /// match by the rules of `SearchQuery` are ignored. With the capability `separateReactions`,
    /// the returned messages may lack their reactions; the stored copies keep theirs.
    ///
    /// - Parameters:
    ///   - params: The words, and the messages among which they are searched. The order is ignored:
    ///     the newest message comes first.
    ///   - cursor: The previous page's cursor; `nil` for the first page.
    ///   - limit: The maximum number of messages, clamped to 1...10,000. A page may have fewer
    ///     without being the last one.
    /// - Returns: The page.
    /// - Throws: `unsupported` if the backend lacks `messageSearch`; `refused`, with a cause of
    ///   code `expired` if the server does not know the cursor; or as
    ///   ``fetchMessages(in:at:older:newer:bound:source:)``.
    package func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor? = nil,
        limit: Int = 20
    ) async throws(SyncError) -> ServerSearchPage {
        let limit = PageSize.nearest(to: limit, atLeast: 1)
        return try await make(
            FindMessages(call: SearchMessages(matching: params, after: cursor, limit: limit)))
    }

    /// Fetches a page of the server's list of the messages that mention the user, newest first, and
    /// stores them without closing a gap.
    ///
    /// Messages that do not mention the user are ignored. `limit` is clamped to 1...10,000.
    ///
    /// - Throws: `unsupported` if the backend lacks `mentionList`, or as
    ///   ``searchMessages(matching:after:limit:)``.
    package func fetchMentions(
        after cursor: PageCursor? = nil, limit: Int = 20
    ) async throws(SyncError) -> Page<Message> {
        let limit = PageSize.nearest(to: limit, atLeast: 1)
        return try await make(FetchMentions(call: ListMentions(after: cursor, limit: limit)))
    }

    /// Fetches replies to a message around an anchor in the thread.
    ///
    /// The call closes no gap of the channel. Stored replies that the page should contain but does
    /// not are looked up, and removed if the server no longer has them. `older` and `newer` are
    /// clamped to 0...10,000. If the anchor is the oldest or newest reply of a known range of the
    /// thread, pass its position as `bound`.
    ///
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``.
    package func fetchReplies(
        to parentID: MessageID, in url: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int, bound: Gap.Bound? = nil
    ) async throws(SyncError) -> FetchedMessages {
        try await fetch(
            PageRequest(
                in: url, repliesTo: parentID, at: anchor, bound: bound, older: older, newer: newer),
            .requestThreadedMessages)
    }

    /// Fetches a page of the changes of a channel's messages, with the token for the next page.
    ///
    /// If `point` is `nil`, the call continues from the end of the channel's last changelog.
    /// `params` filters the edited messages to return, but not the deleted ones. A call with a
    /// filter does not change where a call without `point` continues.
    ///
    /// - Throws: `refused` and a cause of code `expired` if the server cannot report all changes
    ///   since `point`; `invalidArgument` if `point` is `nil` and there is no earlier changelog; or
    ///   as ``fetchMessages(in:at:older:newer:bound:source:)``.
    public func messageChanges(
        in url: ChannelURL, since point: ChangelogPoint? = nil,
        params: MessageChangelogParams? = nil
    ) async throws(SyncError) -> MessageChangelog {
        let point = try start(point, of: "the messages of \(url)") { (reader) throws(StoreError) in
            try reader.messageChangelogToken(of: url)
        }
        return try await make(
            FetchMessageChanges(
                call: CoreCall.MessageChanges(channelURL: url, since: point, params: params)))
    }

    /// Fetches a page of the changes of the user's group channels, with the token for the next
    /// page.
    ///
    /// If `point` is `nil`, the call continues from the end of the last changelog of channels.
    /// `params` filters the new and changed channels to return, but not those that the user has
    /// lost. A call with a filter does not change where a call without `point` continues.
    ///
    /// - Throws: As ``messageChanges(in:since:params:)``.
    public func channelChanges(
        since point: ChangelogPoint? = nil, params: GroupChannelChangelogParams? = nil
    ) async throws(SyncError) -> GroupChannelChangelog {
        let point = try start(point, of: "the channels") { (reader) throws(StoreError) in
            try reader.channelChangelogToken()
        }
        return try await make(
            FetchChannelChanges(call: CoreCall.ChannelChanges(since: point, params: params)))
    }

    /// Returns the point from which to read a changelog: the given one, or else the stored token.
    private func start(
        _ point: ChangelogPoint?, of what: String,
        _ token: (Snapshot) throws(StoreError) -> String?
    ) throws(SyncError) -> ChangelogPoint {
        if let point { return point }
        if let token = try stored(token) { return .token(token) }
        throw SyncError(
            .invalidArgument,
            "no changelog of \(what) was read before: pass the time or token to start from")
    }

    /// Fetches a page of the group channels that match a query, with a `limit` clamped to
    /// 1...10,000.
    ///
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``.
    package func fetchChannels(
        matching query: GroupChannelListQuery, after cursor: PageCursor? = nil
    ) async throws(SyncError) -> Page<GroupChannel> {
        var query = query.withoutLabels
        query.limit = query.pageSize
        return try await make(FetchChannels(call: CoreCall.Channels(query: query, cursor: cursor)))
    }

    /// Fetches a group channel.
    ///
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``.
    package func fetchChannel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        try await make(FetchChannel(url))
    }

    // MARK: Messages from other sources

    /// Stores messages that the app received without the engine, for example in a push.
    ///
    /// The call needs no connection. It stores the messages even inside a gap, and closes no gap. A
    /// message replaces only an older stored one.
    ///
    /// - Returns: The number of the given messages that are now stored, in the given version or a
    ///   newer one. Messages are not stored if they were deleted, are older than the user's
    ///   history, or belong to a channel that the user does not have or is only invited to.
    /// - Throws: `store` or `closed`.
    @discardableResult
    package func ingest(
        _ messages: [Message], source: CollectionEventSource = .requestMessage
    ) throws(SyncError) -> Int {
        try change { (core) throws(SyncError) in
            try core.ingestMessages(messages, source, arePushed: true)
        }
    }

    package nonisolated func stored<Value>(
        _ read: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        try translatingStoreErrors { () throws(StoreError) in try read(try store.snapshot()) }
    }
}

extension CollectionEventSource {
    fileprivate var isOfList: Bool {
        switch self {
        case .messageInitialize, .messageLoadPrevious, .messageLoadNext: true
        default: false
        }
    }
}
