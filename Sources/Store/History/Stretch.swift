import Models

/// What gaps and stale ranges have in common: all positions strictly between two bounds of one
/// channel, and how such rows are cut and joined.
///
/// The stretches of a table never overlap. Two of them may share a bound: the one message between
/// them is known.
protocol Stretch: Hashable, Sendable {
    static var table: Table { get }

    var channelURL: ChannelURL { get }
    var lower: Gap.Bound { get set }
    var upper: Gap.Bound { get set }

    /// Takes over the extent of another stretch, and what it knew that is still of use.
    mutating func absorb(_ other: Self)

    /// What is told when one is there, and when it is no more.
    var saved: Change.Operation { get }
    var removed: Change.Operation { get }

    func writeValue(to writer: inout ByteWriter)
    init(_ channelURL: ChannelURL, upper: Gap.Bound, value: inout ByteReader)
        throws(ByteReader.Damage)
}

extension Stretch {
    /// Takes the closed range from one bound to another out of the stretch.
    ///
    /// Returns what is left of it, older part first: nothing, one part or two.
    func carved(from first: Gap.Bound, through last: Gap.Bound) -> [Self] {
        guard first < upper && lower < last else { return [self] }
        var parts: [Self] = []
        if lower < first {
            var older = self
            older.upper = first
            parts.append(older)
        }
        if last < upper {
            var newer = self
            newer.lower = last
            parts.append(newer)
        }
        return parts
    }

    /// Whether some position may lie in both.
    ///
    /// Sharing a bound is no overlap.
    func overlaps(from lower: Gap.Bound, to upper: Gap.Bound) -> Bool {
        self.lower < upper && lower < self.upper
    }
}

// MARK: Gaps

extension Gap: Stretch {
    static var table: Table { .gap }

    mutating func absorb(_ other: Gap) {
        // The walk goes from the newer end, so the cursor of the gap that has it is the one to keep.
        if upper < other.upper { walkCursor = other.walkCursor }
        if upper == other.upper { walkCursor = walkCursor ?? other.walkCursor }
        // The changes since an earlier point are also those since a later one.
        changesSince = [changesSince, other.changesSince].compactMap { $0 }.min()
        lower = min(lower, other.lower)
        upper = max(upper, other.upper)
    }

    var saved: Change.Operation { .savedGap(self) }
    var removed: Change.Operation { .removedGap(self) }

    func writeValue(to writer: inout ByteWriter) {
        writer.bound(lower)
        writer.optional(walkCursor?.rawValue)
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
            walkCursor: try value.optional().map { PageCursor($0) },
            changesSince: try value.optionalFeedPoint())
    }
}

// MARK: Stale ranges

extension StaleRange: Stretch {
    static var table: Table { .staleRange }

    mutating func absorb(_ other: StaleRange) {
        // Verified is what was fetched after the last loss.
        epoch = max(epoch, other.epoch)
        lower = min(lower, other.lower)
        upper = max(upper, other.upper)
    }

    var saved: Change.Operation { .savedStaleRange(self) }
    var removed: Change.Operation { .removedStaleRange(self) }

    func writeValue(to writer: inout ByteWriter) {
        writer.bound(lower)
        writer.integer(epoch)
    }

    init(_ channelURL: ChannelURL, upper: Gap.Bound, value: inout ByteReader)
        throws(ByteReader.Damage)
    {
        let lower = try value.bound()
        guard lower < upper else {
            throw ByteReader.Damage(offset: 0, expected: "a lower bound below the upper one")
        }
        self.init(in: channelURL, from: lower, to: upper, epoch: try value.integer())
    }
}
