public import Models
package import Store

/// How what is held of a channel's history differs from what the server has.
public struct HistoryDifferences: Hashable, Sendable {
    /// How many messages of the server were compared.
    public internal(set) var comparedCount = 0

    /// What the server has where the history was taken for known, and is not held.
    public internal(set) var missing: [Message] = []

    /// What is held, and the server does not have any more.
    public internal(set) var extra: [Message] = []

    /// What is held, and is something else on the server: as the server has it.
    public internal(set) var different: [Message] = []

    /// Whether there is no difference.
    public var isEmpty: Bool { missing.isEmpty && extra.isEmpty && different.isEmpty }

    mutating func append(_ other: HistoryDifferences) {
        comparedCount += other.comparedCount
        missing += other.missing
        extra += other.extra
        different += other.different
    }
}

extension SyncEngine {
    /// Compares what is known of a channel's history with what the server has, and changes nothing.
    ///
    /// What changes meanwhile, and what is stale, is not a difference.
    ///
    /// - Returns: What differs.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    /// - Complexity: A request for each page of what is known.
    public func verify(_ url: ChannelURL) async throws(SyncError) -> HistoryDifferences {
        var differences = HistoryDifferences()
        for stretch in try coverage(of: url).stretches.reversed() where stretch.kind == .known {
            var edge = stretch.upper
            var anchor = edge.anchorIncludingIt
            var used: Set<PageCursor> = []
            while true {
                let reply = try await reply(to: .compare(url, anchor, older: pageSize, edge: edge))
                guard case .compared(let found, let next, let from) = reply else { break }
                differences.append(found)
                guard let next, let from, stretch.lower < from else { break }
                guard used.insert(next).inserted else { throw .stalled(url) }
                edge = from
                anchor = .cursor(next)
            }
        }
        return differences
    }

    /// Fetches again what is known of a channel's history, so that it is what the server has.
    ///
    /// Until a message was fetched, it is shown as stale. What fails in between leaves the rest so, to be
    /// fetched when it is shown.
    ///
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    /// - Complexity: A request for each page of what is known.
    public func repair(_ url: ChannelURL) async throws(SyncError) {
        try distrust(url)
        var last: StaleRange?
        var cursor: PageCursor?
        /// The cursors that were used since a page last made the range smaller.
        var used: Set<PageCursor> = []
        while let range = try stored({ (reader) throws(StoreError) in
            try reader.staleRanges(in: url).last
        }) {
            if range != last {
                used = []
            } else {
                guard let cursor, used.insert(cursor).inserted else { throw .stalled(url) }
            }
            let isNext = range.upper != last?.upper
            let anchor = isNext ? range.upper.anchorIncludingIt : cursor.map { .cursor($0) }
            last = range
            let fetched = try await fetchMessages(
                in: url, at: anchor ?? range.upper.anchorIncludingIt, older: pageSize, newer: 0,
                edge: range.upper)
            cursor = fetched.page.older
            try await settle(fetched, in: url)
        }
    }

    /// Finds out what became of what is in doubt, so that it is stale no more.
    private func settle(
        _ fetched: FetchedMessages, in url: ChannelURL
    ) async throws(SyncError) {
        guard let extent = fetched.extent else { return }
        var rest = fetched.doubtful[...]
        while !rest.isEmpty {
            let asked = Array(rest.prefix(SyncCore.lookupLimit))
            rest = rest.dropFirst(asked.count)
            _ = try await reply(
                to: rest.isEmpty
                    ? .settle(asked, url, extent, lossCount: fetched.lossCount)
                    : .lookup(asked, url))
        }
    }

    /// What is known of a channel's history, and what is not.
    ///
    /// - Throws: ``SyncError`` with code `store`, or `closed` if the store is.
    /// - Complexity: O(*n*) in the messages that are held; decodes none.
    public func coverage(of url: ChannelURL) throws(SyncError) -> Coverage {
        try stored { (reader) throws(StoreError) in try reader.coverage(of: url) }
    }
}

extension SyncError {
    /// The server leads nowhere in a channel.
    static func stalled(_ url: ChannelURL) -> SyncError {
        SyncError(.stalled, "the server tells the same of \(url) again and again")
    }
}

extension Gap.Bound {
    /// Where pages begin that go from here to what is older, with what lies here.
    package var anchorIncludingIt: MessageAnchor {
        guard case .position(let position) = self else { return .newest }
        return position.createdAt.next.map { .time($0) } ?? .newest
    }
}
