import Models
import Store

// What is kept no longer leaves a gap behind, in the batch that takes it out.
extension SyncCore {
    /// Removes the oldest messages of a channel, unless somebody shows it by now.
    ///
    /// - Returns: How many were removed, and the oldest message that is left.
    mutating func evict(
        _ count: Int, in url: ChannelURL, from first: Gap.Bound
    ) throws(SyncError) -> (removed: Int, left: Gap.Bound) {
        guard !isInUse(url) else { return (0, first) }
        let evicted = write { (ingest) throws(StoreError) in
            try ingest.evict(count, in: url, from: first)
        }
        guard let evicted else {
            throw unwritten("messages could not be removed")
        }
        if evicted.removed > 0 && !healing.isKept(url) {
            stopHealing(url)
            healing.look(at: url)
        }
        return evicted
    }

    /// Notes that a channel was opened.
    mutating func noteAccess(to url: ChannelURL) {
        write { (ingest) throws(StoreError) in
            guard try ingest.batch.hasNumber(url) else { return }
            try ingest.batch.noteAccess(to: url)
        }
    }

    /// Whether somebody shows a channel, or waits for it.
    func isInUse(_ url: ChannelURL) -> Bool { healing.isShown(url) || healing.isAwaited(url) }

    /// Whether nothing of a channel is to be on the disk now.
    func isUnkept(_ url: ChannelURL) -> Bool {
        guard let retention = limits.retention else { return false }
        return retention(url) == .whileShown && !isInUse(url)
    }

    /// Takes out again what a batch brought of channels of which nothing is kept now.
    func removeUnkept(_ ingest: inout Ingest) throws(StoreError) {
        guard limits.retention != nil else { return }
        for url in ingest.batch.channelsWithSavedMessages.sorted() where isUnkept(url) {
            try ingest.evict(.max, in: url, from: .beginning)
        }
    }
}

extension Ingest {
    @discardableResult
    fileprivate mutating func evict(
        _ count: Int, in url: ChannelURL, from first: Gap.Bound
    ) throws(StoreError) -> (removed: Int, left: Gap.Bound) {
        // A page that is on its way may end at a message that is there no more.
        flights.void(url)
        forget(url)
        let evicted = try batch.evictOldestMessages(count, in: url, from: first)
        if evicted.left == .end {
            batch.setUntold(nil, of: url)
            batch.setMessageChangelogToken(nil, of: url)
        }
        return evicted
    }
}
