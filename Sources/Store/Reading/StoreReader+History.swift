public import Models

extension StoreReader {
    /// Returns the gaps in a channel's history, the oldest first.
    ///
    /// They never overlap. An unknown channel is one gap.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a gap cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the gaps.
    public func gaps(in url: ChannelURL) throws(StoreError) -> [Gap] {
        let view = try view
        guard let number = try view.number(of: url) else { return [Gap(in: url)] }
        return try view.stretches(of: url, number)
    }

    /// Returns the gap that a position lies in; `nil` if its surroundings are known.
    ///
    /// Bounds are not in the gap that they bound, so a position where a gap ends is in none; nor is
    /// one where two gaps meet, since the message between them is known.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a gap cannot be decoded.
    /// - Complexity: One seek.
    public func gap(around position: Position, in url: ChannelURL) throws(StoreError) -> Gap? {
        let gap = try firstGap(above: .position(position), in: url)
        return gap.flatMap { $0.contains(position) ? $0 : nil }
    }

    /// Returns the first gap that one meets from a bound on towards what is newer.
    ///
    /// That is the oldest gap that has something above the bound, whether or not it begins below.
    ///
    /// - Parameters:
    ///   - bound: Where to begin.
    ///   - url: The channel. An unknown channel is one gap.
    /// - Returns: The gap; `nil` if all that is newer is known.
    /// - Throws: ``StoreError`` with code `corruption` if the gap cannot be decoded.
    /// - Complexity: One seek.
    public func firstGap(above bound: Gap.Bound, in url: ChannelURL) throws(StoreError) -> Gap? {
        let view = try view
        guard let number = try view.number(of: url) else {
            return bound < .end ? Gap(in: url) : nil
        }
        let gaps: [Gap] = try view.stretches(of: url, number, above: bound, limit: 1)
        return gaps.first
    }

    /// Returns the first gap that one meets from a bound on towards what is older.
    ///
    /// That is the newest gap that has something below the bound, whether or not it ends above.
    /// From ``Gap/Bound/end``, the newest gap of the channel.
    ///
    /// - Parameters:
    ///   - bound: Where to begin.
    ///   - url: The channel. An unknown channel is one gap.
    /// - Returns: The gap; `nil` if all that is older is known.
    /// - Throws: ``StoreError`` with code `corruption` if a gap cannot be decoded.
    /// - Complexity: Two seeks.
    public func firstGap(below bound: Gap.Bound, in url: ChannelURL) throws(StoreError) -> Gap? {
        let view = try view
        guard let number = try view.number(of: url) else {
            return .beginning < bound ? Gap(in: url) : nil
        }
        // Either it ends at the bound or above, or it is the last one that ends below.
        let around: Gap? = try view.firstStretch(of: url, number, endingFrom: bound)
        if let around, around.lower < bound { return around }
        return try view.lastStretch(of: url, number, endingBelow: bound)
    }

    /// Returns the gaps that have something strictly between two bounds, the oldest first.
    ///
    /// None means that the history between them is complete. Nothing is between equal or reversed
    /// bounds: they have no gaps. The gaps are returned whole, also where they reach beyond.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel is one gap.
    ///   - lower: The older bound.
    ///   - upper: The newer bound.
    /// - Returns: The gaps.
    /// - Throws: ``StoreError`` with code `corruption` if a gap cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the gaps returned.
    public func gaps(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [Gap] {
        let view = try view
        guard lower < upper else { return [] }
        guard let number = try view.number(of: url) else { return [Gap(in: url)] }
        return try view.stretches(of: url, number, above: lower, below: upper)
    }

    /// Returns the channels whose history has gaps, in the order they were met.
    ///
    /// Only those of which something is held: of an unknown channel, no row says that it is a gap.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the URL of a channel cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the gaps of all channels, with a lookup for each
    ///   channel; decodes no gap.
    public func channelURLsWithGaps() throws(StoreError) -> [ChannelURL] {
        try view.channelURLs(in: .gap)
    }

    /// Returns the channels whose history has stale ranges, in the order they were met.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the URL of a channel cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the stale ranges of all channels, with a lookup for
    ///   each channel; decodes no range.
    public func channelURLsWithStaleRanges() throws(StoreError) -> [ChannelURL] {
        try view.channelURLs(in: .staleRange)
    }

    /// Returns the stale ranges of a channel's history, the oldest first; they never overlap.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a range cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the ranges.
    public func staleRanges(in url: ChannelURL) throws(StoreError) -> [StaleRange] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        return try view.stretches(of: url, number)
    }

    /// Returns the stale ranges that have something strictly between two bounds, the oldest first.
    ///
    /// Nothing is between equal or reversed bounds. The ranges are returned whole, also where they
    /// reach beyond.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has none.
    ///   - lower: The older bound.
    ///   - upper: The newer bound.
    /// - Returns: The ranges.
    /// - Throws: ``StoreError`` with code `corruption` if a range cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the ranges returned.
    public func staleRanges(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [StaleRange] {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return [] }
        return try view.stretches(of: url, number, above: lower, below: upper)
    }

    /// Returns what is remembered of a message that was deleted; `nil` if nothing is.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if it cannot be decoded.
    /// - Complexity: One lookup.
    public func tombstone(
        of id: MessageID, in url: ChannelURL
    ) throws(StoreError) -> Tombstone? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.read(
            ByteWriter.key { $0.tombstoneKey(number, id) }, as: "the tombstone of \(id)"
        ) { (reader) throws(ByteReader.Damage) in try Tombstone(id, url, &reader) }
    }

    /// Returns all tombstones of a channel, in the order of the bytes of their messages' ids.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if one cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the tombstones.
    public func tombstones(in url: ChannelURL) throws(StoreError) -> [Tombstone] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let cache = view.cache
        let prefix = ByteWriter.key { $0.table(.tombstone, number) }
        var tombstones: [Tombstone] = []
        try cache.scan(KeyRange(prefix: prefix)) { (key, value) throws(StoreError) in
            let id = UnsafeRawBufferPointer(rebasing: key[prefix.count...])
            tombstones.append(try cache.tombstone(id, value, in: url))
            return true
        }
        return tombstones
    }

    /// Returns how many tombstones a channel has.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the tombstones; decodes none.
    public func tombstoneCount(in url: ChannelURL) throws(StoreError) -> Int {
        let view = try view
        guard let number = try view.number(of: url) else { return 0 }
        return try view.cache.count(
            KeyRange(prefix: ByteWriter.key { $0.table(.tombstone, number) }))
    }

    /// Returns whether a channel has any tombstone.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek.
    package func hasTombstones(in url: ChannelURL) throws(StoreError) -> Bool {
        let view = try view
        guard let number = try view.number(of: url) else { return false }
        var isFound = false
        try view.cache.scan(KeyRange(prefix: ByteWriter.key { $0.table(.tombstone, number) })) {
            (_, _) throws(StoreError) in
            isFound = true
            return false
        }
        return isFound
    }

    /// Returns a token, by what it is for, such as "feed"; `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One lookup.
    public func token(_ scope: String) throws(StoreError) -> [UInt8]? {
        try view.cache.withValue(of: ByteWriter.key { $0.tokenKey(scope) }) {
            (value) throws(StoreError) in value.map(Array.init)
        }
    }

    /// Returns the scopes of all tokens, in byte order.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a scope cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the tokens.
    public func tokenScopes() throws(StoreError) -> [String] {
        let cache = try view.cache
        var scopes: [String] = []
        try cache.scan(KeyRange(prefix: [Table.token.rawValue])) { (key, _) throws(StoreError) in
            scopes.append(try cache.text(ofKey: key, as: "the scope of a token"))
            return true
        }
        return scopes
    }
}

// MARK: Rows

extension Rows {
    /// A gap or a stale range, of its key and its value.
    func stretch<Value: Stretch>(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of url: ChannelURL
    ) throws(StoreError) -> Value {
        let bound = try decode(key.behindChannel, as: "a bound in \(url)") {
            (reader) throws(ByteReader.Damage) in try reader.bound()
        }
        return try decode(value, as: "the stretch below \(bound) in \(url)") {
            (reader) throws(ByteReader.Damage) in try Value(url, upper: bound, value: &reader)
        }
    }

    /// A tombstone, of the end of its key and its value.
    func tombstone(
        _ id: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in url: ChannelURL
    ) throws(StoreError) -> Tombstone {
        let id = try decode(id, as: "a tombstone's key") { (reader) throws(ByteReader.Damage) in
            MessageID(try reader.text())
        }
        return try decode(value, as: "the tombstone of \(id)") {
            (reader) throws(ByteReader.Damage) in try Tombstone(id, url, &reader)
        }
    }
}

extension StoreView {
    /// The stretches of a channel that lie above one bound and below another, oldest first.
    ///
    /// Or in part: the upper bound is above the one, and the lower bound below the other.
    func stretches<Value: Stretch>(
        of url: ChannelURL, _ number: ChannelNumber, above lower: Gap.Bound = .beginning,
        below upper: Gap.Bound = .end, limit: Int = .max
    ) throws(StoreError) -> [Value] {
        let table = KeyRange(prefix: ByteWriter.key { $0.table(Value.table, number) })
        // Behind the stretch that ends exactly at the bound.
        let start = ByteWriter.key { $0.boundKey(Value.table, number, lower) } + [0]
        var found: [Value] = []
        try scan(KeyRange(start, table.upper), of: url) { (stretch: Value) in
            guard stretch.lower < upper else { return false }
            found.append(stretch)
            return found.count < limit
        }
        return found
    }

    /// The oldest stretch that ends at a bound or above.
    fileprivate func firstStretch<Value: Stretch>(
        of url: ChannelURL, _ number: ChannelNumber, endingFrom bound: Gap.Bound
    ) throws(StoreError) -> Value? {
        let table = KeyRange(prefix: ByteWriter.key { $0.table(Value.table, number) })
        let start = ByteWriter.key { $0.boundKey(Value.table, number, bound) }
        var found: Value?
        try scan(KeyRange(start, table.upper), of: url) {
            found = $0
            return false
        }
        return found
    }

    /// The newest stretch that ends below a bound.
    fileprivate func lastStretch<Value: Stretch>(
        of url: ChannelURL, _ number: ChannelNumber, endingBelow bound: Gap.Bound
    ) throws(StoreError) -> Value? {
        let table = KeyRange(prefix: ByteWriter.key { $0.table(Value.table, number) })
        let end = ByteWriter.key { $0.boundKey(Value.table, number, bound) }
        var found: Value?
        try scan(KeyRange(table.lower, end), isDescending: true, of: url) {
            found = $0
            return false
        }
        return found
    }

    private func scan<Value: Stretch>(
        _ range: KeyRange, isDescending: Bool = false, of url: ChannelURL,
        _ body: (Value) -> Bool
    ) throws(StoreError) {
        let cache = cache
        try cache.scan(range, isDescending: isDescending) { (key, value) throws(StoreError) in
            body(try cache.stretch(key, value, of: url))
        }
    }

    /// The channels that have rows in a table, each once.
    fileprivate func channelURLs(in table: Table) throws(StoreError) -> [ChannelURL] {
        let cache = cache
        var numbers: [ChannelNumber] = []
        try cache.scan(KeyRange(prefix: [table.rawValue])) { (key, _) throws(StoreError) in
            let number = try cache.channelNumber(ofKey: key)
            if numbers.last != number { numbers.append(number) }
            return true
        }
        // Rows of a channel that was cleared may be left, under a number that has no URL.
        return try cache.urls(of: numbers)
    }
}
