public import Models

/// The bound down to which the messages of a kind were fetched inside the gaps of a channel.
///
/// If a server can filter by kind, a list fetches only the pictures of a channel. They are stored
/// inside the gaps, which stay, because the coverage concerns only lists of the kind.
public struct KindCoverage: Hashable, Sendable {
    /// The URL of the channel.
    public let channelURL: ChannelURL

    /// A single kind.
    public let kind: MessageKinds

    /// The bound above which the cache has every message of the kind, even inside gaps.
    public let lower: Gap.Bound

    /// The server's cursor with which the pages of the kind continue; `nil` if they continue at
    /// ``lower``.
    public let cursor: PageCursor?

    package init(
        _ kind: MessageKinds, in channelURL: ChannelURL, downTo lower: Gap.Bound,
        cursor: PageCursor? = nil
    ) {
        self.channelURL = channelURL
        self.kind = kind
        self.lower = lower
        self.cursor = cursor
    }
}

extension KindCoverage: CustomStringConvertible {
    /// The channel, the kind and the bound, such as "general: image down to 1700000000000/42".
    public var description: String { "\(channelURL): \(kind) down to \(lower)" }
}

/// The gaps and stale ranges of a channel, and the coverage of kinds inside of them.
package struct KindGaps: Hashable, Sendable {
    private let channelURL: ChannelURL
    private var gaps: [Gap.Bound: Gap]
    private var staleRanges: [Gap.Bound: StaleRange]
    private var coverage: [MessageKinds: KindCoverage]

    package init(_ channelURL: ChannelURL) {
        self.init(channelURL, [Gap(in: channelURL)])
    }

    fileprivate init(
        _ channelURL: ChannelURL, _ gaps: [Gap], stale staleRanges: [StaleRange] = [],
        coverage: [KindCoverage] = []
    ) {
        self.channelURL = channelURL
        self.gaps = Dictionary(uniqueKeysWithValues: gaps.map { ($0.upper, $0) })
        self.staleRanges = Dictionary(uniqueKeysWithValues: staleRanges.map { ($0.upper, $0) })
        self.coverage = Dictionary(uniqueKeysWithValues: coverage.map { ($0.kind, $0) })
    }

    /// Returns the newest part of a gap or stale range in which messages of some kinds may be
    /// missing; `nil` if none are.
    ///
    /// A page of the kinds begins at its backfill cursor.
    package func newest(of kinds: MessageKinds) -> Gap? {
        let coverage = kinds.singleKinds.map { self.coverage[$0] }
        let reached = coverage.map { $0?.lower ?? .end }.max() ?? .end
        let stale = staleRanges.values.filter { $0.lossNumber != StaleRange.singleMessage }
            .map { Gap(in: channelURL, from: $0.lower, to: $0.upper) }
        let newest = (Array(gaps.values) + stale).filter { $0.lower < reached }
            .max { $0.upper < $1.upper }
        guard var gap = newest, reached <= gap.upper else { return newest }
        // A cursor of one kind may have passed messages of another.
        let cursors = Set(coverage.filter { $0?.lower ?? .end == reached }.map { $0?.cursor })
        let cursor = cursors.count == 1 ? cursors.first ?? nil : nil
        if cursor != nil || reached < gap.upper { gap.backfillCursor = cursor }
        gap.upper = reached
        return gap
    }

    package mutating func apply(_ operation: Change.Operation) {
        switch operation {
        case .savedGap(let gap): gaps[gap.upper] = gap
        case .removedGap(let gap): gaps[gap.upper] = nil
        case .savedStaleRange(let range): staleRanges[range.upper] = range
        case .removedStaleRange(let range): staleRanges[range.upper] = nil
        case .savedKindCoverage(let kind): coverage[kind.kind] = kind
        case .removedKindCoverage(let kind): coverage[kind.kind] = nil
        case .clearedMessages, .removedChannel: self = KindGaps(channelURL)
        default: break
        }
    }
}

// MARK: Reading

extension StoreReader {
    /// Returns the coverage of a channel's kinds.
    public func kindCoverage(in url: ChannelURL) throws(StoreError) -> [KindCoverage] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        var found: [KindCoverage] = []
        let cache = view.cache
        try cache.forEachRow(in: KeyRange(.kindCoverage, number)) {
            (key, value) throws(StoreError) in
            found.append(try cache.kindCoverage(key, value, in: url))
        }
        return found
    }

    package func kindGaps(in url: ChannelURL) throws(StoreError) -> KindGaps {
        KindGaps(
            url, try gaps(in: url), stale: try staleRanges(in: url),
            coverage: try kindCoverage(in: url))
    }
}

extension Rows {
    fileprivate func kindCoverage(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in url: ChannelURL
    ) throws(StoreError) -> KindCoverage {
        let bit = try decode(key.afterChannelNumber, as: "the key of a kind's coverage") {
            (reader) throws(ByteReader.Damage) in try KindKey.bit(&reader)
        }
        return try decode(value, as: "the coverage of a kind") {
            (reader) throws(ByteReader.Damage) in
            let (lower, cursor) = (try reader.bound(), try reader.optional())
            return KindCoverage(
                MessageKinds(rawValue: 1 << bit), in: url, downTo: lower,
                cursor: cursor.map { PageCursor($0) })
        }
    }
}

// MARK: Writing

extension Batch {
    package func save(_ coverage: KindCoverage) throws(StoreError) {
        if case .position(let position) = coverage.lower {
            try checkName(position.messageID.rawValue, "the id of a message")
        }
        let number = try number(assigningTo: coverage.channelURL)
        rows.cache.put(
            { $0.kindCoverageKey(number, coverage.kind) },
            { (value) in
                value.bound(coverage.lower)
                value.optional(coverage.cursor?.rawValue)
            })
        record(.savedKindCoverage(coverage))
    }

    /// Ends the coverage of kinds at a bound, below which messages of them may be missing.
    package func limitKindCoverage(
        of url: ChannelURL, kinds: MessageKinds = .all, to lower: Gap.Bound = .end
    ) throws(StoreError) {
        guard let number = try number(of: url) else { return }
        for coverage in try kindCoverage(in: url)
        where kinds.contains(coverage.kind) && coverage.lower <= lower {
            if lower == .end {
                rows.cache.remove { $0.kindCoverageKey(number, coverage.kind) }
                record(.removedKindCoverage(coverage))
            } else {
                // The cursor may have passed missing messages.
                try save(KindCoverage(coverage.kind, in: url, downTo: lower))
            }
        }
    }
}

extension ByteWriter {
    fileprivate mutating func kindCoverageKey(_ channel: ChannelNumber, _ kind: MessageKinds) {
        table(.kindCoverage, channel)
        byte(UInt8(kind.rawValue.trailingZeroBitCount))
    }
}
