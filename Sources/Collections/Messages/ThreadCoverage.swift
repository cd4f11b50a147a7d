import Models
import Store
import Sync

/// The coverage of a thread: which ranges of its replies are complete, missing or stale.
///
/// The gaps of a thread are those of the channel, minus the ranges that pages of replies have
/// covered. Because the feed reports every reply, a covered range stays complete until the feed
/// omits messages. Covered ranges are not stored, because a stored gap applies to all messages of
/// the channel.
struct ThreadCoverage {
    let parentID: MessageID
    private var channelGaps: [Gap.Bound: Gap]
    /// The ranges that pages of replies have covered, without overlaps.
    private(set) var covered: [ClosedRange<Gap.Bound>] = []
    /// `true` if the shown replies have to be fetched again: the feed may have omitted changes.
    var isStale = false
    /// The number of times that the feed has omitted messages; a page that was requested before the
    /// last omission covers no range.
    private(set) var omissions = 0

    init(of parentID: MessageID, in channelURL: ChannelURL) {
        self.parentID = parentID
        channelGaps = [.end: Gap(in: channelURL)]
    }

    // MARK: Gaps

    var gaps: [Gap] { remaining(of: channelGaps.values.sorted { $0.upper < $1.upper }) }

    mutating func readGaps(
        of channelURL: ChannelURL, in reader: some StoreReader
    ) throws(StoreError) -> [Gap] {
        let found = try reader.gaps(in: channelURL)
        channelGaps = Dictionary(uniqueKeysWithValues: found.map { ($0.upper, $0) })
        return remaining(of: found)
    }

    func remaining(of gaps: [Gap]) -> [Gap] {
        gaps.flatMap { gap in
            var parts: [Gap] = []
            var lower = gap.lower
            for range in covered where gap.lower < range.upperBound && range.lowerBound < gap.upper
            {
                if lower < range.lowerBound { parts.append(gap.part(lower, range.lowerBound)) }
                lower = max(lower, range.upperBound)
            }
            if lower < gap.upper { parts.append(gap.part(lower, gap.upper)) }
            return parts
        }
    }

    // MARK: Pages

    mutating func cover(from lower: Gap.Bound, through upper: Gap.Bound) {
        var range = lower...upper
        covered.removeAll { other in
            guard other.overlaps(range) else { return false }
            range =
                min(range.lowerBound, other.lowerBound)...max(range.upperBound, other.upperBound)
            return true
        }
        covered.append(range)
        covered.sort { $0.lowerBound < $1.lowerBound }
    }

    private mutating func removeCoverage(from lower: Gap.Bound, to upper: Gap.Bound) {
        covered = covered.flatMap { range -> [ClosedRange<Gap.Bound>] in
            guard range.lowerBound < upper, lower < range.upperBound else { return [range] }
            var parts: [ClosedRange<Gap.Bound>] = []
            if range.lowerBound < lower { parts.append(range.lowerBound...lower) }
            if upper < range.upperBound { parts.append(upper...range.upperBound) }
            return parts
        }
    }

    // MARK: Following

    /// Updates the coverage for a change; `newest` is the position of the newest reply shown
    /// before.
    mutating func apply(
        _ change: Change, shownFrom lower: Gap.Bound, to upper: Gap.Bound, newest: Gap.Bound,
        in channelURL: ChannelURL
    ) {
        var (replacedGaps, replacedStaleRanges) = (ReplacedRanges(), ReplacedRanges())
        for operation in change.operations {
            switch operation {
            case .savedGap(let gap) where gap.channelURL == channelURL:
                // A saved gap with the known bounds has only another backfill state.
                let isUpdated = channelGaps[gap.upper]?.lower == gap.lower
                channelGaps[gap.upper] = gap
                let isPart = replacedGaps.save(from: gap.lower, to: gap.upper)
                if !isUpdated, !isPart { omit(gap, newest) }
            case .removedGap(let gap) where gap.channelURL == channelURL:
                channelGaps[gap.upper] = nil
                replacedGaps.remove(from: gap.lower, to: gap.upper)
            case .savedStaleRange(let range) where range.channelURL == channelURL:
                let isPart = replacedStaleRanges.save(from: range.lower, to: range.upper)
                if !isPart, range.lower < upper, lower < range.upper { isStale = true }
            case .removedStaleRange(let range) where range.channelURL == channelURL:
                replacedStaleRanges.remove(from: range.lower, to: range.upper)
            case .clearedMessages(channelURL), .removedChannel(channelURL), .clearedCachedData,
                .replacedCache:
                channelGaps = [.end: Gap(in: channelURL)]
                fallthrough
            case .missed:
                covered = []
                isStale = true
                omissions += 1
            default: break
            }
        }
    }

    private mutating func omit(_ gap: Gap, _ newest: Gap.Bound) {
        // A new gap at the newest end comes from a truncation of the feed: the omitted messages are
        // newer than the newest known reply. Any other new gap comes from an eviction between its
        // bounds.
        removeCoverage(from: gap.upper == .end ? max(gap.lower, newest) : gap.lower, to: gap.upper)
        if gap.upper == .end, covered.last?.upperBound == .end {
            // Only the upper bound of this range is left.
            covered.removeLast()
        }
        isStale = true
        omissions += 1
    }
}

extension Gap {
    fileprivate func part(_ lower: Bound, _ upper: Bound) -> Gap {
        // The stored gap's backfill cursor is not for requests of the thread.
        Gap(in: channelURL, from: lower, to: upper)
    }
}

/// Distinguishes new gaps and new stale ranges from the remaining parts of removed ones.
///
/// The store removes stored ranges that a new one overlaps, and saves the merged range. Of a stored
/// range that a page covers partly, it saves the remaining parts.
private struct ReplacedRanges {
    private var removed: [ClosedRange<Gap.Bound>] = []
    private var isSaved = false

    mutating func remove(from lower: Gap.Bound, to upper: Gap.Bound) {
        if isSaved { (removed, isSaved) = ([], false) }
        removed.append(lower...upper)
    }

    /// Records a saved range, and returns `true` if it is a part of a removed one.
    mutating func save(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        isSaved = true
        return removed.contains {
            $0.lowerBound <= lower && upper <= $0.upperBound && $0 != lower...upper
        }
    }
}
