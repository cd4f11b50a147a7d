package import Models

extension Batch {
    /// Removes channels with all their data, users, tokens, cached tables of the app and corrupted
    /// rows.
    ///
    /// Outbox items, drafts, pins and kept tables of the app are kept. Observers receive one
    /// operation. After an error, nothing was changed. Later commits remove the channels' rows from
    /// the disk, for which ``ChatStore/clearCachedData()`` waits.
    package func clearCachedData(source: CollectionEventSource = .cacheCleared) throws(StoreError) {
        let cache = cache
        var urls: [ChannelURL] = []
        var keys: [KeyBytes] = []
        for table in [Table.name, .user, .token, .unsegmented, .segment, .appTable] {
            try cache.forEachRow(in: KeyRange(table)) { key, _ in
                keys.append(Array(key))
                // The cache of names lacks undecodable names.
                if table == .name, let url = try? cache.channelURL(ofNameKey: key) {
                    urls.append(url)
                }
            }
        }
        // The snapshot lacks the batch's new numbers.
        var numbers = Set(rows.numbers.values.compactMap { $0 })
        let stored = Rows(snapshot: committed.cache)
        for table in Table.ofChannels + [.url] {
            try stored.forEachNumber(in: table) {
                numbers.insert($0)
            } orDamaged: {
                keys.append($0)
            }
        }
        // From here on, no call can fail.
        for key in keys { rows.cache.remove { $0.raw(key) } }
        for url in urls { setNumber(nil, of: url) }
        for number in numbers.sorted() { release(number) }
        discardChannels()
        clearIndex()
        definedTables = []
        record(.clearedCachedData, source)
    }
}

extension Rows {
    /// Calls `body` with each channel number of a table's rows, and `orDamaged` with each key
    /// without a valid one, with one seek each.
    func forEachNumber(
        in table: Table, _ body: (ChannelNumber) -> Void,
        orDamaged: (KeyBytes) -> Void = { _ in }
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
