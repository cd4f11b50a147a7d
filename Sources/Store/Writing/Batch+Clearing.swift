public import Models

extension Batch {
    /// Removes all data that can be fetched again.
    ///
    /// Removes channels with all their data, users and tokens. Pins and accesses are removed with
    /// their channels: pin visible channels again. Corrupted rows are removed too. Outbox items are
    /// kept.
    ///
    /// - Parameter source: The source of the change for observers, who receive a single operation
    ///   instead of one for each row.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`; nothing was changed then.
    /// - Complexity: O(*c* + *u*) in the numbers of channels, with a dozen seeks for each, and of
    ///   users. The rows of channels are inaccessible immediately, and are removed from the disk by
    ///   later commits; ``ChatStore/clearCachedData()`` waits for that.
    public func clearCachedData(source: CollectionEventSource? = nil) throws(StoreError) {
        let cache = cache
        var names: [(url: ChannelURL, number: ChannelNumber?)] = []
        var keys: [KeyBytes] = []
        for table in [Table.name, .user, .token] {
            try cache.scan(KeyRange(prefix: [table.rawValue])) { (key, value) throws(StoreError) in
                keys.append(Array(key))
                // A name that cannot be decoded is not in use.
                if table == .name, let url = try? cache.channelURL(ofNameKey: key) {
                    names.append((url, try? cache.channelNumber(ofNameValue: value)))
                }
                return true
            }
        }
        // The numbers that the batch has given are not all on disk yet.
        var numbers = Set(rows.numbers.values.compactMap(\.number))
        let stored = Rows(snapshot: version.cache)
        for table in Table.ofChannels + [.url] {
            try stored.forEachNumber(in: table) {
                numbers.insert($0)
            } orDamaged: {
                keys.append($0)
            }
        }
        // Nothing fails from here on.
        for key in keys { rows.cache.remove { $0.raw(key) } }
        for name in names { setNumber(nil, of: name.url, insteadOf: name.number) }
        for number in numbers.sorted() { giveUp(number) }
        forgetChannels()
        note(.clearedCachedData, source)
    }
}

extension Rows {
    /// Calls a closure with each number that has rows in a table, and another one with each key
    /// without a valid number.
    ///
    /// - Complexity: A seek for each of them, regardless of their number of rows.
    func forEachNumber(
        in table: Table, _ body: (ChannelNumber) -> Void, orDamaged: (KeyBytes) -> Void
    ) throws(StoreError) {
        var start: KeyBytes? = [table.rawValue]
        let end = [table.rawValue].successorOfPrefix
        while let lower = start {
            start = nil
            try scan(KeyRange(lower, end)) { (key, _) throws(StoreError) in
                if let number = readableNumber(ofKey: key) {
                    body(number)
                    start = Array(key.prefix(Table.prefixSize)).successorOfPrefix
                } else {
                    orDamaged(Array(key))
                    start = Array(key) + [0]
                }
                return false
            }
        }
    }
}
