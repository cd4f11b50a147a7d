public import Models

extension StoreReader {
    /// Returns the gaps in a channel's history, oldest first.
    ///
    /// Gaps never overlap. A channel without stored data has one gap, its whole history.
    public func gaps(in url: ChannelURL) throws(StoreError) -> [Gap] {
        let view = try view
        guard let number = try view.number(of: url) else { return [Gap(in: url)] }
        return try view.ranges(of: url, number)
    }

    /// Returns the gap that contains a position; `nil` at a bound, whose message is known.
    package func gap(around position: Position, in url: ChannelURL) throws(StoreError) -> Gap? {
        let gap = try firstGap(above: .position(position), in: url)
        return gap.flatMap { $0.contains(position) ? $0 : nil }
    }

    /// Returns the oldest gap that contains positions newer than a bound; `nil` if all newer
    /// history is known.
    package func firstGap(above bound: Gap.Bound, in url: ChannelURL) throws(StoreError) -> Gap? {
        let view = try view
        guard let number = try view.number(of: url) else {
            return bound < .end ? Gap(in: url) : nil
        }
        let gaps: [Gap] = try view.ranges(of: url, number, above: bound, limit: 1)
        return gaps.first
    }

    /// Returns the newest gap that contains positions older than a bound; `nil` if all older
    /// history is known.
    package func firstGap(below bound: Gap.Bound, in url: ChannelURL) throws(StoreError) -> Gap? {
        let view = try view
        guard let number = try view.number(of: url) else {
            return .beginning < bound ? Gap(in: url) : nil
        }
        // The result is the oldest gap whose upper bound is at or above the bound, if that gap
        // starts below the bound; otherwise the newest gap below the bound.
        let table = KeyRange(.gap, number)
        let key = ByteWriter.key { $0.boundKey(.gap, number, bound) }
        let around: Gap? = try view.firstRange(in: KeyRange(key, table.upper), of: url)
        if let around, around.lower < bound { return around }
        return try view.firstRange(
            in: KeyRange(table.lower, key), isDescending: true, of: url)
    }

    /// Returns the gaps that overlap the range strictly between two bounds, oldest first.
    ///
    /// A gap that extends beyond a bound is returned completely. There are none if the bounds are
    /// equal or reversed.
    ///
    /// - Complexity: One seek, then O(*n*) in the returned gaps.
    public func gaps(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [Gap] {
        let view = try view
        guard lower < upper else { return [] }
        guard let number = try view.number(of: url) else { return [Gap(in: url)] }
        return try view.ranges(of: url, number, above: lower, below: upper)
    }

    /// Returns the channels with stored gaps, in the order in which they were first stored, by
    /// scanning all gaps.
    package func channelURLsWithGaps() throws(StoreError) -> [ChannelURL] {
        try view.channelURLs(in: .gap)
    }

    /// Returns the channels with stale ranges, in the order in which they were first stored, by
    /// scanning all ranges.
    package func channelURLsWithStaleRanges() throws(StoreError) -> [ChannelURL] {
        try view.channelURLs(in: .staleRange)
    }

    /// Returns the stale ranges of a channel's history, oldest first; they never overlap.
    public func staleRanges(in url: ChannelURL) throws(StoreError) -> [StaleRange] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        return try view.ranges(of: url, number)
    }

    /// Returns the stale ranges that overlap the range strictly between two bounds, oldest first.
    ///
    /// A range that extends beyond a bound is returned completely.
    package func staleRanges(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [StaleRange] {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return [] }
        return try view.ranges(of: url, number, above: lower, below: upper)
    }

    package func tombstone(
        of id: MessageID, in url: ChannelURL
    ) throws(StoreError) -> Tombstone? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.read(
            ByteWriter.key { $0.tombstoneKey(number, id) }, as: "the tombstone of \(id)"
        ) { (reader) throws(ByteReader.Damage) in try Tombstone(id, url, &reader) }
    }

    /// Returns the tombstones in the byte order of their message IDs.
    package func tombstones(in url: ChannelURL) throws(StoreError) -> [Tombstone] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let cache = view.cache
        var tombstones: [Tombstone] = []
        try cache.forEachRow(in: KeyRange(.tombstone, number)) { (key, value) throws(StoreError) in
            tombstones.append(try cache.tombstone(key, value, in: url))
        }
        return tombstones
    }

    package func tombstoneCount(in url: ChannelURL) throws(StoreError) -> Int {
        let view = try view
        guard let number = try view.number(of: url) else { return 0 }
        return try view.cache.count(KeyRange(.tombstone, number))
    }

    package func hasTombstones(in url: ChannelURL) throws(StoreError) -> Bool {
        let view = try view
        guard let number = try view.number(of: url) else { return false }
        return try view.cache.hasRows(in: KeyRange(.tombstone, number))
    }

    /// Returns the token with a scope, such as "feed"; `nil` if there is none.
    public func token(_ scope: String) throws(StoreError) -> [UInt8]? {
        try view.cache.withValue(of: ByteWriter.key { $0.tokenKey(scope) }) {
            (value) throws(StoreError) in value.map(Array.init)
        }
    }
}

// MARK: Rows

extension Rows {
    func range<Value: HistoryRange>(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of url: ChannelURL
    ) throws(StoreError) -> Value {
        let bound = try decode(key.afterChannelNumber, as: "a bound in \(url)") {
            (reader) throws(ByteReader.Damage) in try reader.bound()
        }
        return try decode(value, as: "the range below \(bound) in \(url)") {
            (reader) throws(ByteReader.Damage) in try Value(url, upper: bound, value: &reader)
        }
    }

    func tombstone(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in url: ChannelURL
    ) throws(StoreError) -> Tombstone {
        let id = try decode(key.afterChannelNumber, as: "a tombstone's key") {
            (reader) throws(ByteReader.Damage) in MessageID(try reader.text())
        }
        return try decode(value, as: "the tombstone of \(id)") {
            (reader) throws(ByteReader.Damage) in try Tombstone(id, url, &reader)
        }
    }
}

extension StoreView {
    /// Returns the ranges that overlap the range between two bounds, oldest first.
    func ranges<Value: HistoryRange>(
        of url: ChannelURL, _ number: ChannelNumber, above lower: Gap.Bound = .beginning,
        below upper: Gap.Bound = .end, limit: Int = .max
    ) throws(StoreError) -> [Value] {
        let table = KeyRange(Value.table, number)
        // Start after the range whose upper bound equals `lower`.
        let start = ByteWriter.key { $0.boundKey(Value.table, number, lower) } + [0]
        var found: [Value] = []
        try scan(KeyRange(start, table.upper), of: url) { (range: Value) in
            guard range.lower < upper else { return false }
            found.append(range)
            return found.count < limit
        }
        return found
    }

    /// Returns the oldest range, or the newest if `isDescending` is true.
    fileprivate func firstRange<Value: HistoryRange>(
        in range: KeyRange, isDescending: Bool = false, of url: ChannelURL
    ) throws(StoreError) -> Value? {
        var found: Value?
        try scan(range, isDescending: isDescending, of: url) {
            found = $0
            return false
        }
        return found
    }

    private func scan<Value: HistoryRange>(
        _ range: KeyRange, isDescending: Bool = false, of url: ChannelURL,
        _ body: (Value) -> Bool
    ) throws(StoreError) {
        let cache = cache
        var last: Value?
        try cache.scan(range, isDescending: isDescending) { (key, value) throws(StoreError) in
            if key.isEmptyEnd(value) { return true }
            let range: Value = try cache.range(key, value, of: url)
            if let last {
                let (older, newer) = isDescending ? (range, last) : (last, range)
                if newer.lower < older.upper {
                    throw cache.snapshot.recordingDamage(
                        StoreError(
                            .corruption,
                            "two stored ranges of channel \(url) overlap below \(newer.upper)",
                            path: cache.path,
                            cause: ByteReader.Damage(
                                offset: 0,
                                expected: "a lower bound that is at least \(older.upper)")))
                }
            }
            last = range
            return body(range)
        }
    }

    fileprivate func channelURLs(in table: Table) throws(StoreError) -> [ChannelURL] {
        let cache = cache
        var numbers: [ChannelNumber] = []
        try cache.forEachRow(in: KeyRange(table)) { (key, value) throws(StoreError) in
            let number = try cache.number(ofKey: key)
            if numbers.last != number, !key.isEmptyEnd(value) { numbers.append(number) }
        }
        // Cleared channels, which have no URL, may still have rows.
        return try cache.urls(of: numbers)
    }
}
