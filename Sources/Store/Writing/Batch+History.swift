public import Models

extension Batch {
    /// Opens a gap: what lies between its bounds is not known any more.
    ///
    /// Gaps that it overlaps become a part of it. The walk goes on at the newer end, so the newer
    /// one's walk cursor is kept; of `changesSince`, that of the gap that was there before.
    ///
    /// - Complexity: O(*n*) in the gaps it overlaps.
    public func open(_ gap: Gap) throws(StoreError) {
        try put(gap, Batch.saved, Batch.removed)
    }

    /// Closes what gaps have between two bounds, both included: it is known now.
    ///
    /// A gap that reaches beyond loses the middle, or an end; one that does not is gone.
    ///
    /// - Parameters:
    ///   - first: The oldest position that is known now.
    ///   - last: The newest position that is known now.
    ///   - walkCursor: Where the walk goes on in the gap that is left below `first`, if one is.
    /// - Throws: `invalid` if `first` is above `last`.
    public func cover(
        _ url: ChannelURL, from first: Gap.Bound, through last: Gap.Bound,
        walkCursor: String? = nil
    ) throws(StoreError) {
        try checkOrder(first, last)
        let number = try number(giving: url)
        try carve(url, number, first, last, Batch.saved, Batch.removed) { (gap: inout Gap) in
            gap.walkCursor = walkCursor
        }
    }

    /// Changes what a gap remembers of its walk, without moving its bounds.
    ///
    /// - Throws: `invalid` if there is no gap with these bounds.
    public func update(_ gap: Gap) throws(StoreError) {
        let held = try gaps(in: gap.channelURL, from: gap.lower, to: gap.upper)
        guard let old = held.first, old.lower == gap.lower, old.upper == gap.upper else {
            throw StoreError(.invalid, "there is no gap \(gap)", path: cache.path)
        }
        try putGap(gap, try number(giving: gap.channelURL))
    }

    /// Marks a stretch of history as stale; what is marked already becomes a part of it.
    public func markStale(_ range: StaleRange) throws(StoreError) {
        try put(range, Batch.saved, Batch.removed)
    }

    /// Takes the mark off between two bounds, both included: it was fetched again.
    ///
    /// - Throws: `invalid` if `first` is above `last`.
    public func markVerified(
        _ url: ChannelURL, from first: Gap.Bound, through last: Gap.Bound
    ) throws(StoreError) {
        try checkOrder(first, last)
        guard let number = try number(of: url) else { return }
        try carve(url, number, first, last, Batch.saved, Batch.removed) { (_: inout StaleRange) in
        }
    }

    func putGap(_ gap: Gap, _ number: ChannelNumber) throws(StoreError) {
        putRow(gap, number)
        note(.savedGap(gap))
    }
}

// MARK: Rows

extension Batch {
    private static func saved(_ gap: Gap) -> Change.Operation { .savedGap(gap) }
    private static func removed(_ gap: Gap) -> Change.Operation { .removedGap(gap) }
    private static func saved(_ range: StaleRange) -> Change.Operation { .savedStaleRange(range) }
    private static func removed(_ range: StaleRange) -> Change.Operation {
        .removedStaleRange(range)
    }

    private func put<Value: Stretch>(
        _ stretch: Value, _ saved: (Value) -> Change.Operation,
        _ removed: (Value) -> Change.Operation
    ) throws(StoreError) {
        try checkBounds(stretch.lower, stretch.upper)
        let number = try number(giving: stretch.channelURL)
        var stretch = stretch
        let overlapped: [Value] = try view.stretches(
            of: stretch.channelURL, number, above: stretch.lower, below: stretch.upper)
        for old in overlapped {
            stretch.absorb(old)
            removeRow(old, number)
            note(removed(old))
        }
        putRow(stretch, number)
        note(saved(stretch))
    }

    private func carve<Value: Stretch>(
        _ url: ChannelURL, _ number: ChannelNumber, _ first: Gap.Bound, _ last: Gap.Bound,
        _ saved: (Value) -> Change.Operation, _ removed: (Value) -> Change.Operation,
        _ changeOlderPart: (inout Value) -> Void
    ) throws(StoreError) {
        let cut: [Value] = try view.stretches(of: url, number, above: first, below: last)
        for old in cut {
            removeRow(old, number)
            note(removed(old))
            for var part in old.carved(from: first, through: last) {
                if part.upper == first { changeOlderPart(&part) }
                putRow(part, number)
                note(saved(part))
            }
        }
    }

    private func putRow<Value: Stretch>(_ stretch: Value, _ number: ChannelNumber) {
        rows.cache.put(
            { $0.boundKey(Value.table, number, stretch.upper) }, stretch.writeValue)
    }

    private func removeRow<Value: Stretch>(_ stretch: Value, _ number: ChannelNumber) {
        rows.cache.remove { $0.boundKey(Value.table, number, stretch.upper) }
    }

    private func checkOrder(_ first: Gap.Bound, _ last: Gap.Bound) throws(StoreError) {
        guard first <= last else {
            throw StoreError(
                .invalid, "what is known from \(first) through \(last) is nothing",
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
