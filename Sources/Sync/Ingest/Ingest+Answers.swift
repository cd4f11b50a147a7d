import Models
import Store

extension Ingest {
    /// What became of a page.
    struct PageReport: Hashable {
        /// What it covers; `nil` if nothing.
        var extent: PageExtent?
        /// The messages that are held where the page has none, in a stretch that was stale: they
        /// may have been deleted, which is to be found out.
        var doubtful: [MessageID] = []
    }

    /// Takes over a page that was asked for at a bound, and has a walk that ends there go on behind it.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - url: The channel.
    ///   - bound: Where its anchor is, if what lies there is known; see ``PageExtent``.
    ///   - older: How many messages before it were asked for.
    ///   - newer: How many behind it.
    ///   - news: What became known since the page was asked for.
    ///   - source: Why, for those who observe.
    /// - Returns: What it covers, and what it puts in doubt.
    /// - Throws: What the store throws.
    mutating func take(
        _ page: MessagePage, in url: ChannelURL, at bound: Gap.Bound?, older: Int, newer: Int,
        since news: Flights.News, _ source: CollectionEventSource
    ) throws(StoreError) -> PageReport {
        let edge = page.edge(at: bound, older: older, newer: newer)
        let report = try take(page, in: url, edge: edge, since: news, source)
        if newer == 0, let bound { try goOnWalking(at: bound, in: url, behind: page) }
        return report
    }

    /// Takes over a page of a history, and closes the gaps that it covers.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - url: The channel.
    ///   - edge: Where its anchor is; see ``PageExtent``.
    ///   - news: What became known since the page was asked for.
    ///   - source: Why, for those who observe.
    /// - Returns: What it covers, and what it puts in doubt.
    /// - Throws: What the store throws.
    mutating func take(
        _ page: MessagePage, in url: ChannelURL, edge: Gap.Bound?, since news: Flights.News,
        _ source: CollectionEventSource
    ) throws(StoreError) -> PageReport {
        for message in page.messages where message.channelURL == url {
            try take(message, since: news, source)
        }
        var edge = edge
        if case .position(let position) = edge, !position.messageID.rawValue.isEmpty,
            try batch.isInGap(position, in: url)
        {
            // The message was known when somebody asked, and is not any more.
            edge = nil
        }
        guard let extent = PageExtent(page, edge: edge, isFollowed: news.isFollowed) else {
            return PageReport()
        }
        var report = PageReport(extent: extent)
        if page.messages.isEmpty, extent.from == extent.through {
            // Nothing but the walk has moved.
            try moveWalk(in: url, at: extent.from, to: page.older)
            return report
        }
        let untold = try positions(in: url, extent, notOn: page, news)
        try doubt(untold, in: url)
        try cover(extent, in: url, page.older)
        let stale = try knowledge(of: url).stale
        guard !stale.isEmpty else { return report }
        let overtaken = page.messages.compactMap(\.position)
            .filter { news.touched.contains($0.messageID) }
        report.doubtful = (untold + overtaken)
            .filter { position in stale.contains { $0.contains(position) } }.map(\.messageID)
        if report.doubtful.isEmpty { try markVerified(url, extent) }
        return report
    }

    /// What is held where a page has nothing, although nothing was told of it since.
    private func positions(
        in url: ChannelURL, _ extent: PageExtent, notOn page: MessagePage, _ news: Flights.News
    ) throws(StoreError) -> [Position] {
        let told = Set(page.messages.compactMap(\.messageID))
        var positions = try batch.positions(in: url, from: extent.from, to: extent.through)
        // An anchor is not on a page of what is older.
        for case .position(let edge) in [extent.from, extent.through] {
            let held = try batch.message(orNil: edge.messageID, in: url)
            if held?.position == edge { positions.append(edge) }
        }
        return positions.filter {
            !told.contains($0.messageID) && !news.touched.contains($0.messageID)
        }
    }

    /// Marks what is held within a gap as stale before the gap closes: it came without the others, and
    /// may be gone.
    private mutating func doubt(_ positions: [Position], in url: ChannelURL) throws(StoreError) {
        for position in positions where try batch.isInGap(position, in: url) {
            let bound = Gap.Bound.position(position)
            // Its neighbours are not in doubt, also those of the same time.
            let older = try batch.messages(orNone: url, before: position).first?.position
            let newer = try batch.messages(orNone: url, after: position).first?.position
            let lower = max(bound.before, older.map { .position($0) } ?? .beginning)
            let upper = min(bound.after, newer.map { .position($0) } ?? .end)
            // Whatever was lost before: it came later.
            try batch.markStale(StaleRange(in: url, from: lower, to: upper, epoch: 0))
            forget(url)
        }
    }

    /// Takes a stretch out of the stale ranges: what is held there is what the server has.
    mutating func markVerified(_ url: ChannelURL, _ extent: PageExtent) throws(StoreError) {
        try batch.markVerified(url, from: extent.from, through: extent.through)
        // What is left beside a gap is a part of it.
        let gaps = try batch.gaps(orAll: url)
        for range in try batch.staleRanges(orNone: url)
        where gaps.contains(where: { $0.lower <= range.lower && range.upper <= $0.upper }) {
            try batch.markVerified(url, from: range.lower, through: range.upper)
        }
        forget(url)
    }

    /// Takes over a message of an answer, and what was told of it since the answer was asked for.
    mutating func take(
        _ message: Message, since news: Flights.News, _ source: CollectionEventSource
    ) throws(StoreError) {
        guard let id = message.messageID, !news.deleted.contains(id) else { return }
        try take(message.with(news.events[id] ?? []), source, news.freshness(of: id))
    }

    private mutating func takeAlone(
        _ message: Message, since news: Flights.News, _ source: CollectionEventSource
    ) throws(StoreError) {
        guard let id = message.messageID, !news.deleted.contains(id) else { return }
        try takeAlone(message.with(news.events[id] ?? []), source, news.freshness(of: id))
    }

    /// Takes over what became of messages that were asked for by their ids.
    mutating func take(
        _ lookup: MessageLookup, in url: ChannelURL, since news: Flights.News,
        _ source: CollectionEventSource
    ) throws(StoreError) {
        for message in lookup.found where message.channelURL == url {
            try takeAlone(message, since: news, source)
        }
        for id in lookup.gone where !news.touched.contains(id) {
            try delete(id, in: url, at: nil, source)
        }
    }

    /// Takes over what became of a channel's messages.
    mutating func take(
        _ changes: MessageChangelog, in url: ChannelURL, since news: Flights.News,
        _ source: CollectionEventSource
    ) throws(StoreError) {
        for message in changes.updated where message.channelURL == url {
            if try isOfUse(message) { try takeAlone(message, since: news, source) }
        }
        for deleted in changes.deleted where !news.touched.contains(deleted.messageID) {
            try delete(deleted.messageID, in: url, at: deleted.deletedAt, source)
        }
    }

    // MARK: Channels

    /// Takes over a channel that was asked for, unless something newer was told of it meanwhile.
    mutating func take(
        _ channel: GroupChannel, since news: Flights.News, _ source: CollectionEventSource
    ) throws(StoreError) {
        guard !news.channels.contains(channel.url) else { return }
        let held = try batch.groupChannel(orNil: channel.url)
        var channel = channel
        // The device's own.
        channel.lastSyncedChangelogAt = held?.lastSyncedChangelogAt ?? channel.lastSyncedChangelogAt
        if channel != held { try save(channel, over: held, source) }
    }

    /// Takes over what became of the user's channels.
    ///
    /// - Returns: The channels that were removed.
    mutating func take(
        _ changes: GroupChannelChangelog, since news: Flights.News, _ source: CollectionEventSource
    ) throws(StoreError) -> [ChannelURL] {
        for channel in changes.updated { try take(channel, since: news, source) }
        let removed = changes.deletedURLs.filter { !news.channels.contains($0) }
        for url in removed { try remove(url, source) }
        return removed
    }

    // MARK: Gaps

    /// Closes gaps; one whose changes are still to be read stays, as small as it can be.
    private func cover(
        _ extent: PageExtent, in url: ChannelURL, _ walkCursor: PageCursor?
    ) throws(StoreError) {
        let kept = try batch.gaps(orAll: url).filter {
            $0.changesSince != nil && extent.from <= $0.lower && $0.upper <= extent.through
        }
        var from = extent.from
        for gap in kept {
            // What is left lies between its older end and the message behind that.
            let held = try batch.positions(in: url, from: gap.lower, to: gap.upper)
            let end = held.last.map(Gap.Bound.position) ?? gap.upper
            if from <= gap.lower { try batch.cover(url, from: from, through: gap.lower) }
            from = end
        }
        if from <= extent.through {
            try batch.cover(
                url, from: from, through: extent.through,
                walkCursor: kept.isEmpty ? walkCursor : nil)
        }
    }

    /// Makes a walk go on behind a page that ended before it came to the gap, as where many messages
    /// share the time that it was asked for by.
    private func goOnWalking(
        at upper: Gap.Bound, in url: ChannelURL, behind page: MessagePage
    ) throws(StoreError) {
        guard let first = page.messages.first?.position, upper <= .position(first),
            let cursor = page.older
        else { return }
        try moveWalk(in: url, at: upper, to: cursor)
    }

    private func moveWalk(
        in url: ChannelURL, at upper: Gap.Bound, to cursor: PageCursor?
    ) throws(StoreError) {
        guard var gap = try batch.gaps(orAll: url).first(where: { $0.upper == upper }),
            gap.walkCursor != cursor
        else { return }
        gap.walkCursor = cursor
        try batch.update(gap)
    }
}

extension Flights.News {
    /// How sure one may be of what an answer says of a message.
    fileprivate func freshness(of id: MessageID) -> Ingest.Freshness {
        guard isFollowed else { return .hearsay }
        // What was told of reactions and threads alone is laid over the answer.
        return saved.contains(id) ? .unknown : .fresh
    }
}

extension Message {
    /// The message, and what was told of it alone.
    fileprivate func with(_ events: [FeedEvent]) -> Message {
        var message = self
        for event in events {
            switch event {
            case .reaction(let reaction): message.apply(reaction)
            case .threadInfo(let thread): message.apply(thread)
            default: break
            }
        }
        return message
    }
}
