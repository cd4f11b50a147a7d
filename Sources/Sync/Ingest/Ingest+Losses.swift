import Models
import Store

/// A reason why the stored history may differ from the server's.
public enum HistoryLoss: Hashable, Sendable {
    /// The feed cannot report the events since the stored cursor.
    case expiredCursor
    /// The server's history was rolled back, for example to a backup; cursors are invalid, and IDs
    /// and versions may now belong to other messages.
    case newEpoch
}

extension Ingest {
    /// Records that all channels may have changed, before the feed restarts.
    ///
    /// The stored history becomes stale. A gap at the newest end represents messages that the feed
    /// has not reported. In a new epoch, messages in gaps are kept only if the user sent them,
    /// because the server may have accepted them in it.
    mutating func recordLoss(
        _ loss: HistoryLoss, _ epoch: ServerEpoch? = nil
    ) throws(StoreError) {
        let number = (try batch.lossCount()) + 1
        if loss == .newEpoch, let last = try batch.lastEpoch() {
            batch.setFormerEpoch(FormerEpoch(last, losses: number...number))
        }
        for url in try batch.channelURLs() {
            if loss == .newEpoch { try removeHistoryBeginning(of: url) }
            try openGapAtNewestEnd(in: url, since: nil)
            try changeGaps(of: url) { gap in
                if loss == .newEpoch { gap.backfillCursor = nil }
                // All stored messages are fetched again, so no changelog is needed.
                gap.changesSince = nil
            }
            if loss == .newEpoch { try isolateSentMessages(in: url) }
            try markKnownRangesStale(url, number)
            if loss == .newEpoch {
                try removeTombstones(in: url)
                try removeMessagesInGaps(of: url)
                batch.setMessageChangelogToken(nil, of: url)
            }
            invalidateKnowledge(of: url)
        }
        if loss == .newEpoch { batch.setChannelChangelogToken(nil) }
        flights.voidAll()
        let last = try batch.lastEpoch()
        batch.setLastEpoch(epoch ?? last)
        batch.setFeedToken(nil)
        batch.setHasAllChannels(false)
        batch.setLossCount(number)
    }

    /// The server may have lost the user's reset of the history.
    private mutating func removeHistoryBeginning(of url: ChannelURL) throws(StoreError) {
        guard let stored = try batch.groupChannel(url), stored.historyBeginning != nil else {
            return
        }
        var channel = stored
        channel.messageOffset = nil
        channel.messagePurgeOffset = nil
        try save(channel, over: stored, .channelBackgroundSync)
    }

    mutating func markKnownHistoryStale(of url: ChannelURL) throws(StoreError) {
        flights.void(url)
        try changeGaps(of: url) { $0.changesSince = nil }
        try markKnownHistoryStale(of: url, from: .beginning, to: .end)
    }

    mutating func markKnownHistoryStale(
        of url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) {
        let number = (try batch.lossCount()) + 1
        try markKnownRangesStale(url, number, from: lower, to: upper)
        try batch.limitKindCoverage(of: url, to: upper)
        batch.setLossCount(number)
        invalidateKnowledge(of: url)
    }

    private func markKnownRangesStale(
        _ url: ChannelURL, _ number: Int64, from first: Gap.Bound = .beginning,
        to last: Gap.Bound = .end
    ) throws(StoreError) {
        try keepFormerEpoch(of: url, number)
        var lower = Gap.Bound.beginning
        var known: [(lower: Gap.Bound, upper: Gap.Bound)] = []
        for gap in try batch.gaps(in: url) {
            if lower != .beginning || gap.lower != .beginning { known.append((lower, gap.lower)) }
            lower = gap.upper
        }
        if lower != .end { known.append((lower, .end)) }
        for (lower, upper) in known {
            let (lower, upper) = (max(lower.before, first), min(upper.after, last))
            guard lower < upper else { continue }
            try batch.markStale(StaleRange(in: url, from: lower, to: upper, lossNumber: number))
        }
    }

    /// Adds a loss to those of the former epoch if a channel still has messages of it: new stale
    /// ranges are merged with those of that epoch.
    private func keepFormerEpoch(of url: ChannelURL, _ number: Int64) throws(StoreError) {
        guard let former = try batch.formerEpoch(), !former.losses.contains(number),
            try batch.staleRanges(in: url).contains(where: { former.losses.contains($0.lossNumber) }
            )
        else { return }
        // The rows of a plain store may contain any numbers.
        let (first, last) = (former.losses.lowerBound, former.losses.upperBound)
        batch.setFormerEpoch(
            FormerEpoch(former.epoch, losses: min(first, number)...max(last, number)))
    }

    /// Divides the gaps at the messages that the user has sent: these become stale, and stay until
    /// a page or a lookup finds out whether the server has them.
    private func isolateSentMessages(in url: ChannelURL) throws(StoreError) {
        for gap in try batch.gaps(in: url) {
            for position in try batch.positions(in: url, from: gap.lower, to: gap.upper) {
                let message = try batch.message(position.messageID, in: url)
                guard let message, message.requestID != nil, message.sender?.userID == userID
                else { continue }
                try batch.cover(url, from: .position(position), through: .position(position))
            }
        }
    }

    /// Their IDs may now belong to other messages.
    private func removeMessagesInGaps(of url: ChannelURL) throws(StoreError) {
        for gap in try batch.gaps(in: url) {
            for position in try batch.positions(in: url, from: gap.lower, to: gap.upper) {
                try batch.removeMessage(position.messageID, in: url, source: .messageFill)
            }
        }
    }

    private func removeTombstones(in url: ChannelURL) throws(StoreError) {
        guard try batch.hasTombstones(in: url) else { return }
        for tombstone in try batch.tombstones(in: url) {
            try batch.removeTombstone(of: tombstone.messageID, in: url)
        }
    }
}

extension Gap.Bound {
    init(before time: Timestamp) {
        self = .position(Position(createdAt: time, messageID: ""))
    }

    init(after time: Timestamp) {
        self = time.next.map { Gap.Bound(before: $0) } ?? .end
    }

    /// The bound before all messages of this bound's time.
    var before: Gap.Bound {
        guard case .position(let position) = self else { return self }
        return Gap.Bound(before: position.createdAt)
    }

    /// The bound after all messages of this bound's time.
    var after: Gap.Bound {
        guard case .position(let position) = self else { return self }
        return Gap.Bound(after: position.createdAt)
    }
}
