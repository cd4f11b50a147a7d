public import Models
package import Store

/// The differences between what is held of a channel and what the server has.
public struct HistoryDifferences: Hashable, Sendable {
    /// The number of messages of the server that were compared.
    public internal(set) var comparedCount = 0

    /// The messages that the server has in a range that counts as known, and that are not held.
    public internal(set) var missing: [Message] = []

    /// The messages that are held, and that the server does not have.
    public internal(set) var extra: [Message] = []

    /// The messages whose held copy differs from the server's, as the server has them.
    public internal(set) var different: [Message] = []

    /// How the channel itself differs, such as in its last message or its number of members; `nil`
    /// if it does not, or is not a group channel.
    public internal(set) var channel: ChannelDifference?

    /// A Boolean value that says whether there is no difference.
    public var isEmpty: Bool {
        missing.isEmpty && extra.isEmpty && different.isEmpty && channel == nil
    }

    mutating func append(_ other: HistoryDifferences) {
        comparedCount += other.comparedCount
        missing += other.missing
        extra += other.extra
        different += other.different
    }
}

/// The difference between the held row of a group channel and the server's.
public struct ChannelDifference: Hashable, Sendable {
    /// The channel as the server has it.
    public let channel: GroupChannel

    /// The names of the fields that differ, as in the JSON of a channel, in the order of
    /// `scrollback.proto`.
    ///
    /// If the channel is not cached, these are all fields that have a value on the server.
    public let fields: [String]

    /// Compares two states of a channel; `nil` if they are equal.
    init?(held: GroupChannel?, server: GroupChannel) {
        var server = server
        // The device's own.
        server.lastSyncedChangelogAt = held?.lastSyncedChangelogAt
        if server == held { return nil }
        channel = server
        fields = server.namesOfFields(differentFrom: held ?? GroupChannel())
    }
}

extension SyncEngine {
    /// Compares a channel, and the known ranges of its history, with what the server has, and
    /// changes nothing.
    ///
    /// Gaps and stale ranges are not compared, and a change that the feed reports meanwhile is not
    /// a difference. Of an open channel, whose row the feed does not keep up to date, the messages
    /// are compared alone.
    ///
    /// - Returns: The differences.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    /// - Complexity: A request for the channel, two if it differs, and one for each page of the
    ///   known ranges.
    public func verify(_ url: ChannelURL) async throws(SyncError) -> HistoryDifferences {
        var differences = HistoryDifferences()
        differences.channel = try await channelDifference(of: url)
        for segment in try coverage(of: url).segments.reversed() where segment.kind == .known {
            var edge = segment.upper
            var anchor = edge.anchorIncludingIt
            var used: Set<PageCursor> = []
            while true {
                let reply = try await reply(to: .compare(url, anchor, older: pageSize, edge: edge))
                guard case .compared(let found, let next, let from) = reply else { break }
                differences.append(found)
                guard let next, let from, segment.lower < from else { break }
                guard used.insert(next).inserted else { throw .stalled(url) }
                edge = from
                anchor = .cursor(next)
            }
        }
        return differences
    }

    /// How the held row of a channel differs from the server's.
    private func channelDifference(
        of url: ChannelURL
    ) async throws(SyncError) -> ChannelDifference? {
        guard try !isOpenChannel(url) else { return nil }
        var last: ChannelDifference?
        // A change that the feed has yet to deliver is no difference, so compare twice.
        for _ in 0..<2 {
            guard case .comparedChannel(let found) = try await reply(to: .compareChannel(url))
            else {
                throw .unasked
            }
            guard let found else { return nil }
            if found == last { return found }
            last = found
        }
        return nil
    }

    private func isOpenChannel(_ url: ChannelURL) throws(SyncError) -> Bool {
        try stored { (reader) throws(StoreError) in try reader.openChannel(orNil: url) != nil }
    }

    /// Fetches a channel, and the known ranges of its history, again, so that they are what the
    /// server has.
    ///
    /// Until a message is fetched, it counts as stale. If a request fails, the rest stays stale, to
    /// be fetched when it is shown. Of an open channel the messages are fetched alone.
    ///
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does.
    /// - Complexity: A request for the channel, and one for each page of the known ranges.
    public func repair(_ url: ChannelURL) async throws(SyncError) {
        try distrust(url)
        if try !isOpenChannel(url) { _ = try await fetchChannel(url) }
        try await fetchStaleMessages(in: url)
    }

    /// Fetches the stale ranges of a channel's history again, from the newest to the oldest.
    ///
    /// - Parameter url: The channel.
    /// - Returns: The number of messages that were fetched.
    /// - Throws: ``SyncError``, as ``fetchMessages(in:at:older:newer:edge:source:)`` does; then the
    ///   rest stays stale.
    /// - Complexity: A request for each page of the stale ranges.
    @discardableResult
    public func fetchStaleMessages(in url: ChannelURL) async throws(SyncError) -> Int {
        var count = 0
        var last: StaleRange?
        var lossCount: Int64?
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
            count += fetched.page.messages.count
            try await settle(fetched, in: url)
            cursor = fetched.page.older
            if let lossCount, lossCount != fetched.lossCount {
                // The history has changed since: what the cursor passed over may be there now.
                (last, cursor) = (nil, nil)
            }
            lossCount = fetched.lossCount
        }
        return count
    }

    /// Looks up the doubtful messages of a page, so that its extent is no longer stale.
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

    /// Returns the coverage of a channel's history: the parts that are known, stale or missing.
    ///
    /// - Throws: ``SyncError`` with code `store`, or `closed` if the store is closed.
    /// - Complexity: O(*n*) in the stored messages; decodes none.
    public func coverage(of url: ChannelURL) throws(SyncError) -> Coverage {
        try stored { (reader) throws(StoreError) in try reader.coverage(of: url) }
    }
}

extension SyncError {
    /// Returns the error for a server that repeats the same cursors in a channel.
    static func stalled(_ url: ChannelURL) -> SyncError {
        SyncError(.stalled, "the server repeats the same page of \(url)")
    }
}

extension Gap.Bound {
    /// The anchor of pages that run from this bound towards older messages, and that include a
    /// message at the bound.
    package var anchorIncludingIt: MessageAnchor {
        guard case .position(let position) = self else { return .newest }
        return position.createdAt.next.map { .time($0) } ?? .newest
    }
}
