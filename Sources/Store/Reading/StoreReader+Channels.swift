public import Models

extension StoreReader {
    /// Returns a group channel; `nil` if it is not held.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if it cannot be decoded.
    /// - Complexity: One lookup.
    public func groupChannel(_ url: ChannelURL) throws(StoreError) -> GroupChannel? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.record(
            ByteWriter.key { $0.table(.groupChannel, number) }, as: "group channel \(url)")
    }

    /// Returns an open channel; `nil` if it is not held.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if it cannot be decoded.
    /// - Complexity: One lookup.
    public func openChannel(_ url: ChannelURL) throws(StoreError) -> OpenChannel? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.record(
            ByteWriter.key { $0.table(.openChannel, number) }, as: "open channel \(url)")
    }

    /// Returns the group channels of a list, in its order.
    ///
    /// - Parameters:
    ///   - query: Which channels, and in which order, by
    ///     ``Models/GroupChannelListQuery/belongsTo(_:currentUserID:)`` and
    ///     ``Models/GroupChannelListQuery/precedes(_:_:)``. Its `limit` is not looked at.
    ///   - last: The last channel of the page before, as it was then; the page begins behind it,
    ///     wherever the channel is now. `nil` is the first page.
    ///   - limit: The most channels to return. The default, `nil`, returns all.
    ///   - currentUserID: The user that the filters by nickname leave out.
    /// - Throws: ``StoreError`` with code `corruption` if a channel cannot be decoded.
    /// - Complexity: A lookup for each channel walked over. The first list of an order reads all
    ///   channels once.
    public func groupChannels(
        matching query: GroupChannelListQuery = GroupChannelListQuery(),
        after last: GroupChannel? = nil, limit: Int? = nil, currentUserID: UserID? = nil
    ) throws(StoreError) -> [GroupChannel] {
        let sorting = ChannelSorting(query)
        return try view.channels(
            sorting, after: last.map { sorting.key(of: $0, .max) }, limit: limit
        ) { query.belongsTo($0, currentUserID: currentUserID) }
    }

    /// Returns the open channels, the newest first.
    ///
    /// - Parameters:
    ///   - last: The last channel of the page before. `nil` is the first page.
    ///   - limit: The most channels to return. The default, `nil`, returns all.
    /// - Throws: ``StoreError`` with code `corruption` if a channel cannot be decoded.
    /// - Complexity: A lookup for each channel. The first list reads all channels once.
    public func openChannels(
        after last: OpenChannel? = nil, limit: Int? = nil
    ) throws(StoreError) -> [OpenChannel] {
        try view.channels(
            .open, after: last.flatMap { ChannelSorting.open.key(of: .open($0), .max) },
            limit: limit
        ) { (_: OpenChannel) in true }
    }

    /// Returns how many group channels are held.
    public func groupChannelCount() throws(StoreError) -> Int {
        try view.sorted(by: .group(.chronological, metaDataKey: nil)).count
    }

    /// Returns how many open channels are held.
    public func openChannelCount() throws(StoreError) -> Int {
        try view.sorted(by: .open).count
    }

    /// Returns the names of all channels of which anything is held, in no order.
    ///
    /// - Complexity: O(*c*) in the channels.
    public func channelURLs() throws(StoreError) -> [ChannelURL] {
        let cache = try view.cache
        var urls: [ChannelURL] = []
        try cache.scan(KeyRange(prefix: [Table.name.rawValue])) { (key, _) throws(StoreError) in
            urls.append(
                try cache.decode(key, as: "the name of a channel") {
                    (reader) throws(ByteReader.Damage) in
                    _ = try reader.byte()
                    return ChannelURL(try reader.text())
                })
            return true
        }
        return urls
    }

    /// Returns whether a channel's messages are never evicted.
    public func isPinned(_ url: ChannelURL) throws(StoreError) -> Bool {
        let view = try view
        guard let number = try view.number(of: url) else { return false }
        return try view.cache.state(of: number)?.isPinned ?? false
    }

    /// Returns the channels of which anything is held, the least recently opened first.
    ///
    /// Those that were never opened come before the others, in the order they were met.
    ///
    /// - Complexity: O(*c* log *c*) in the channels.
    public func channelURLsByAccess() throws(StoreError) -> [ChannelURL] {
        let cache = try view.cache
        var turns: [(turn: UInt64, number: ChannelNumber)] = []
        try cache.scan(KeyRange(prefix: [Table.url.rawValue])) { (key, _) throws(StoreError) in
            let number = try cache.channelNumber(ofKey: key)
            turns.append((try cache.state(of: number)?.lastAccess ?? 0, number))
            return true
        }
        var urls: [ChannelURL] = []
        for (_, number) in turns.sorted(by: { $0 < $1 }) {
            let url = try cache.read(
                ByteWriter.key { $0.table(.url, number) }, as: "the URL of channel \(number)"
            ) { (reader) throws(ByteReader.Damage) in ChannelURL(try reader.text()) }
            if let url { urls.append(url) }
        }
        return urls
    }

    /// Returns a user; `nil` if nothing is held of them.
    public func user(_ id: UserID) throws(StoreError) -> User? {
        try view.cache.record(ByteWriter.key { $0.userKey(id) }, as: "user \(id)")
    }
}

extension StoreView {
    /// The channels in an order. Where a batch has changed some, made anew.
    fileprivate func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        if let batch, !batch.cache.isEmpty { return try SortedKeys(cache, by: sorting) }
        return try version.sorted(by: sorting)
    }

    fileprivate func channels<Value: Channel>(
        _ sorting: ChannelSorting, after last: KeyBytes?, limit: Int?,
        _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value] {
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        var channels: [Value] = []
        let cache = cache
        // The number of a last channel is the greatest there is, so this is behind it.
        let start = last.map { $0 + [0] }
        try sorted(by: sorting).forEach(from: start) { (key) throws(StoreError) in
            let number = ChannelSorting.number(ofKey: key)
            let row = ByteWriter.key { $0.table(sorting.table, number) }
            let channel: Value? = try cache.record(row, as: "channel \(number)")
            if let channel, isIncluded(channel) { channels.append(channel) }
            return channels.count < limit
        }
        return channels
    }
}
