import Models
import Store

extension Ingest {
    struct PageReport: Hashable {
        var extent: PageExtent?
        /// The stored messages to look up, because the page lacks them, or may have an older
        /// version.
        var unconfirmed: [MessageID] = []
    }

    /// Stores a page, and closes the gaps that it covers.
    mutating func applyPage(
        _ page: MessagePage, of request: PageRequest, since interim: Flights.Interim,
        _ source: CollectionEventSource
    ) throws(StoreError) -> PageReport {
        let url = request.channelURL
        let bound = try batch.bound(of: request, answeredBy: page)
        let extent = PageExtent(page, of: request, from: bound, feedHadBegun: interim.feedHadBegun)
        if let parentID = request.parentMessageID {
            return try applyReplies(page, to: parentID, in: url, extent, since: interim)
        }
        if !request.kinds.isEmpty {
            return try applyKinds(page, of: request, since: interim, source)
        }
        let report = try applyHistory(page, in: url, extent, since: interim, source)
        // If the page ends before it reaches the gap, the backfill continues at the page's end:
        // many messages may have the time that is the anchor.
        if request.newer == 0, let bound, let first = page.orderedPositions.first,
            bound <= .position(first), let cursor = page.older
        {
            try moveBackfillCursor(in: url, at: bound, to: cursor)
        }
        return report
    }

    private mutating func applyReplies(
        _ page: MessagePage, to parentID: MessageID, in url: ChannelURL,
        _ extent: PageExtent?, since interim: Flights.Interim
    ) throws(StoreError) -> PageReport {
        let lookup = MessageLookup(found: page.messages, gone: [])
        try applyLookup(lookup, in: url, since: interim, .requestThreadedMessages)
        for id in page.messages.compactMap(\.messageID) {
            reactionChanges?.append(.request(id, in: url))
        }
        guard let extent else { return PageReport() }
        let reported = Set(page.messages.compactMap(\.messageID))
        let stored = try batch.replies(
            to: parentID, in: url, from: extent.from, includesLower: true, to: extent.through,
            includesUpper: true, isNewestFirst: true)
        let unconfirmed = stored.compactMap(\.messageID).filter {
            interim.mayBeGone($0, isInAnswer: reported.contains($0))
        }
        return PageReport(extent: extent, unconfirmed: unconfirmed)
    }

    /// Stores a page of the messages of some kinds, only inside gaps and stale ranges, and closes
    /// none.
    ///
    /// The coverage of the kinds is extended only if the page continues it: a truncation may have
    /// ended it since the request.
    private mutating func applyKinds(
        _ page: MessagePage, of request: PageRequest, since interim: Flights.Interim,
        _ source: CollectionEventSource
    ) throws(StoreError) -> PageReport {
        let (url, kinds) = (request.channelURL, request.kinds)
        for message in page.messages where message.channelURL == url {
            guard let position = message.position else { continue }
            let isStored = try batch.message(position.messageID, in: url) != nil
            let isInGap = try batch.isInGap(position, in: url)
            let isStale = try knowledge(of: url).stale.contains { $0.contains(position) }
            guard isStored || isInGap || isStale else { continue }
            recordUnknownReactions(of: message, interim)
            try applyAnswer(message, since: interim, source)
        }
        let start = request.anchor == .newest ? Gap.Bound.end : request.bound
        guard interim.feedHadBegun, let gap = try batch.kindGaps(in: url).newest(of: kinds),
            gap.upper == start
        else { return PageReport() }
        if case .cursor(let cursor) = request.anchor, cursor != gap.backfillCursor {
            return PageReport()
        }
        let oldest = page.orderedPositions.first.map(Gap.Bound.position) ?? gap.upper
        let reached = page.older == nil ? .beginning : min(gap.upper, oldest)
        let covered = try batch.kindCoverage(in: url)
        for kind in kinds.singleKinds
        where !covered.contains(where: { $0.kind == kind && $0.lower < reached }) {
            try batch.save(KindCoverage(kind, in: url, downTo: reached, cursor: page.older))
        }
        let through = gap.upper
        var report = PageReport(extent: PageExtent(from: reached, through: through))
        let reported = Set(page.messages.compactMap(\.messageID))
        let unsure =
            try batch.gaps(in: url, from: reached, to: through).map { ($0.lower, $0.upper) }
            + batch.staleRanges(in: url, from: reached, to: through).map { ($0.lower, $0.upper) }
        for (lower, upper) in unsure {
            let stored = try batch.messages(
                in: url, from: max(lower, reached), to: min(upper, through), isNewestFirst: true)
            report.unconfirmed += stored.filter { !$0.kinds(for: userID).isDisjoint(with: kinds) }
                .compactMap(\.messageID)
                .filter { interim.mayBeGone($0, isInAnswer: reported.contains($0)) }
        }
        return report
    }

    private mutating func applyHistory(
        _ page: MessagePage, in url: ChannelURL, _ extent: PageExtent?,
        since interim: Flights.Interim, _ source: CollectionEventSource
    ) throws(StoreError) -> PageReport {
        for message in page.messages where message.channelURL == url {
            recordUnknownReactions(of: message, interim)
            try applyAnswer(message, since: interim, source, opensGap: false)
        }
        guard let extent else { return PageReport() }
        var report = PageReport(extent: extent)
        if page.orderedPositions.isEmpty {
            // The page has nothing that is older than its anchor, so the cursor moves.
            try moveBackfillCursor(in: url, at: extent.from, to: page.older)
            if extent.from == extent.through { return report }
        }
        let unproven = try unprovenPositions(in: url, extent, page, interim)
        // The page closes the gaps of these messages, and does not contain them.
        for position in unproven where try batch.isInGap(position, in: url) {
            try markStale(position, in: url)
        }
        if extent.through == .end { try recordUnreported(above: page, extent, in: url) }
        try cover(extent, in: url, page.older)
        let stale = try knowledge(of: url).stale
        guard !stale.isEmpty else { return report }
        let overtaken = page.messages.compactMap(\.position)
            .filter { interim.hasChanged($0.messageID) }
        report.unconfirmed = (unproven + overtaken)
            .filter { position in stale.contains { $0.contains(position) } }.map(\.messageID)
        if report.unconfirmed.isEmpty { try markVerified(url, extent) }
        return report
    }

    /// Records that the feed may not have reported the messages newer than a page, before the page
    /// closes the gap at the newest end or a gap among them.
    ///
    /// The server may have accepted messages between them and the page, which the gap represented
    /// until now.
    private mutating func recordUnreported(
        above page: MessagePage, _ extent: PageExtent, in url: ChannelURL
    ) throws(StoreError) {
        let newest = page.orderedPositions.last.map(Gap.Bound.position) ?? extent.from
        // These positions are sorted newest first; those of a page are oldest first.
        guard let oldest = try batch.positions(in: url, from: newest, to: .end).last,
            try batch.gaps(in: url).contains(where: { newest < $0.upper })
        else { return }
        if let unreported = try batch.unreported(of: url), unreported <= oldest { return }
        batch.setUnreported(oldest, of: url)
        invalidateKnowledge(of: url)
    }

    /// Returns the stored positions in a page's extent whose messages the server may have deleted.
    private func unprovenPositions(
        in url: ChannelURL, _ extent: PageExtent, _ page: MessagePage, _ interim: Flights.Interim
    ) throws(StoreError) -> [Position] {
        let idsOnPage = Set(page.messages.compactMap(\.messageID))
        var positions = try batch.positions(in: url, from: extent.from, to: extent.through)
        // A message at a bound, such as the request's anchor, may be missing, too.
        for case .position(let bound) in [extent.from, extent.through] {
            let stored = try batch.message(bound.messageID, in: url)
            if stored?.position == bound { positions.append(bound) }
        }
        return positions.filter {
            interim.mayBeGone($0.messageID, isInAnswer: idsOnPage.contains($0.messageID))
        }
    }

    mutating func markStale(_ position: Position, in url: ChannelURL) throws(StoreError) {
        let bound = Gap.Bound.position(position)
        // The range excludes the message's neighbors, even if they have the same time.
        let older = try batch.neighbor(of: position, in: url, isOlder: true)
        let newer = try batch.neighbor(of: position, in: url, isOlder: false)
        let lower = max(bound.before, older.map { .position($0) } ?? .beginning)
        let upper = min(bound.after, newer.map { .position($0) } ?? .end)
        try batch.markStale(
            StaleRange(in: url, from: lower, to: upper, lossNumber: StaleRange.singleMessage))
        invalidateKnowledge(of: url)
    }

    /// Removes a range from the stale ranges, because its stored messages equal the server's.
    ///
    /// If the page started at a bound without a stored message, that position stays stale: the
    /// server may have a message there, whose deletion a restored backup has undone.
    mutating func markVerified(_ url: ChannelURL, _ extent: PageExtent) throws(StoreError) {
        let extent = try provenPart(of: extent, in: url)
        try batch.markVerified(url, from: extent.from, through: extent.through)
        // A gap already implies that the messages of stale ranges inside it must be fetched.
        let gaps = try batch.gaps(in: url)
        for range in try batch.staleRanges(in: url)
        where gaps.contains(where: { $0.lower <= range.lower && range.upper <= $0.upper }) {
            try batch.markVerified(url, from: range.lower, through: range.upper)
        }
        invalidateKnowledge(of: url)
    }

    /// Removes a range from the stale ranges after a lookup, unless an untrusted message was stored
    /// in it since, or a message of it is still stale: an event may have changed it since, without
    /// confirming the stored version.
    mutating func markVerified(
        _ url: ChannelURL, _ extent: PageExtent, since interim: Flights.Interim
    ) throws(StoreError) {
        var positions: [Position] = []
        for id in interim.unconfirmed {
            if let position = try batch.message(id, in: url)?.position {
                positions.append(position)
            }
        }
        let stale = try knowledge(of: url).stale
        positions += (unconfirmed[url] ?? []).filter { position in
            stale.contains { $0.contains(position) }
        }
        let isDoubtful = positions.contains { position in
            let bound = Gap.Bound.position(position)
            return extent.from <= bound && bound <= extent.through
        }
        if !isDoubtful { try markVerified(url, extent) }
    }

    /// The part of a page's extent in which the server has exactly the stored messages.
    private mutating func provenPart(
        of extent: PageExtent, in url: ChannelURL
    ) throws(StoreError) -> PageExtent {
        guard case .position(let start)? = extent.excludedBound, !start.messageID.rawValue.isEmpty,
            try knowledge(of: url).stale.contains(where: { $0.contains(start) }),
            try batch.message(start.messageID, in: url)?.position != start
        else { return extent }
        var extent = extent
        if extent.through == .position(start) {
            let older = try batch.neighbor(of: start, in: url, isOlder: true)
            extent.through = max(extent.from, older.map(Gap.Bound.position) ?? extent.from)
        } else if extent.from == .position(start) {
            let newer = try batch.neighbor(of: start, in: url, isOlder: false)
            extent.from = min(extent.through, newer.map(Gap.Bound.position) ?? extent.through)
        }
        return extent
    }

    /// Stores a message of an answer with the events since the request, and returns `true` if it is
    /// now stored, in this or a newer version.
    ///
    /// With `opensGap`, the message is stored in a gap, because its neighbors may be missing.
    @discardableResult
    mutating func applyAnswer(
        _ message: Message, since interim: Flights.Interim, _ source: CollectionEventSource,
        opensGap: Bool = true
    ) throws(StoreError) -> Bool {
        guard let id = message.messageID, !interim.deleted.contains(id) else { return false }
        let message = message.with(interim.events[id] ?? [])
        let freshness = interim.freshness(of: id)
        return opensGap
            ? try applyAlone(message, source, freshness)
            : try applyMessage(message, source, freshness)
    }

    /// Stores the messages of a search as untrusted, because the server's index may be older than
    /// the feed, and returns those that are now stored, in this or a newer version.
    mutating func applyFound(
        _ messages: [Message], since interim: Flights.Interim
    ) throws(StoreError) -> [Message] {
        var stored: [Message] = []
        // The user may have left a channel meanwhile.
        for message in messages where try !isUnlisted(message.channelURL) {
            let interim = interim.ofSearch(in: message.channelURL)
            if try applyAnswer(message, since: interim, .requestMessage) {
                stored.append(message)
            }
        }
        return stored
    }

    mutating func applyLookup(
        _ lookup: MessageLookup, in url: ChannelURL, since interim: Flights.Interim,
        _ source: CollectionEventSource
    ) throws(StoreError) {
        for message in lookup.found where message.channelURL == url {
            recordUnknownReactions(of: message, interim)
            try applyAnswer(message, since: interim, source)
        }
        for id in lookup.gone where interim.allowsDeletion(of: id) {
            try delete(id, in: url, at: nil, source)
        }
        try replaceDeletedLastMessages()
    }

    mutating func applyChangelog(
        _ changes: MessageChangelog, in url: ChannelURL, since interim: Flights.Interim,
        _ source: CollectionEventSource
    ) throws(StoreError) {
        for message in changes.updated where message.channelURL == url {
            recordUnknownReactions(of: message, interim)
            if try isRelevant(message) { try applyAnswer(message, since: interim, source) }
        }
        for deleted in changes.deleted where interim.allowsDeletion(of: deleted.messageID) {
            if let time = deleted.createdAt {
                try recordChanges(byDeletionOf: deleted.messageID, in: url, createdAt: time)
            }
            try delete(deleted.messageID, in: url, at: deleted.deletedAt, source)
        }
        try replaceDeletedLastMessages()
    }

    // MARK: Reactions

    private mutating func recordUnknownReactions(of message: Message, _ interim: Flights.Interim) {
        // An untrusted copy may be older than the reactions that the feed has reported.
        guard interim.feedHadBegun, let id = message.messageID else { return }
        reactionChanges?.append(.remove(id, in: message.channelURL))
    }

    mutating func applyReactions(
        _ reactions: [MessageID: [Reaction]], of ids: [MessageID], in url: ChannelURL,
        since interim: Flights.Interim
    ) throws(StoreError) {
        for id in ids {
            let events = interim.events[id] ?? []
            reactionChanges?.append(.insert(id, in: url))
            guard let stored = try batch.message(id, in: url) else { continue }
            var message = stored
            let found = reactions[id] ?? []
            let keys = Set(found.map(\.keyBytes))
            // Keep the records of removed reactions: an older event must not restore them.
            message.reactionHistory =
                found + stored.reactionHistory.filter { !$0.isHeld && !keys.contains($0.keyBytes) }
            message = message.with(events)
            // An event older than the answer is not applied, but may be missing in it.
            if !message.reflects(events) { reactionChanges?.append(.remove(id, in: url)) }
            if message != stored { try batch.save(message, source: .messageFill) }
        }
    }

    // MARK: Channels

    mutating func applyChannel(
        _ channel: GroupChannel, since interim: Flights.Interim, _ source: CollectionEventSource
    ) throws(StoreError) {
        guard !interim.channels.contains(channel.url) else { return }
        let stored = try batch.groupChannel(channel.url)
        var channel = channel
        // Only the device sets this property.
        if let time = stored?.lastSyncedChangelogAt { channel.lastSyncedChangelogAt = time }
        if let stored { channel.keepReadState(of: stored) }
        // Also record a channel that has not changed: an older event may follow.
        flights.recordChannel(channel.url)
        if channel != stored { try save(channel, over: stored, source) }
    }

    mutating func applyChannelChangelog(
        _ changes: GroupChannelChangelog, since interim: Flights.Interim,
        _ source: CollectionEventSource
    ) throws(StoreError) -> [ChannelURL] {
        for channel in changes.updated { try applyChannel(channel, since: interim, source) }
        let removed = changes.deletedURLs.filter { !interim.channels.contains($0) }
        for url in removed { try remove(url, source) }
        return removed
    }
}

extension Flights.Interim {
    fileprivate func freshness(of id: MessageID) -> Ingest.Freshness {
        guard feedHadBegun else { return .untrusted }
        if unconfirmed.contains(id) { return .unconfirmed }
        // Events of reactions and threads are applied to the answer, and do not outdate it.
        return saved.contains(id) ? .unknown : .fresh
    }
}

extension GroupChannel {
    /// Only the feed changes the unread counts, because other calls may omit them; they may omit
    /// the receipts, too.
    mutating func keepReadState(of stored: GroupChannel) {
        unreadMessageCount = stored.unreadMessageCount
        unreadMentionCount = stored.unreadMentionCount
        if readReceipts.isEmpty { readReceipts = stored.readReceipts }
        if deliveryReceipts.isEmpty { deliveryReceipts = stored.deliveryReceipts }
        if myLastRead == nil { myLastRead = stored.myLastRead }
    }
}

extension Message {
    /// Returns whether the message reflects the last event of each user and key.
    fileprivate func reflects(_ events: [FeedEvent]) -> Bool {
        var last: [[UInt8]: [UserID: ReactionEvent]] = [:]
        for case .reaction(let event) in events {
            last[Array(event.key.utf8), default: [:]][event.userID] = event
        }
        return last.values.allSatisfy { $0.values.allSatisfy { reflects($0) } }
    }

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

// MARK: Gaps

extension Ingest {
    /// Closes the gaps in a range.
    ///
    /// A gap whose changelog since the truncation was not read yet is kept, as small as possible.
    func cover(
        _ extent: PageExtent, in url: ChannelURL, _ backfillCursor: PageCursor?
    ) throws(StoreError) {
        let kept = try batch.gaps(in: url).filter {
            $0.changesSince != nil && extent.from <= $0.lower && $0.upper <= extent.through
        }
        var from = extent.from
        for gap in kept {
            // Newest first.
            let stored = try batch.positions(in: url, from: gap.lower, to: gap.upper)
            let end = stored.last.map(Gap.Bound.position) ?? gap.upper
            if from <= gap.lower { try batch.cover(url, from: from, through: gap.lower) }
            from = end
        }
        if from <= extent.through {
            try batch.cover(
                url, from: from, through: extent.through,
                backfillCursor: kept.isEmpty ? backfillCursor : nil)
        }
    }

    func moveBackfillCursor(
        in url: ChannelURL, at upper: Gap.Bound, to cursor: PageCursor?
    ) throws(StoreError) {
        guard var gap = try batch.gaps(in: url).first(where: { $0.upper == upper }),
            gap.backfillCursor != cursor
        else { return }
        gap.backfillCursor = cursor
        try batch.update(gap)
    }
}
