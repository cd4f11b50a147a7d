public import Models

extension StoreReader {
    /// Returns the gaps in a channel's history, the oldest first.
    ///
    /// They never overlap. An unknown channel is one gap.
    ///
    /// - Complexity: One seek, then O(*n*) in the gaps.
    public func gaps(in url: ChannelURL) throws(StoreError) -> [Gap] {
        let view = try view
        guard let number = try view.number(of: url) else { return [Gap(in: url)] }
        return try view.stretches(of: url, number)
    }

    /// Returns the gap that a position lies in; `nil` if its surroundings are known.
    ///
    /// - Complexity: One seek.
    public func gap(around position: Position, in url: ChannelURL) throws(StoreError) -> Gap? {
        let view = try view
        guard let number = try view.number(of: url) else { return Gap(in: url) }
        let gaps: [Gap] = try view.stretches(
            of: url, number, above: .position(position), limit: 1)
        return gaps.first.flatMap { $0.contains(position) ? $0 : nil }
    }

    /// Returns the gaps that have something between two bounds, the oldest first.
    ///
    /// None means that the history between them is complete.
    ///
    /// - Complexity: One seek, then O(*n*) in the gaps returned.
    public func gaps(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [Gap] {
        let view = try view
        guard let number = try view.number(of: url) else {
            return [Gap(in: url)].filter { $0.overlaps(from: lower, to: upper) }
        }
        return try view.stretches(of: url, number, above: lower, below: upper)
    }

    /// Returns the stale ranges of a channel's history, the oldest first; they never overlap.
    public func staleRanges(in url: ChannelURL) throws(StoreError) -> [StaleRange] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        return try view.stretches(of: url, number)
    }

    /// Returns the stale ranges that have something between two bounds, the oldest first.
    public func staleRanges(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [StaleRange] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        return try view.stretches(of: url, number, above: lower, below: upper)
    }

    /// Returns what is remembered of a message that was deleted; `nil` if nothing is.
    public func tombstone(
        of id: MessageID, in url: ChannelURL
    ) throws(StoreError) -> Tombstone? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.read(
            ByteWriter.key { $0.tombstoneKey(number, id) }, as: "the tombstone of \(id)"
        ) { (reader) throws(ByteReader.Damage) in try Tombstone(id, url, &reader) }
    }

    /// Returns all tombstones of a channel, by message id.
    public func tombstones(in url: ChannelURL) throws(StoreError) -> [Tombstone] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let cache = view.cache
        let prefix = ByteWriter.key { $0.table(.tombstone, number) }
        var tombstones: [Tombstone] = []
        try cache.scan(KeyRange(prefix: prefix)) { (key, value) throws(StoreError) in
            let id = try cache.decode(
                UnsafeRawBufferPointer(rebasing: key[prefix.count...]), as: "a tombstone's key"
            ) { (reader) throws(ByteReader.Damage) in MessageID(try reader.text()) }
            tombstones.append(
                try cache.decode(value, as: "the tombstone of \(id)") {
                    (reader) throws(ByteReader.Damage) in try Tombstone(id, url, &reader)
                })
            return true
        }
        return tombstones
    }

    /// Returns a token; `nil` if there is none.
    ///
    /// - Parameter scope: What the token is for, such as "feed".
    public func token(_ scope: String) throws(StoreError) -> [UInt8]? {
        try view.cache.withValue(of: ByteWriter.key { $0.tokenKey(scope) }) {
            (value) throws(StoreError) in value.map(Array.init)
        }
    }

    /// Returns the scopes of all tokens, in byte order.
    public func tokenScopes() throws(StoreError) -> [String] {
        let cache = try view.cache
        var scopes: [String] = []
        try cache.scan(KeyRange(prefix: [Table.token.rawValue])) { (key, _) throws(StoreError) in
            scopes.append(
                try cache.decode(key, as: "the scope of a token") {
                    (reader) throws(ByteReader.Damage) in
                    _ = try reader.byte()
                    return try reader.text()
                })
            return true
        }
        return scopes
    }
}

// MARK: Rows

extension StoreView {
    /// The stretches of a channel whose upper bound is above one bound and whose lower bound is
    /// below another, oldest first.
    func stretches<Value: Stretch>(
        of url: ChannelURL, _ number: ChannelNumber, above lower: Gap.Bound = .beginning,
        below upper: Gap.Bound = .end, limit: Int = .max
    ) throws(StoreError) -> [Value] {
        let cache = cache
        let prefix = ByteWriter.key { $0.table(Value.table, number) }
        // Behind the stretch that ends exactly at the bound.
        let start = ByteWriter.key { $0.boundKey(Value.table, number, lower) } + [0]
        var found: [Value] = []
        try cache.scan(KeyRange(start, prefix.successorOfPrefix)) {
            (key, value) throws(StoreError) in
            let bound = try cache.decode(
                UnsafeRawBufferPointer(rebasing: key[prefix.count...]), as: "a bound in \(url)"
            ) { (reader) throws(ByteReader.Damage) in try reader.bound() }
            let stretch = try cache.decode(value, as: "the stretch below \(bound) in \(url)") {
                (reader) throws(ByteReader.Damage) in
                try Value(url, upper: bound, value: &reader)
            }
            guard stretch.lower < upper else { return false }
            found.append(stretch)
            return found.count < limit
        }
        return found
    }
}
