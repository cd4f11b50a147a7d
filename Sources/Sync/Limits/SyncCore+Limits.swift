import Models
import Store

// A write that evicts messages also adds a gap in their place.
extension SyncCore {
    /// Removes the oldest messages of a channel, unless it is in use, and returns their number and
    /// the position of the oldest remaining message.
    mutating func evict(
        _ count: Int, in url: ChannelURL, from first: Gap.Bound
    ) throws(SyncError) -> (removed: Int, left: Gap.Bound) {
        guard !isInUse(url) else { return (0, first) }
        let evicted = try write(orFail: "messages could not be removed") {
            (ingest) throws(StoreError) in
            try ingest.evict(count, in: url, from: first)
        }
        if evicted.removed > 0 && !backfill.isKeptUpToDate(url) {
            stopBackfill(of: url)
            backfill.enqueue(url)
        }
        return evicted
    }

    mutating func recordAccess(to url: ChannelURL) {
        write { (ingest) throws(StoreError) in
            guard try ingest.batch.hasNumber(url) else { return }
            try ingest.batch.recordAccess(to: url)
        }
    }

    func isInUse(_ url: ChannelURL) -> Bool { backfill.isShown(url) || backfill.isAwaited(url) }

    func mustNotBeCached(_ url: ChannelURL) -> Bool {
        guard let retention = limits.retention else { return false }
        return retention(url) == .whileShown && !isInUse(url)
    }

    /// Removes messages that a write has added to channels without messages on disk.
    func removeMessagesThatMustNotBeCached(_ ingest: inout Ingest) throws(StoreError) {
        guard limits.retention != nil else { return }
        for url in ingest.batch.channelsWithSavedMessages.sorted() where mustNotBeCached(url) {
            try ingest.evict(.max, in: url, from: .beginning)
        }
    }
}

extension Ingest {
    @discardableResult
    fileprivate mutating func evict(
        _ count: Int, in url: ChannelURL, from first: Gap.Bound
    ) throws(StoreError) -> (removed: Int, left: Gap.Bound) {
        // A request's anchor may be a message that is removed here.
        flights.void(url)
        invalidateKnowledge(of: url)
        let evicted = try batch.evictOldestMessages(count, in: url, from: first)
        if evicted.left == .end {
            batch.setUnreported(nil, of: url)
            batch.setMessageChangelogToken(nil, of: url)
        }
        return evicted
    }
}
