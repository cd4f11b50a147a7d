public import Models
public import Store

// Requests to the server on demand. Results are stored, and reported to observers of the store,
// before they are returned.
extension SyncEngine {
    /// Fetches messages around an anchor, and closes the gaps that they cover.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel.
    ///   - anchor: A time on the server's clock, a message, or a cursor of an earlier page.
    ///   - older: The maximum number of messages before the anchor, from 0 to 10,000; a value out
    ///     of range counts as the nearest one in it. A page may have fewer without being the last
    ///     one.
    ///   - newer: The maximum number of messages after the anchor, from 0 to 10,000. An anchor that
    ///     is a message is one of them.
    ///   - edge: The position of the anchor, if it touches a known range: the message at which a
    ///     gap starts or ends. It is determined automatically if the anchor is a message.
    ///   - source: The source of the change for observers of the store. The default is that of
    ///     filling a gap.
    /// - Returns: The page, and the range of the history that is known by it.
    /// - Throws: ``SyncError`` with code `notConnected`; `refused`, with a cause of code `expired`
    ///   if the server does not know the anchor; `stalled`, `store`, `closed`, `canceled`.
    public func fetchMessages(
        in url: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int,
        edge: Gap.Bound? = nil, source: CollectionEventSource = .messageFill
    ) async throws(SyncError) -> FetchedMessages {
        let question = SyncQuestion.messages(
            url, anchor, older: PageSize.nearest(to: older), newer: PageSize.nearest(to: newer),
            edge: edge, source)
        guard case .messages(let fetched) = try await reply(to: question) else { throw .unasked }
        return fetched
    }

    /// Fetches messages by their IDs, for example after a search.
    ///
    /// No gap is closed.
    ///
    /// A message that was not stored is then inside a gap. At most a hundred messages are requested
    /// at a time.
    ///
    /// - Returns: The messages that exist, and the IDs of those that do not, which are removed from
    ///   the store.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func fetchMessages(
        _ ids: [MessageID], in url: ChannelURL
    ) async throws(SyncError) -> MessageLookup {
        var found: [Message] = []
        var gone: [MessageID] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let asked = Array(rest.prefix(SyncCore.lookupLimit))
            rest = rest.dropFirst(asked.count)
            guard case .lookup(let lookup) = try await reply(to: .lookup(asked, url)) else {
                throw .unasked
            }
            found += lookup.found
            gone += lookup.gone
        }
        return MessageLookup(found: found, gone: gone)
    }

    /// Fetches replies to a message around an anchor.
    ///
    /// No gap of the channel is closed.
    ///
    /// - Parameters:
    ///   - parentID: The ID of the parent message.
    ///   - url: The URL of its channel.
    ///   - anchor: The anchor in the thread.
    ///   - older: The maximum number of replies before the anchor, from 0 to 10,000; a value out of
    ///     range counts as the nearest one in it.
    ///   - newer: The maximum number of replies after the anchor, from 0 to 10,000.
    /// - Returns: The page of the server, oldest message first.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func fetchReplies(
        to parentID: MessageID, in url: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(SyncError) -> MessagePage {
        let question = SyncQuestion.replies(
            parentID, url, anchor, older: PageSize.nearest(to: older),
            newer: PageSize.nearest(to: newer))
        guard case .replies(let page) = try await reply(to: question) else { throw .unasked }
        return page
    }

    /// Fetches a page of the changes of a channel's messages.
    ///
    /// - Parameters:
    ///   - url: The URL of the channel.
    ///   - point: The start; `nil` to continue from the end of the channel's last changelog.
    ///   - params: The edited messages to return; `nil` for all. Deleted messages are always
    ///     returned. A call with parameters does not move the point from which `nil` continues.
    /// - Returns: The changes, and the token to continue from.
    /// - Throws: ``SyncError`` with code `refused`, with a cause of code `expired` if the server
    ///   cannot report all changes since then, and `unsupported` if `point` is `nil` and there was
    ///   no earlier changelog; or as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
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
        let question = SyncQuestion.messageChanges(url, point, params)
        guard case .messageChanges(let changes) = try await reply(to: question) else {
            throw .unasked
        }
        return changes
    }

    /// Fetches a page of the changes of the user's group channels.
    ///
    /// - Parameters:
    ///   - point: The start; `nil` to continue from the end of the last changelog of channels.
    ///   - params: The new and changed channels to return; `nil` for all. Lost channels are always
    ///     returned. A call with parameters does not move the point from which `nil` continues.
    /// - Returns: The changes, and the token to continue from.
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
        let question = SyncQuestion.channelChanges(point, params)
        guard case .channelChanges(let changes) = try await reply(to: question) else {
            throw .unasked
        }
        return changes
    }

    /// Fetches a page of the group channels that match a query.
    ///
    /// - Parameters:
    ///   - query: The filters and the order. A `limit` out of range counts as the nearest one in
    ///     it.
    ///   - cursor: The cursor of the previous page; `nil` for the first page.
    /// - Returns: The page; its cursor is `nil` if it is the last one.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func fetchChannels(
        matching query: GroupChannelListQuery, after cursor: PageCursor? = nil
    ) async throws(SyncError) -> Page<GroupChannel> {
        var query = query
        query.limit = query.pageSize
        guard case .channels(let page) = try await reply(to: .channels(query, cursor)) else {
            throw .unasked
        }
        return page
    }

    /// Fetches a group channel.
    ///
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func fetchChannel(_ url: ChannelURL) async throws(SyncError) -> GroupChannel {
        guard case .channel(let channel) = try await reply(to: .channel(url)) else {
            throw .unasked
        }
        return channel
    }

    // MARK: Showing

    /// Registers the visible range of a ``ChannelViewer``, or replaces it.
    package func show(_ url: ChannelURL, _ range: ShownRange?, viewer: Int) {
        handle(.show(url, range, viewer: viewer))
    }

    /// Unregisters a viewer; has no effect for an unknown one.
    package func hide(_ url: ChannelURL, viewer: Int) { handle(.hide(url, viewer: viewer)) }

    // MARK: Without asking

    /// Stores messages that arrived another way, such as with a push notification or from an
    /// export.
    ///
    /// They replace only older versions, and close no gap: a message that was not stored is then
    /// inside a gap. No connection is needed.
    ///
    /// - Returns: The number of these messages that are now stored, in this or a newer version.
    ///   Deleted messages, and messages older than the user's history, are not stored.
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    @discardableResult
    public func ingest(
        _ messages: [Message], source: CollectionEventSource = .requestMessage
    ) throws(SyncError) -> Int {
        try ingestMessages(messages, source)
    }

    package nonisolated func stored<Value>(
        _ read: (Snapshot) throws(StoreError) -> Value
    ) throws(SyncError) -> Value {
        do throws(StoreError) {
            return try read(try store.snapshot())
        } catch {
            throw SyncError(error)
        }
    }
}

extension SyncError {
    /// The error for a reply of the wrong kind.
    static var unasked: SyncError {
        SyncError(.serverFailure, "the backend answered another request")
    }

    fileprivate static func withoutToken(_ what: String) -> SyncError {
        SyncError(
            .invalidArgument,
            "no changelog of \(what) was read before: pass the start of the changes")
    }
}
