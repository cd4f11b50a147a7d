import Models

/// A range of a channel's history strictly between two bounds: a gap or a stale range.
///
/// The ranges of one table never overlap. If two of them share a bound, the message at that bound
/// is known.
protocol HistoryRange: Hashable, Sendable {
    static var table: Table { get }

    var channelURL: ChannelURL { get }
    var lower: Gap.Bound { get set }
    var upper: Gap.Bound { get set }

    /// Extends this range to contain another one, and merges the other values, such as a cursor.
    mutating func absorb(_ other: Self)

    var saved: Change.Operation { get }
    var removed: Change.Operation { get }

    func writeValue(to writer: inout ByteWriter)
    init(_ channelURL: ChannelURL, upper: Gap.Bound, value: inout ByteReader)
        throws(ByteReader.Damage)
}

extension HistoryRange {
    func overlaps(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        self.lower < upper && lower < self.upper
    }
}

// MARK: Gaps

extension Gap: HistoryRange {
    static var table: Table { .gap }

    mutating func absorb(_ other: Gap) {
        // A backfill starts at the upper bound, so the cursor of the newer upper bound applies.
        if upper < other.upper { backfillCursor = other.backfillCursor }
        if upper == other.upper { backfillCursor = backfillCursor ?? other.backfillCursor }
        // The changelog since the earlier point includes the changes since the later one.
        changesSince = [changesSince, other.changesSince].compactMap { $0 }.min()
        lower = min(lower, other.lower)
        upper = max(upper, other.upper)
    }

    var saved: Change.Operation { .savedGap(self) }
    var removed: Change.Operation { .removedGap(self) }

    func writeValue(to writer: inout ByteWriter) {
        writer.bound(lower)
        writer.optional(backfillCursor?.rawValue)
        writer.optional(changesSince)
    }

    init(_ channelURL: ChannelURL, upper: Bound, value: inout ByteReader)
        throws(ByteReader.Damage)
    {
        let lower = try value.bound()
        guard lower < upper else {
            throw ByteReader.Damage(offset: 0, expected: "a lower bound below the upper one")
        }
        self.init(
            in: channelURL, from: lower, to: upper,
            backfillCursor: try value.optional().map { PageCursor($0) },
            changesSince: try value.optionalFeedPoint())
    }
}

// MARK: Stale ranges

extension StaleRange: HistoryRange {
    static var table: Table { .staleRange }

    mutating func absorb(_ other: StaleRange) {
        // Data is verified only if it was fetched after the later loss.
        lossNumber = max(lossNumber, other.lossNumber)
        lower = min(lower, other.lower)
        upper = max(upper, other.upper)
    }

    var saved: Change.Operation { .savedStaleRange(self) }
    var removed: Change.Operation { .removedStaleRange(self) }

    func writeValue(to writer: inout ByteWriter) {
        writer.bound(lower)
        writer.integer(lossNumber)
    }

    init(_ channelURL: ChannelURL, upper: Gap.Bound, value: inout ByteReader)
        throws(ByteReader.Damage)
    {
        let lower = try value.bound()
        guard lower < upper else {
            throw ByteReader.Damage(offset: 0, expected: "a lower bound below the upper one")
        }
        self.init(in: channelURL, from: lower, to: upper, lossNumber: try value.integer())
    }
}
