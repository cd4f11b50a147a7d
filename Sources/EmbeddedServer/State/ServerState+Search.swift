import Models
import Store

extension ServerState {
    /// Searches the joined group channels and the entered open channels of the user.
    ///
    /// Other channels in the parameters are ignored.
    func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int,
        for userID: UserID
    ) throws(BackendError) -> Page<Message> {
        let query = SearchQuery(params.text)
        guard !query.isEmpty else { return Page([], next: nil) }
        let searched = channels.values.filter { isSearched($0, by: userID, params) }
        return try page(of: searched, after: cursor, limit, userID) {
            params.includes($0) && query.hits(in: $0) != nil
        }
    }

    func mentions(
        of userID: UserID, after cursor: PageCursor?, limit: Int
    ) throws(BackendError) -> Page<Message> {
        let joined = channels.values.filter {
            !$0.isOpen && $0.members[userID]?.state == .joined
        }
        return try page(of: joined, after: cursor, limit, userID) {
            $0.kinds(for: userID).contains(.mention)
        }
    }

    private func page(
        of channels: [ServerChannel], after cursor: PageCursor?, _ limit: Int, _ userID: UserID,
        where includes: (Message) -> Bool
    ) throws(BackendError) -> Page<Message> {
        let last = try cursor.map { (cursor) throws(BackendError) in
            try SearchSortKey(cursor, counters)
        }
        let limit = min(max(limit, 1), conditions.pageLimit)
        var found: [(key: SearchSortKey, message: Message)] = []
        var hasMore = false
        for channel in channels {
            var left = limit
            try scanMessages(of: channel, isDescending: true) { message in
                guard let position = message.position else { return true }
                let key = SearchSortKey(position: position, channel: channel.number)
                guard last?.precedes(key) ?? true, isVisible(message, in: channel, to: userID),
                    includes(message)
                else { return true }
                guard left > 0 else {
                    hasMore = true
                    return false
                }
                found.append((key, message))
                left -= 1
                return true
            }
        }
        found.sort { $0.key.precedes($1.key) }
        let page = found.prefix(limit)
        return Page(
            page.map { view($0.message, for: userID) },
            next: hasMore || found.count > limit ? page.last?.key.cursor(counters) : nil)
    }

    private func isSearched(
        _ channel: ServerChannel, by userID: UserID, _ params: MessageSearchParams
    ) -> Bool {
        guard params.channelURLs.isEmpty || params.channelURLs.contains(channel.url) else {
            return false
        }
        return channel.isOpen
            ? channel.participants[userID] != nil : channel.members[userID]?.state == .joined
    }
}

private struct SearchSortKey {
    let position: Position
    let channel: ChannelNumber

    init(position: Position, channel: ChannelNumber) {
        (self.position, self.channel) = (position, channel)
    }

    /// Throws `expired` if the cursor is not a valid one of a search.
    init(_ cursor: PageCursor, _ counters: ServerCounters) throws(BackendError) {
        let parts = try counters.pageText(cursor)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let channel = ChannelNumber(parts[0]), let time = Int64(parts[1])
        else { throw .cannotResume(from: cursor.rawValue) }
        self.channel = channel
        position = Position(
            createdAt: Timestamp(milliseconds: time), messageID: MessageID(String(parts[2])))
    }

    // `epoch.generation:channel/time/id`.
    func cursor(_ counters: ServerCounters) -> PageCursor {
        counters.pageCursor("\(channel)/\(position.createdAt)/\(position.messageID)")
    }

    func precedes(_ other: SearchSortKey) -> Bool {
        position == other.position ? channel < other.channel : position > other.position
    }
}
