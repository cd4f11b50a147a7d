public import Models
public import Store

// What is asked of the server because somebody wants it now. All of it is stored, and told to those
// who observe the store, before it is returned.
extension SyncEngine {
    /// Fetches messages next to a place, and closes what they cover of the gaps there.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - anchor: The place: a time of the server's clock, a message, a cursor of an earlier page.
    ///   - older: How many messages before it, at most; a page may have fewer, and not be the last.
    ///   - newer: How many after it, at most. An anchor that is a message is one of these.
    ///   - edge: Where the anchor is, if nothing lies between it and what is known there: the message at
    ///     which a gap begins or ends. It is found out for an anchor that is a message.
    ///   - source: Why, for those who observe the store. The default is a gap being filled.
    /// - Returns: The page, and from where to where the history is known by it.
    /// - Throws: ``SyncError`` with code `notConnected`; `refused`, where the cause has code `expired`
    ///   if the server does not know the anchor; `stalled`, `store`, `closed`, `canceled`.
    public func fetchMessages(
        in url: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int,
        edge: Gap.Bound? = nil, source: CollectionEventSource = .messageFill
    ) async throws(SyncError) -> FetchedMessages {
        let question = SyncQuestion.messages(
            url, anchor, older: older, newer: newer, edge: edge, source)
        guard case .messages(let fetched) = try await reply(to: question) else { throw .unasked }
        return fetched
    }

    /// Fetches messages by their ids, as after a search; they close no gap.
    ///
    /// One that was not held lies in a gap then. The server is asked for a hundred at a time.
    ///
    /// - Returns: Those that exist, and those that do not, which are not held any more.
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

    /// Fetches the messages that answer one, next to a place; they close no gap of the channel.
    ///
    /// - Parameters:
    ///   - parentID: The message that is answered.
    ///   - url: Its channel.
    ///   - anchor: The place in the thread.
    ///   - older: How many before it, at most.
    ///   - newer: How many after it, at most.
    /// - Returns: The page as the server gave it, the oldest message first.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func fetchReplies(
        to parentID: MessageID, in url: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(SyncError) -> MessagePage {
        let question = SyncQuestion.replies(parentID, url, anchor, older: older, newer: newer)
        guard case .replies(let page) = try await reply(to: question) else { throw .unasked }
        return page
    }

    /// Reads a page of what became of a channel's messages.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - point: Since when; `nil` to go on from the end of the last changelog of the channel.
    /// - Returns: What changed, and the token to go on from.
    /// - Throws: ``SyncError`` with code `refused`, where the cause has code `expired` if the server cannot
    ///   tell all since then, and `unsupported` if `point` is `nil` and there was no changelog before;
    ///   or as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func messageChanges(
        in url: ChannelURL, since point: ChangelogPoint? = nil
    ) async throws(SyncError) -> MessageChangelog {
        var point = point
        if point == nil {
            let token = try stored { (reader) throws(StoreError) in
                try reader.messageChangelogToken(of: url)
            }
            point = token.map { .token($0) }
        }
        guard let point else { throw .withoutToken("the messages of \(url)") }
        guard case .messageChanges(let changes) = try await reply(to: .messageChanges(url, point))
        else { throw .unasked }
        return changes
    }

    /// Reads a page of what became of the user's group channels.
    ///
    /// - Parameter point: Since when; `nil` to go on from the end of the last changelog of channels.
    /// - Returns: What changed, and the token to go on from.
    /// - Throws: ``SyncError``, as ``messageChanges(in:since:)`` does.
    public func channelChanges(
        since point: ChangelogPoint? = nil
    ) async throws(SyncError) -> GroupChannelChangelog {
        var point = point
        if point == nil {
            let token = try stored { (reader) throws(StoreError) in
                try reader.channelChangelogToken()
            }
            point = token.map { .token($0) }
        }
        guard let point else { throw .withoutToken("the channels") }
        guard case .channelChanges(let changes) = try await reply(to: .channelChanges(point)) else {
            throw .unasked
        }
        return changes
    }

    /// Fetches a page of the group channels that a query is for.
    ///
    /// - Parameters:
    ///   - query: Which channels, in which order.
    ///   - cursor: Where the page before ended; `nil` for the first page.
    /// - Returns: The page; its cursor is `nil` if it is the last one.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    public func fetchChannels(
        matching query: GroupChannelListQuery, after cursor: PageCursor? = nil
    ) async throws(SyncError) -> Page<GroupChannel> {
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

    /// Notes that a part of a channel's history is shown, so that its gaps are filled first.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - range: What is shown; `nil` if nothing of it is there yet.
    ///   - viewer: Who shows it; the same number again replaces what they showed before. One who comes
    ///     anew makes the engine try again what it has left alone there, such as a huge gap.
    public func show(_ url: ChannelURL, _ range: ShownRange?, viewer: Int) {
        take(.show(url, range, viewer: viewer))
    }

    /// Notes that somebody shows a channel no more; of one who did not, nothing.
    public func hide(_ url: ChannelURL, viewer: Int) { take(.hide(url, viewer: viewer)) }

    // MARK: Without asking

    /// Takes in messages that came another way, such as with a push, or an export.
    ///
    /// They are shown where nothing newer is held, and close no gap: one that was not held lies in a gap
    /// then. Needs no connection.
    ///
    /// - Returns: How many of them are held now, as they came or newer. Those that were deleted, or lie
    ///   before the beginning of the user's history, are not.
    /// - Throws: ``SyncError`` with code `store` or `closed`.
    @discardableResult
    public func ingest(
        _ messages: [Message], source: CollectionEventSource = .requestMessage
    ) throws(SyncError) -> Int {
        try takeIn(messages, source)
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
    /// A question has one kind of reply.
    static var unasked: SyncError {
        SyncError(.refused, "the backend answered what it was not asked")
    }

    fileprivate static func withoutToken(_ what: String) -> SyncError {
        let message = "no changelog of \(what) was read before: say since when"
        return SyncError(.refused, message, cause: BackendError(.unsupported, message))
    }
}
