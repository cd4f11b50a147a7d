public import Models

extension Batch {
    /// Removes all that the server can give again; drafts stay.
    ///
    /// That is: channels with all that is held of them, users and tokens. Pins and accesses go with
    /// their channels, so who shows a channel pins it again. What is damaged goes too.
    ///
    /// - Parameter source: Why, for those who observe: they are told of it once, and not of what
    ///   was there.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`; then nothing was done.
    /// - Complexity: O(*c* + *u*) in the channels, with a dozen seeks for each, and in the users. The
    ///   rows of channels are out of reach at once, and leave the disk with the commits after this;
    ///   ``ChatStore/clearCachedData()`` waits for that.
    public func clearCachedData(source: CollectionEventSource? = nil) throws(StoreError) {
        let cache = cache
        var names: [(url: ChannelURL, number: ChannelNumber?)] = []
        var keys: [KeyBytes] = []
        for table in [Table.name, .user, .token] {
            try cache.scan(KeyRange(prefix: [table.rawValue])) { (key, value) throws(StoreError) in
                keys.append(Array(key))
                // What cannot be read has no name that anybody knows it by.
                if table == .name, let url = try? cache.channelURL(ofNameKey: key) {
                    names.append((url, try? cache.channelNumber(ofNameValue: value)))
                }
                return true
            }
        }
        // Those that the batch has given are not all on the disk yet.
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
    /// Calls a closure with each number that has rows in a table, and another with each key that
    /// has no number.
    ///
    /// - Complexity: A seek for each of them, however many rows they have.
    fileprivate func forEachNumber(
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
