import Models

/// The immutable state that all readers see until the next commit, without waiting for a write.
final class CommittedState: Sendable {
    let number: Int
    let cache: LevelDB.Snapshot
    let outbox: LevelDB.Snapshot
    let derived: Locked<DerivedValues>
    /// All committed states share this object.
    let tables: UsedTables
    let hasExtents: Bool

    init(
        number: Int, cache: LevelDB.Snapshot, outbox: LevelDB.Snapshot,
        index: CommittedIndex? = nil,
        derived: DerivedValues = DerivedValues(), tables: UsedTables = UsedTables()
    ) {
        self.number = number
        self.cache = cache
        self.outbox = outbox
        self.tables = tables
        hasExtents = !derived.extents.isEmpty
        var derived = derived
        derived.index = index
        self.derived = Locked(derived)
    }

    func numbered(_ number: Int) -> CommittedState {
        CommittedState(
            number: number, cache: cache, outbox: outbox, index: index, derived: takeDerived(),
            tables: tables)
    }

    var index: CommittedIndex? { derived.withLock { $0.index } }

    /// Removes and returns the derived values, for the next committed state.
    ///
    /// The search index stays for searches in this state.
    func takeDerived() -> DerivedValues {
        derived.withLock { values in
            let index = values.index
            defer {
                values = DerivedValues()
                values.index = index
            }
            return values
        }
    }

    func channelNumber(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        if let number = derived.withLock({ $0.numbers[url] }) { return number }
        guard let number = try Rows(snapshot: cache).storedNumber(of: url) else { return nil }
        derived.withLock { $0.numbers[url] = number }
        return number
    }

    func messageCount() throws(StoreError) -> Int {
        if let count = derived.withLock({ $0.messageCount }) { return count }
        let count = try Rows(snapshot: cache).messageCount()
        derived.withLock { $0.messageCount = count }
        return count
    }

    func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        if let keys = knownList(by: sorting) { return keys }
        let keys = try SortedKeys(Rows(snapshot: cache), by: sorting)
        derived.withLock { $0.keep(keys, by: sorting) }
        return keys
    }

    func hasMoreChannels(than count: Int, in table: Table) throws(StoreError) -> Bool {
        guard count < .max else { return false }
        var left = count
        try Rows(snapshot: cache).scan(KeyRange(table)) { _, _ in
            left -= 1
            return left >= 0
        }
        return left < 0
    }

    func knownList(by sorting: ChannelSorting) -> SortedKeys? {
        derived.withLock { $0.list(by: sorting) }
    }
}

extension Rows {
    /// Returns the number in a channel's name row; `nil` if the row is missing, or has the number
    /// of another channel, whose rows must not be read or written instead.
    func storedNumber(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        let number: ChannelNumber? = try read(
            ByteWriter.key { $0.nameKey(url) }, as: "the number of channel \(url)"
        ) { (reader) throws(ByteReader.Damage) in try reader.integer() }
        guard let number, ChannelNumber.assigned ~= number else { return nil }
        return try isNamed(number, url) ? number : nil
    }

    /// Whether the number's URL row is missing or has this URL.
    private func isNamed(
        _ number: ChannelNumber, _ url: ChannelURL
    ) throws(StoreError) -> Bool {
        try withValue(of: ByteWriter.key { $0.table(.url, number) }) {
            (value) throws(StoreError) in
            value.map { $0.elementsEqual(url.rawValue.utf8) } ?? true
        }
    }
}
