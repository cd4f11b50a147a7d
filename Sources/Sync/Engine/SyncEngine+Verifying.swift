public import Models
import Store

/// The differences between the cached copy of a channel and the server's version.
public struct HistoryDifferences: Hashable, Sendable {
    /// The number of the server's messages that were compared.
    public internal(set) var comparedCount = 0

    /// The server's messages in known ranges that are not cached.
    public internal(set) var missing: [Message] = []

    /// The cached messages that the server does not have.
    public internal(set) var extra: [Message] = []

    /// The server's version of each message whose cached version differs.
    public internal(set) var different: [Message] = []

    /// The difference of the channel's own fields, such as its last message; `nil` without one, or
    /// if the channel is not a group channel.
    public internal(set) var channel: ChannelDifference?

    /// True if there is no difference.
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

/// The difference between the cached copy of a group channel and the server's version.
public struct ChannelDifference: Hashable, Sendable {
    /// The server's version of the channel.
    public let channel: GroupChannel

    /// The JSON names of the fields that differ, in the order of `scrollback.proto`; all fields of
    /// the server's version if the channel is not cached.
    public let fields: [String]

    init?(stored: GroupChannel?, server: GroupChannel) {
        var server = server
        // Only the device sets this field.
        server.lastSyncedChangelogAt = stored?.lastSyncedChangelogAt
        // Outside the feed, the server may omit the unread counts and the receipts.
        if let stored { server.keepReadState(of: stored) }
        if server == stored { return nil }
        channel = server
        fields = server.namesOfFields(differentFrom: stored ?? GroupChannel())
    }
}

extension SyncEngine {
    /// Compares a channel and the known ranges of its history with the server.
    ///
    /// The call does not change the cache. Gaps and stale ranges are not compared, and changes that
    /// the feed reports in the meantime are no differences. For an open channel, only the messages
    /// are compared, because the feed does not report changes of the channel.
    ///
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``.
    /// - Complexity: One or, if it differs, two requests for the channel; one for each page of the
    ///   known ranges; and one for each hundred cached messages that no page contains.
    public func verify(_ url: ChannelURL) async throws(SyncError) -> HistoryDifferences {
        var differences = HistoryDifferences()
        differences.channel = try await channelDifference(of: url)
        for part in try coverage(of: url).parts.reversed() where part.kind == .known {
            var bound = part.upper
            var anchor = bound.anchorIncludingIt
            var used = UsedCursors()
            while true {
                let request = PageRequest(in: url, at: anchor, bound: bound, older: pageSize)
                let reply = try await make(ComparePage(request: request))
                differences.append(reply.differences)
                guard let next = reply.next, let from = reply.lowerBound, part.lower < from
                else { break }
                if from < bound { used = UsedCursors() }
                guard used.insert(next) else { throw .stalled(url) }
                bound = from
                anchor = .cursor(next)
            }
        }
        let extra = differences.extra.compactMap(\.messageID)
        var found = try await existing(extra, in: url)
        // Two pages contain a message at the bound between them.
        differences.extra.removeAll { !($0.messageID.map { found.insert($0).inserted } ?? true) }
        return differences
    }

    /// A message that arrived late may be on another page than its position suggests.
    private func existing(
        _ ids: [MessageID], in url: ChannelURL
    ) async throws(SyncError) -> Set<MessageID> {
        var found: Set<MessageID> = []
        for start in stride(from: 0, to: ids.count, by: SyncCore.lookupLimit) {
            let requested = Array(ids[start..<min(start + SyncCore.lookupLimit, ids.count)])
            let lookup = try await make(
                Uncached(call: CoreCall.Lookup(messageIDs: requested, channelURL: url)))
            found.formUnion(lookup.found.compactMap(\.messageID))
        }
        return found
    }

    private func channelDifference(
        of url: ChannelURL
    ) async throws(SyncError) -> ChannelDifference? {
        guard try !isOpenChannel(url) else { return nil }
        var last: ChannelDifference?
        // The feed may have been about to report a difference, so compare twice.
        for _ in 0..<2 {
            guard let found = try await make(CompareChannel(url)) else { return nil }
            if found == last { return found }
            last = found
        }
        return nil
    }

    private func isOpenChannel(_ url: ChannelURL) throws(SyncError) -> Bool {
        try stored { (reader) throws(StoreError) in try reader.openChannel(url) != nil }
    }

    /// Fetches a channel and the known ranges of its history again.
    ///
    /// If a request fails, the remaining ranges stay stale, and are fetched when a viewer shows
    /// them. For an open channel, only the messages are fetched.
    ///
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``.
    /// - Complexity: One request for the channel, and one for each page of the ranges.
    public func repair(_ url: ChannelURL) async throws(SyncError) {
        try change { (core) throws(SyncError) in try core.markStale(url) }
        if try !isOpenChannel(url) { _ = try await fetchChannel(url) }
        try await fetchStaleMessages(in: url)
    }

    /// Fetches the stale ranges of a channel's history, newest first, and returns the number of
    /// fetched messages.
    ///
    /// - Throws: As ``fetchMessages(in:at:older:newer:bound:source:)``. The remaining ranges stay
    ///   stale.
    @discardableResult
    public func fetchStaleMessages(in url: ChannelURL) async throws(SyncError) -> Int {
        var count = 0
        var last: StaleRange?
        var lossCount: Int64?
        var cursor: PageCursor?
        var used = UsedCursors()
        var idle = IdleRequests()
        while let range = try stored({ (reader) throws(StoreError) in
            try reader.staleRanges(in: url).last
        }) {
            if range != last {
                if last != nil { idle = IdleRequests() }
                used = UsedCursors()
            } else if let cursor {
                guard used.insert(cursor) else { throw .stalled(url) }
            } else {
                // There is no older page, but the range is still stale: start again at its upper
                // bound.
                guard idle.allowsMore(hasMoved: false) else { throw .stalled(url) }
                (last, used) = (nil, UsedCursors())
            }
            try await waitForFeed()
            let isNext = range.upper != last?.upper
            let anchor = isNext ? range.upper.anchorIncludingIt : cursor.map { .cursor($0) }
            last = range
            let fetched = try await fetchMessages(
                in: url, at: anchor ?? range.upper.anchorIncludingIt, older: pageSize, newer: 0,
                bound: range.upper)
            count += fetched.page.messages.count
            try await lookUpUnconfirmed(fetched, in: url)
            cursor = fetched.page.older
            if let lossCount, lossCount != fetched.lossCount {
                // There may be new messages between the cursor and the range's upper bound.
                (last, cursor) = (nil, nil)
            }
            lossCount = fetched.lossCount
        }
        return count
    }

    func lookUpUnconfirmed(
        _ fetched: FetchedMessages, in url: ChannelURL
    ) async throws(SyncError) {
        guard let extent = fetched.extent else { return }
        var rest = fetched.unconfirmed[...]
        while !rest.isEmpty {
            let requested = Array(rest.prefix(SyncCore.lookupLimit))
            rest = rest.dropFirst(requested.count)
            _ = try await make(
                LookUp(
                    call: CoreCall.Lookup(messageIDs: requested, channelURL: url),
                    verified: rest.isEmpty ? (extent, fetched.lossCount) : nil))
        }
    }

    /// Returns which ranges of a channel's history are known, stale or missing, in O(*n*) of the
    /// stored messages, none of which are decoded.
    ///
    /// - Throws: `store` or `closed`.
    public func coverage(of url: ChannelURL) throws(SyncError) -> Coverage {
        try stored { (reader) throws(StoreError) in try reader.coverage(of: url) }
    }
}

extension SyncError {
    package static func stalled(_ url: ChannelURL) -> SyncError {
        SyncError(
            .stalled, "the server returns pages of channel \(url) without new messages: retry later"
        )
    }
}
