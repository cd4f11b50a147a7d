import Models
import Store
import Sync

/// The coverage of a channel, its gaps, and their backfill.
struct ChannelReport: Encodable, Sendable {
    var url: String
    var name: String
    var isKeptInCache: Bool
    var messageCount: Int
    var tombstoneCount: Int
    var bar: CoverageBar
    var gaps: [Gap]
    var kinds: [Kind]
    var activity: [String]

    struct Kind: Encodable, Sendable {
        var name: String
        /// The number of stored messages; `nil` if they are too many to count.
        var count: Int?
        /// The bound below which messages may be missing, if any.
        var missingBelow: String?
    }

    struct Gap: Encodable, Sendable {
        var lower: String
        var upper: String
        /// The number of stored messages inside the gap, which arrived alone.
        var inside: Int
        /// `true` if a page at the upper bound was fetched.
        var hasCursor: Bool
        /// `true` if the changelog since the gap's truncation still has to be read.
        var hasChanges: Bool
    }

    init(
        of url: ChannelURL, for userID: UserID?, _ activity: [String], in reader: Snapshot,
        _ mask: TextMask
    ) throws(StoreError) {
        self.url = url.rawValue
        let groupChannel = try reader.groupChannel(url)
        let openChannel = groupChannel == nil ? try reader.openChannel(url) : nil
        name = mask.shown(groupChannel?.name ?? openChannel?.name ?? "")
        isKeptInCache = try reader.isKeptInCache(url)
        messageCount = try reader.messageCount(in: url)
        tombstoneCount = try reader.tombstoneCount(in: url)
        bar = try CoverageBar(of: url, in: reader)
        var gaps: [Gap] = []
        for gap in try reader.gaps(in: url) {
            gaps.append(
                Gap(
                    lower: gap.lower.description, upper: gap.upper.description,
                    inside: try reader.messageCount(in: url, from: gap.lower, to: gap.upper),
                    hasCursor: gap.backfillCursor != nil, hasChanges: gap.changesSince != nil))
        }
        self.gaps = gaps
        kinds = []
        let (kindGaps, isCounted) = (
            try reader.kindGaps(in: url), messageCount <= CoverageBar.countLimit
        )
        for kind in MessageKinds.names {
            kinds.append(
                Kind(
                    name: kind.name,
                    count: isCounted
                        ? try reader.messageCount(of: kind.kind, for: userID, in: url) : nil,
                    missingBelow: kindGaps.newest(of: kind.kind)?.upper.description))
        }
        self.activity = activity
    }
}

struct CoverageBar: Encodable, Sendable {
    var oldest: Int64?
    var newest: Int64?
    var parts: [Part]

    /// A range with one kind of coverage; a bound at an end of the history has no time.
    struct Part: Encodable, Sendable {
        var kind: String
        var lower: Int64?
        var upper: Int64?
        var count: Int?
    }

    /// The number of a channel's messages up to which those of each range are counted.
    fileprivate static let countLimit = 20_000

    init(of url: ChannelURL, in reader: Snapshot) throws(StoreError) {
        oldest = try reader.oldestPosition(in: url)?.createdAt.milliseconds
        newest = try reader.newestPosition(in: url)?.createdAt.milliseconds
        let isCounted = try reader.messageCount(in: url) <= CoverageBar.countLimit
        let gaps = try reader.gaps(in: url)
        let stale = try reader.staleRanges(in: url)
        let bounds = Set(gaps.flatMap { [$0.lower, $0.upper] })
            .union(stale.flatMap { [$0.lower, $0.upper] })
            .union([.beginning, .end]).sorted()
        parts = []
        for (lower, upper) in zip(bounds, bounds.dropFirst()) {
            if gaps.contains(where: { $0.lower < upper && lower < $0.upper }) {
                try addMissing(from: lower, to: upper, of: url, in: reader)
            } else {
                let isStale = stale.contains { $0.lower < upper && lower < $0.upper }
                let count =
                    isCounted ? try reader.messageCount(in: url, from: lower, to: upper) : nil
                add(isStale ? "stale" : "known", from: lower, to: upper, count: count)
            }
        }
    }

    /// Adds the parts of a gap, or of a piece of one.
    ///
    /// The range of messages that arrived alone in the gap is shown as untrusted, because messages
    /// between them may be missing.
    private mutating func addMissing(
        from lower: Store.Gap.Bound, to upper: Store.Gap.Bound, of url: ChannelURL,
        in reader: Snapshot
    ) throws(StoreError) {
        func end(isNewest: Bool) throws(StoreError) -> Position? {
            try reader.messages(
                in: url, from: lower, to: upper, isNewestFirst: isNewest, limit: 1
            ).first?.position
        }
        guard let oldest = try end(isNewest: false), let newest = try end(isNewest: true) else {
            add("missing", from: lower, to: upper)
            return
        }
        add("missing", from: lower, to: .position(oldest))
        add(
            "untrusted", from: .position(oldest), to: .position(newest),
            count: try reader.messageCount(in: url, from: lower, to: upper))
        add("missing", from: .position(newest), to: upper)
    }

    private mutating func add(
        _ kind: String, from lower: Store.Gap.Bound, to upper: Store.Gap.Bound, count: Int? = 0
    ) {
        parts.append(
            Part(
                kind: kind, lower: lower.milliseconds, upper: upper.milliseconds, count: count))
    }
}

extension Store.Gap.Bound {
    fileprivate var milliseconds: Int64? {
        if case .position(let position) = self { position.createdAt.milliseconds } else { nil }
    }
}
