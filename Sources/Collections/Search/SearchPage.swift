public import Models
public import Store

/// A page of the results of ``ChatClient/search(_:after:limit:)``.
public struct SearchPage: Sendable {
    /// The messages that match, in the order of the parameters.
    public let messages: [FoundMessage]

    /// The cursor of the next page, which may be empty; `nil` if this page is not full.
    public let cursor: SearchCursor?

    /// The user's unsent messages that match, newest first; empty except on the first page.
    public let outboxItems: [OutboxItem]

    /// The group channels that match, the one with the newest message first; empty except on the
    /// first page.
    ///
    /// A channel matches by its name, or by the name or ID of a member that the server has reported
    /// with it. If the search filters by sender, time or type, none matches.
    public let channels: [GroupChannel]

    /// The gaps and stale ranges whose messages may be missing from the pages so far.
    public let unsearched: [UnsearchedRange]
}

/// A range of a channel's history that a search did not read completely.
public struct UnsearchedRange: Hashable, Sendable {
    /// The channel's URL.
    public let channelURL: ChannelURL

    /// The lower bound, exclusive.
    public let lower: Gap.Bound

    /// The upper bound, exclusive.
    public let upper: Gap.Bound

    /// The reason why messages may be missing.
    public let reason: Reason

    /// A reason why messages may be missing.
    public enum Reason: String, CaseIterable, Sendable {
        /// The cache does not have the messages.
        case gap
        /// The cache may have outdated versions of the messages.
        case stale
    }
}

extension SearchPage {
    init(
        _ params: MessageSearchParams, after cursor: SearchCursor?, limit: Int, in store: Snapshot
    ) throws(StoreError) {
        messages = try store.searchMessages(params, after: cursor, limit: limit)
        self.cursor = messages.count < max(1, limit) ? nil : messages.last?.cursor
        let (isFirst, query) = (cursor == nil, SearchQuery(params.text))
        outboxItems = isFirst ? try store.outboxItems(matching: params, query) : []
        channels = isFirst ? try store.channels(matching: params, query) : []
        // Ranges older than the last result concern only later pages.
        let last = params.order == .newestFirst ? self.cursor : nil
        unsearched = try store.unsearchedRanges(
            for: params, query, from: last.map { .position($0.position) } ?? .beginning)
    }
}

extension Snapshot {
    fileprivate func outboxItems(
        matching params: MessageSearchParams, _ query: SearchQuery
    ) throws(StoreError) -> [OutboxItem] {
        try outboxItems().filter { item in
            item.message.map { params.hits(in: $0, of: query) != nil } ?? false
        }
        .sorted { $0.createdAt > $1.createdAt }
    }

    fileprivate func channels(
        matching params: MessageSearchParams, _ query: SearchQuery
    ) throws(StoreError) -> [GroupChannel] {
        var plain = MessageSearchParams(params.text)
        (plain.channelURLs, plain.order) = (params.channelURLs, params.order)
        guard !query.isEmpty, params == plain else { return [] }
        return try groupChannels().filter { channel in
            guard params.channelURLs.isEmpty || params.channelURLs.contains(channel.url) else {
                return false
            }
            let members = channel.members.map { [$0.nickname, $0.userID.rawValue] }
            return query.matches([channel.name])
                || members.contains { query.matches($0) }
        }
    }

    /// Returns the ranges above a bound that a search did not read completely.
    func unsearchedRanges(
        for params: MessageSearchParams, _ query: SearchQuery, from lower: Gap.Bound
    ) throws(StoreError) -> [UnsearchedRange] {
        guard !query.isEmpty || params.listsAll else { return [] }
        let urls =
            params.channelURLs.isEmpty
            ? try channelURLs()
            : params.channelURLs.sorted { $0.rawValue < $1.rawValue }
        var first = lower
        if let since = params.since {
            first = max(first, .position(Position(createdAt: since, messageID: "")))
        }
        let last = params.until.map { Gap.Bound.position(Position(createdAt: $0, messageID: "")) }
        var ranges: [UnsearchedRange] = []
        for url in urls {
            // A range that ends at the first position contains no searched message.
            let gaps = try gaps(in: url).map { ($0.lower, $0.upper, UnsearchedRange.Reason.gap) }
            let stale = try staleRanges(in: url).map {
                ($0.lower, $0.upper, UnsearchedRange.Reason.stale)
            }
            for (lower, upper, reason) in gaps + stale
            where upper > first && lower < last ?? .end {
                ranges.append(
                    UnsearchedRange(channelURL: url, lower: lower, upper: upper, reason: reason))
            }
        }
        return ranges
    }
}
