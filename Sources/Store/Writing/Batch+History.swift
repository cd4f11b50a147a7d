public import Models

extension Batch {
    /// Opens a gap: the history between its bounds becomes unknown.
    ///
    /// Gaps that it overlaps become a part of it. The walk continues at the newer end, so the walk
    /// cursor of the gap that has it is kept; of `changesSince`, the earliest.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the bounds are equal, if the channel has no
    ///   URL, or a name is longer than 65,535 bytes; `io`, or `corruption` if the number of the
    ///   channel is damaged.
    /// - Complexity: O(*n*) in the gaps it overlaps.
    public func open(_ gap: Gap) throws(StoreError) {
        try put(gap)
    }

    /// Closes the gaps between two bounds, both included: the history between them is known from
    /// now on.
    ///
    /// A gap that extends beyond the bounds loses its middle or one end; other gaps are removed. If
    /// a gap is cut in two, its newer part keeps the walk cursor.
    ///
    /// - Parameters:
    ///   - url: The channel. The history of a channel of which nothing is stored is one gap.
    ///   - first: The oldest position that is known now.
    ///   - last: The newest position that is known now.
    ///   - walkCursor: The cursor at which to continue in the gap that remains below `first`, if
    ///     there is one.
    /// - Returns: The gap that remains below `first`, or `nil` if none was cut there.
    /// - Throws: ``StoreError`` with code `invalid` if `first` is above `last`, if the channel has
    ///   no URL, or if a name is longer than 65,535 bytes; `io`, or `corruption` if the number of
    ///   the channel is damaged.
    @discardableResult
    public func cover(
        _ url: ChannelURL, from first: Gap.Bound, through last: Gap.Bound,
        walkCursor: PageCursor? = nil
    ) throws(StoreError) -> Gap? {
        try checkOrder(first, last)
        let number = try number(giving: url)
        var rest: Gap?
        try carve(url, number, first, last) { (older: inout Gap) in
            older.walkCursor = walkCursor
            rest = older
        }
        return rest
    }

    /// Changes the state of a gap's walk without moving its bounds.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if there is no gap with these bounds; `io`, or
    ///   `corruption` if a row is damaged.
    public func update(_ gap: Gap) throws(StoreError) {
        let held = try gaps(in: gap.channelURL, from: gap.lower, to: gap.upper)
        guard let old = held.first, old.lower == gap.lower, old.upper == gap.upper else {
            throw StoreError(.invalid, "there is no gap \(gap)", path: cache.path)
        }
        try putGap(gap, try number(giving: gap.channelURL))
    }

    /// Marks a range of history as stale, and merges it with stale ranges that it overlaps.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the bounds are equal, if the channel has no
    ///   URL, or a name is longer than 65,535 bytes; `io`, or `corruption` if the number of the
    ///   channel is damaged.
    /// - Complexity: O(*n*) in the stale ranges it overlaps.
    public func markStale(_ range: StaleRange) throws(StoreError) {
        try put(range)
    }

    /// Removes the stale mark between two bounds, both included, because the history was fetched
    /// again.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if `first` is above `last`, or a name is longer
    ///   than 65,535 bytes; `io`, or `corruption` if the number of the channel is damaged.
    public func markVerified(
        _ url: ChannelURL, from first: Gap.Bound, through last: Gap.Bound
    ) throws(StoreError) {
        try checkOrder(first, last)
        guard let number = try number(of: url) else { return }
        try carve(url, number, first, last) { (_: inout StaleRange) in }
    }

    func putGap(_ gap: Gap, _ number: ChannelNumber) throws(StoreError) {
        putRow(gap, number)
        note(.savedGap(gap))
    }
}

// MARK: Tombstones

extension Batch {
    /// Records that a message was deleted.
    ///
    /// Saving the message is still accepted: callers decide whether to restore it. The tombstone
    /// outlives the clearing of its channel, but not its removal.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the channel has no URL, or a name is longer
    ///   than 65,535 bytes; `io`, or `corruption` if the number of the channel is damaged.
    public func save(_ tombstone: Tombstone) throws(StoreError) {
        try checkName(tombstone.messageID.rawValue, "the id of a message")
        put(tombstone, try number(giving: tombstone.channelURL))
    }

    /// Returns the tombstones of a channel, without those that are damaged.
    func readableTombstones(
        of url: ChannelURL, _ number: ChannelNumber
    ) throws(StoreError) -> [Tombstone] {
        let cache = cache
        let prefix = ByteWriter.key { $0.table(.tombstone, number) }
        var tombstones: [Tombstone] = []
        try cache.scan(KeyRange(prefix: prefix)) { (key, value) throws(StoreError) in
            let id = UnsafeRawBufferPointer(rebasing: key[prefix.count...])
            // A damaged tombstone is about to be discarded, so it need not be readable.
            if let tombstone = try? cache.tombstone(id, value, in: url) {
                tombstones.append(tombstone)
            }
            return true
        }
        return tombstones
    }

    func put(_ tombstone: Tombstone, _ number: ChannelNumber) {
        rows.cache.put(
            { $0.tombstoneKey(number, tombstone.messageID) }, tombstone.writeValue)
    }

    /// Removes the record that a message was deleted.
    ///
    /// - Throws: ``StoreError`` with code `io`, or `corruption` if the number of the channel is
    ///   damaged; the tombstone need not be readable.
    public func removeTombstone(
        of id: MessageID, in url: ChannelURL
    ) throws(StoreError) {
        guard let number = try number(of: url) else { return }
        rows.cache.remove { $0.tombstoneKey(number, id) }
    }
}

// MARK: Rows

extension Batch {
    private func put<Value: Segment>(_ segment: Value) throws(StoreError) {
        try checkBounds(segment.lower, segment.upper)
        guard segment.lower < segment.upper else {
            throw StoreError(
                .invalid, "\(segment) is an empty range: its bounds are equal", path: cache.path)
        }
        let number = try number(giving: segment.channelURL)
        var segment = segment
        var bounds: (lower: Gap.Bound, upper: Gap.Bound)
        repeat {
            bounds = (segment.lower, segment.upper)
            let overlapped: [Value] = try segments(
                of: segment.channelURL, number, above: bounds.lower, below: bounds.upper)
            for old in overlapped {
                segment.absorb(old)
                removeRow(old, number)
                note(old.removed)
            }
            // Larger than before, it overlaps another only where damaged rows overlap each other.
        } while (segment.lower, segment.upper) != bounds
        putRow(segment, number)
        note(segment.saved)
    }

    /// Returns the segments above one bound and below another.
    ///
    /// If some cannot be read, first makes the channel's history one gap.
    private func segments<Value: Segment>(
        of url: ChannelURL, _ number: ChannelNumber, above lower: Gap.Bound, below upper: Gap.Bound
    ) throws(StoreError) -> [Value] {
        do throws(StoreError) {
            return try view.segments(of: url, number, above: lower, below: upper)
        } catch {
            guard error.cause is ByteReader.Damage else { throw error }
        }
        try forgetCoverage(of: url, number)
        return try view.segments(of: url, number, above: lower, below: upper)
    }

    /// Makes all of a channel's history one gap.
    ///
    /// The extent of a damaged gap or stale range is unknown, and so is the point since which the
    /// history beside it may have changed. Anything less than one gap could claim coverage that
    /// does not exist.
    private func forgetCoverage(
        of url: ChannelURL, _ number: ChannelNumber
    ) throws(StoreError) {
        let cache = cache
        var keys: [KeyBytes] = []
        var known: [Change.Operation] = []
        func read<Value: Segment>(_ type: Value.Type) throws(StoreError) {
            let table = KeyRange(prefix: ByteWriter.key { $0.table(Value.table, number) })
            try cache.scan(table) { (key, value) throws(StoreError) in
                keys.append(Array(key))
                // A segment that cannot be read was never visible, so its removal is not reported.
                if let old: Value = try? cache.segment(key, value, of: url) {
                    known.append(old.removed)
                }
                return true
            }
        }
        try read(Gap.self)
        try read(StaleRange.self)
        for key in keys { rows.cache.remove { $0.raw(key) } }
        for operation in known { note(operation) }
        try putGap(Gap(in: url), number)
    }

    private func carve<Value: Segment>(
        _ url: ChannelURL, _ number: ChannelNumber, _ first: Gap.Bound, _ last: Gap.Bound,
        changeOlderPart: (inout Value) -> Void
    ) throws(StoreError) {
        let cut: [Value] = try segments(of: url, number, above: first, below: last)
        for old in cut {
            removeRow(old, number)
            note(old.removed)
            for var part in old.carved(from: first, through: last) {
                if part.upper == first { changeOlderPart(&part) }
                putRow(part, number)
                note(part.saved)
            }
        }
    }

    private func putRow<Value: Segment>(_ segment: Value, _ number: ChannelNumber) {
        rows.cache.put(
            { $0.boundKey(Value.table, number, segment.upper) }, segment.writeValue)
    }

    private func removeRow<Value: Segment>(_ segment: Value, _ number: ChannelNumber) {
        rows.cache.remove { $0.boundKey(Value.table, number, segment.upper) }
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
