import Models
import Store

/// Why what was known of the server's history is known no more.
public enum HistoryLoss: Hashable, Sendable {
    /// The feed cannot tell what happened since the cursor that was held.
    case expiredCursor
    /// The server has another history: ids, versions and cursors may have gone back.
    case newEpoch
}

extension Ingest {
    /// Writes down that all channels may have changed, before the feed begins anew.
    ///
    /// What is held stays, and is marked as stale; what may have come since is a gap at the newest end.
    /// - Complexity: O(*c*) in the channels, with some lookups for each.
    mutating func lose(_ loss: HistoryLoss) throws(StoreError) {
        let number = (try batch.lossCount()) + 1
        for url in try batch.channelURLs() {
            try openHole(in: url, nil, since: nil)
            try forgetWalks(in: url, loss)
            if try batch.messageCount(in: url) > 0 {
                try batch.markStale(StaleRange(in: url, epoch: number))
            }
            if loss == .newEpoch { try forgetTombstones(in: url) }
            forget(url)
        }
        flights.voidAll()
        batch.setFeed(nil)
        batch.setLossCount(number)
    }

    /// Forgets where walks were that lead nowhere now, and changes that are read with all others.
    private func forgetWalks(in url: ChannelURL, _ loss: HistoryLoss) throws(StoreError) {
        for gap in try batch.gaps(orAll: url) {
            var changed = gap
            // Since the newest gap's cursor was told, the feed has told nothing of what came.
            if loss == .newEpoch || gap.upper == .end { changed.walkCursor = nil }
            changed.changesSince = nil
            if changed != gap { try batch.update(changed) }
        }
    }

    private func forgetTombstones(in url: ChannelURL) throws(StoreError) {
        guard try batch.hasTombstones(in: url) else { return }
        for tombstone in try batch.tombstones(orNone: url) {
            try batch.removeTombstone(of: tombstone.messageID, in: url)
        }
    }
}
