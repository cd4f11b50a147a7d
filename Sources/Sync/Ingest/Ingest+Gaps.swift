import Models
import Store

extension Ingest {
    /// Closes the gaps in a range.
    ///
    /// If the changelog since a gap's truncation was not read yet, the gap is kept, but made as
    /// small as possible.
    func cover(
        _ extent: PageExtent, in url: ChannelURL, _ backfillCursor: PageCursor?
    ) throws(StoreError) {
        let kept = try batch.gaps(in: url).filter {
            $0.changesSince != nil && extent.from <= $0.lower && $0.upper <= extent.through
        }
        var from = extent.from
        for gap in kept {
            let held = try batch.positions(in: url, from: gap.lower, to: gap.upper)
            let end = held.last.map(Gap.Bound.position) ?? gap.upper
            if from <= gap.lower { try batch.cover(url, from: from, through: gap.lower) }
            from = end
        }
        if from <= extent.through {
            try batch.cover(
                url, from: from, through: extent.through,
                backfillCursor: kept.isEmpty ? backfillCursor : nil)
        }
    }

    /// Moves the cursor of a gap to the end of a page that ended before it reached the gap: the
    /// anchor may be a time that many messages have.
    func moveBackfillCursor(
        in url: ChannelURL, at upper: Gap.Bound, after page: MessagePage
    ) throws(StoreError) {
        guard let first = page.orderedPositions.first, upper <= .position(first),
            let cursor = page.older
        else { return }
        try moveBackfillCursor(in: url, at: upper, to: cursor)
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
