public import Models

extension Batch {
    /// Opens a gap: the history between its bounds becomes unknown.
    ///
    /// Gaps that overlap the new gap are merged into it. The merged gap keeps the earliest
    /// `changesSince`, and the backfill cursor of the newest upper bound. In it and below it,
    /// messages of every kind may be missing.
    ///
    /// - Throws: `invalid` if the bounds are equal, if the channel has no URL, or if a name is
    ///   longer than 65,535 bytes.
    public func open(_ gap: Gap) throws(StoreError) {
        try put(gap)
        try limitKindCoverage(of: gap.channelURL, to: gap.upper)
    }

    /// Opens a gap to `upper` for messages that are about to be removed, of which `newest` is the
    /// newest.
    ///
    /// A backfill cursor means that the gap's messages that are newer than it are stored. If one of
    /// them is removed, the backfill has to begin again.
    func openGap(
        in url: ChannelURL, to upper: Gap.Bound, removing newest: Position
    ) throws(StoreError) {
        let former = try gap(around: newest, in: url)
        try open(Gap(in: url, to: upper))
        guard former?.backfillCursor != nil,
            var gap = try gaps(in: url, from: .beginning, to: upper).first
        else { return }
        gap.backfillCursor = nil
        try update(gap)
    }

    /// Closes the gaps from `first` through `last`, because the history between these bounds is now
    /// known.
    ///
    /// A gap that extends beyond one bound shrinks; one that extends beyond both is divided, and
    /// its newer part keeps the backfill cursor. A channel without stored data has one gap: its
    /// whole history.
    ///
    /// The result is the gap that remains below `first`, with the given backfill cursor; `nil` if
    /// no gap extended below it.
    ///
    /// - Throws: `invalid` if `first` is above `last`, if the channel has no URL, or if a name is
    ///   longer than 65,535 bytes.
    @discardableResult
    public func cover(
        _ url: ChannelURL, from first: Gap.Bound, through last: Gap.Bound,
        backfillCursor: PageCursor? = nil
    ) throws(StoreError) -> Gap? {
        try checkOrder(first, last)
        let number = try number(assigningTo: url)
        var rest: Gap?
        try removeRanges(of: url, number, from: first, through: last) { (older: inout Gap) in
            older.backfillCursor = backfillCursor
            rest = older
        }
        return rest
    }

    /// Changes the backfill state of a gap; throws `invalid` if no gap has these bounds.
    package func update(_ gap: Gap) throws(StoreError) {
        let stored = try gaps(in: gap.channelURL, from: gap.lower, to: gap.upper)
        guard let old = stored.first, old.lower == gap.lower, old.upper == gap.upper else {
            throw StoreError(
                .invalid, "\(gap) is not stored: read the gaps again", path: cache.path)
        }
        try putGap(gap, try number(assigningTo: gap.channelURL))
    }

    /// Marks a range of history as stale, and merges it with the stale ranges that it overlaps.
    package func markStale(_ range: StaleRange) throws(StoreError) {
        try put(range)
    }

    package func markVerified(
        _ url: ChannelURL, from first: Gap.Bound, through last: Gap.Bound
    ) throws(StoreError) {
        try checkOrder(first, last)
        guard let number = try number(of: url) else { return }
        try removeRanges(of: url, number, from: first, through: last) { (_: inout StaleRange) in }
    }

    func putGap(_ gap: Gap, _ number: ChannelNumber) throws(StoreError) {
        putRow(gap, number)
        record(.savedGap(gap))
    }
}

// MARK: Tombstones

extension Batch {
    /// Saves the tombstone of a message, which records that the message was deleted.
    ///
    /// The store still saves a message that has a tombstone: callers check first.
    /// ``clearMessages(in:source:)`` keeps tombstones, and ``removeChannel(_:source:people:)``
    /// removes them.
    package func save(_ tombstone: Tombstone) throws(StoreError) {
        try checkName(tombstone.messageID.rawValue, "the id of a message")
        put(tombstone, try number(assigningTo: tombstone.channelURL))
    }

    func put(_ tombstone: Tombstone, _ number: ChannelNumber) {
        rows.cache.put(
            { $0.tombstoneKey(number, tombstone.messageID) }, tombstone.writeValue)
    }

    /// Removes the tombstone of a message, even if the tombstone is damaged.
    package func removeTombstone(
        of id: MessageID, in url: ChannelURL
    ) throws(StoreError) {
        guard let number = try number(of: url) else { return }
        rows.cache.remove { $0.tombstoneKey(number, id) }
    }
}

// MARK: Rows

extension Batch {
    private func put<Value: HistoryRange>(_ range: Value) throws(StoreError) {
        try checkBounds(range.lower, range.upper)
        guard range.lower < range.upper else {
            throw StoreError(
                .invalid, "\(range) is an empty range: its bounds are equal", path: cache.path)
        }
        let number = try number(assigningTo: range.channelURL)
        var range = range
        let overlapped: [Value] = try view.ranges(
            of: range.channelURL, number, above: range.lower, below: range.upper)
        for old in overlapped {
            range.absorb(old)
            try removeRow(old, number)
            record(old.removed)
        }
        putRow(range, number)
        record(range.saved)
        assert(overlapsNoOther(range, number), "\(range) overlaps another range.")
    }

    /// Returns whether a stored range overlaps no other, also if they cannot be read.
    private func overlapsNoOther<Value: HistoryRange>(
        _ range: Value, _ number: ChannelNumber
    ) -> Bool {
        let stored: [Value]? = try? view.ranges(
            of: range.channelURL, number, above: range.lower, below: range.upper)
        return stored.map { $0 == [range] } ?? true
    }

    private func removeRanges<Value: HistoryRange>(
        of url: ChannelURL, _ number: ChannelNumber, from first: Gap.Bound, through last: Gap.Bound,
        changeOlderPart: (inout Value) -> Void
    ) throws(StoreError) {
        let cut: [Value] = try view.ranges(of: url, number, above: first, below: last)
        for old in cut {
            try removeRow(old, number)
            record(old.removed)
            for var part in old.removing(from: first, through: last) {
                if part.upper == first { changeOlderPart(&part) }
                putRow(part, number)
                record(part.saved)
                assert(overlapsNoOther(part, number), "\(part) overlaps another range.")
            }
        }
    }

    private func putRow<Value: HistoryRange>(_ range: Value, _ number: ChannelNumber) {
        rows.cache.put(
            { $0.boundKey(Value.table, number, range.upper) }, range.writeValue)
    }

    /// Removes a row, and leaves one at the end of the channel's history, which may be empty.
    ///
    /// LevelDB steps over all removed rows that follow a position. Without that row, reading the
    /// ranges of one channel would step over the removed rows of all other channels.
    private func removeRow<Value: HistoryRange>(
        _ range: Value, _ number: ChannelNumber
    ) throws(StoreError) {
        if range.upper < .end {
            rows.cache.remove { $0.boundKey(Value.table, number, range.upper) }
            let end = ByteWriter.key { $0.boundKey(Value.table, number, .end) }
            if try cache.contains(end) { return }
        }
        rows.cache.put({ $0.boundKey(Value.table, number, .end) }, { _ in })
    }

    private func checkOrder(_ first: Gap.Bound, _ last: Gap.Bound) throws(StoreError) {
        guard first <= last else {
            throw StoreError(
                .invalid, "invalid range: lower bound \(first) is above upper bound \(last)",
                path: cache.path)
        }
        try checkBounds(first, last)
    }

    private func checkBounds(_ bounds: Gap.Bound...) throws(StoreError) {
        for case .position(let position) in bounds {
            try checkName(position.messageID.rawValue, "the id of a message")
        }
    }
}

extension HistoryRange {
    fileprivate func removing(from first: Gap.Bound, through last: Gap.Bound) -> [Self] {
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
}
