public import Models

extension StoreReader {
    /// Returns a group channel; `nil` if it is not stored.
    public func groupChannel(_ url: ChannelURL) throws(StoreError) -> GroupChannel? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.record(
            ByteWriter.key { $0.table(.groupChannel, number) }, as: "group channel \(url)")
    }

    /// Returns an open channel; `nil` if it is not stored.
    public func openChannel(_ url: ChannelURL) throws(StoreError) -> OpenChannel? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.record(
            ByteWriter.key { $0.table(.openChannel, number) }, as: "open channel \(url)")
    }

    /// Returns the group channels of a list, in its order.
    ///
    /// The list omits channels that cannot be decoded.
    ///
    /// - Parameters:
    ///   - query: The filters and the order, as defined by
    ///     ``/Models/GroupChannelListQuery/belongsTo(_:currentUserID:)`` and
    ///     ``/Models/GroupChannelListQuery/precedes(_:_:)``. Its `limit` is ignored.
    ///   - last: The last channel of the previous page, as that page returned it; `nil` for the
    ///     first page. The page starts after the position that this value and its current labels
    ///     have in the list, even if the stored channel has moved since.
    ///   - limit: The maximum number of channels; `nil` for all.
    ///   - currentUserID: The current user, whom filters by the nicknames of members ignore.
    /// - Returns: The channels. There are fewer than `limit` only at the end of the list.
    /// - Throws: `closed`, `io` or `corruption`.
    /// - Complexity: A lookup for each visited channel, except for about a hundred cached ones.
    ///   Without a limit, one scan reads the whole list. The first request for an order reads all
    ///   channels and keeps the sorted list; a ninth order discards the lists of the other eight.
    ///   The first hundred channels are available without that, if the order was requested before
    ///   the store was last closed or suspended, and no channel has changed since. Inside a batch,
    ///   O(*b*) more in the written rows. A query that uses labels first reads the labels of all
    ///   channels, and each channel with a label that it selects.
    public func groupChannels(
        matching query: GroupChannelListQuery = GroupChannelListQuery(),
        after last: GroupChannel? = nil, limit: Int? = nil, currentUserID: UserID? = nil
    ) throws(StoreError) -> [GroupChannel] {
        var position: ChannelListPosition?
        if let last {
            let labels = query.usesLabels ? try channelLabels()[last.url] : nil
            position = ChannelListPosition(of: last, in: query, labels: labels ?? ChannelLabels())
        }
        var visits = ChannelVisits.unlimited
        return try groupChannels(
            matching: query, after: position, limit: limit, currentUserID: currentUserID,
            visiting: &visits)
    }

    /// Returns the group channels after a position, as
    /// ``groupChannels(matching:after:limit:currentUserID:)`` does, up to the limit of `visits`.
    package func groupChannels(
        matching query: GroupChannelListQuery, after position: ChannelListPosition?,
        limit: Int? = nil, currentUserID: UserID? = nil, visiting visits: inout ChannelVisits
    ) throws(StoreError) -> [GroupChannel] {
        if query.usesLabels {
            return try labeledChannels(
                matching: query, after: position, limit: limit, currentUserID: currentUserID,
                visiting: &visits)
        }
        return try view.channels(
            ChannelSorting(query), of: query, after: position?.key, limit: limit, visiting: &visits
        ) { query.belongsTo($0, currentUserID: currentUserID) }
    }

    /// Returns the open channels, newest first.
    ///
    /// The parameters are those of ``groupChannels(matching:after:limit:currentUserID:)``.
    ///
    /// - Complexity: A lookup for each channel; the first request may read all.
    public func openChannels(
        after last: OpenChannel? = nil, limit: Int? = nil
    ) throws(StoreError) -> [OpenChannel] {
        var visits = ChannelVisits.unlimited
        return try view.channels(
            .open, after: last.flatMap { ChannelSorting.open.key(of: .open($0), .max) },
            limit: limit, visiting: &visits
        ) { (_: OpenChannel) in true }
    }

    /// Returns the number of stored group channels, except undecodable ones.
    ///
    /// - Complexity: The first call reads all channels once; later calls are O(1). Inside a batch,
    ///   O(*b*) in the written rows.
    public func groupChannelCount() throws(StoreError) -> Int {
        try view.sorted(by: .group(.latestLastMessage, metaDataKey: nil)).keys.count
    }

    /// Returns the number of open channels, except undecodable ones.
    package func openChannelCount() throws(StoreError) -> Int {
        try view.sorted(by: .open).keys.count
    }

    /// Returns the URLs of all channels with stored data, in byte order, at a cost of O(*c*).
    public func channelURLs() throws(StoreError) -> [ChannelURL] {
        let cache = try view.cache
        var urls: [ChannelURL] = []
        try cache.forEachRow(in: KeyRange(Table.name)) { (key, _) throws(StoreError) in
            urls.append(try cache.channelURL(ofNameKey: key))
        }
        return urls
    }

    /// Returns whether a channel's messages are exempt from eviction.
    public func isKeptInCache(_ url: ChannelURL) throws(StoreError) -> Bool {
        try view.outbox.contains(ByteWriter.key { $0.pinKey(url) })
    }

    /// Returns the channels whose messages are exempt from eviction, in byte order, except those
    /// whose URL cannot be decoded.
    public func channelURLsKeptInCache() throws(StoreError) -> [ChannelURL] {
        let outbox = try view.outbox
        var urls: [ChannelURL] = []
        try outbox.forEachRow(in: KeyRange(OutboxTable.pin)) { key, _ in
            if let url = try? outbox.text(ofKey: key, as: "the channel of a pin") {
                urls.append(ChannelURL(url))
            }
        }
        return urls
    }

    /// Returns the channels with stored data, starting with the least recently opened one.
    ///
    /// Channels that were never opened, or whose state cannot be decoded, precede all others, in
    /// the order in which they were first stored.
    ///
    /// - Complexity: O(*c* log *c*) in the number of channels.
    public func channelURLsByAccess() throws(StoreError) -> [ChannelURL] {
        try cachedChannels().map(\.url)
    }

    /// Returns the channels with stored data, in the order and at the cost of
    /// ``channelURLsByAccess()``.
    ///
    /// If the message count of a channel cannot be decoded, it is 0.
    public func cachedChannels() throws(StoreError) -> [CachedChannel] {
        let view = try view
        let cache = view.cache
        let kept = Set(try OneCommit(view: view).channelURLsKeptInCache())
        var channels: [(number: ChannelNumber, channel: CachedChannel)] = []
        try cache.forEachRow(in: KeyRange(Table.url)) { (key, value) throws(StoreError) in
            let number = try cache.number(ofKey: key)
            let url = try cache.decode(value, as: "the URL of channel \(number)") {
                (reader) throws(ByteReader.Damage) in ChannelURL(try reader.text())
            }
            let state = try cache.state(of: number) ?? ChannelState()
            let channel = CachedChannel(
                url: url, messageCount: Int(state.messageCount), isKeptInCache: kept.contains(url),
                lastAccess: state.lastAccess)
            channels.append((number, channel))
        }
        channels.sort { ($0.channel.lastAccess, $0.number) < ($1.channel.lastAccess, $1.number) }
        return channels.map(\.channel)
    }

    /// Returns a user; `nil` if the user is not stored.
    public func user(_ id: UserID) throws(StoreError) -> User? {
        try view.cache.record(ByteWriter.key { $0.userKey(id) }, as: "user \(id)")
    }
}

extension Rows {
    func url(of number: ChannelNumber) throws(StoreError) -> ChannelURL? {
        try read(ByteWriter.key { $0.table(.url, number) }, as: "the URL of channel \(number)") {
            (reader) throws(ByteReader.Damage) in ChannelURL(try reader.text())
        }
    }

    /// Returns the URLs in the order of the numbers, omitting numbers without a channel.
    func urls(of numbers: [ChannelNumber]) throws(StoreError) -> [ChannelURL] {
        var urls: [ChannelURL] = []
        for number in numbers {
            if let url = try url(of: number) { urls.append(url) }
        }
        return urls
    }
}

extension StoreView {
    fileprivate func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        var keys = try committed.sorted(by: sorting)
        guard let batch, !batch.cache.isEmpty else { return keys }
        let stored = Rows(snapshot: committed.cache)
        for row in batch.cache.rows(in: KeyRange(sorting.table)) {
            let number = try row.key.withBytes { (key) throws(StoreError) in
                try stored.number(ofKey: key)
            }
            let old = try stored.withValue(of: row.key) { (value) throws(StoreError) in
                value.flatMap { sorting.key(ofRow: $0, number, in: stored) }
            }
            let new = row.value?.withBytes { sorting.key(ofRow: $0, number, in: stored) }
            keys.replace(old, with: new)
        }
        return keys
    }

    func channels<Value: ListedChannel>(
        _ sorting: ChannelSorting, of query: GroupChannelListQuery? = nil, after last: KeyBytes?,
        limit: Int?, visiting visits: inout ChannelVisits, _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value] {
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        if limit == .max && last == nil { return try allChannels(sorting, isIncluded) }
        let known = batch == nil ? committed.knownList(by: sorting) : nil
        if batch == nil, known == nil,
            let channels = try savedPage(sorting, after: last, limit, isIncluded)
        {
            return channels
        }
        if known == nil, batch == nil,
            try committed.hasMoreChannels(than: visits.remaining, in: sorting.table)
        {
            visits.needsSorting = true
            return []
        }
        let list = if let known { known } else { try sorted(by: sorting) }
        var channels: [Value] = []
        // This key follows that of `last`.
        let start = last.map { list.countBefore($0 + [0]) } ?? 0
        for key in list.keys[start...] {
            let number = ChannelSorting.number(ofKey: key)
            let channel: Value? = try channel(number, in: sorting.table, isIncluded)
            if let channel { channels.append(channel) }
            if channels.count == limit || !visits.allowsMore(after: key, in: query) { break }
        }
        return channels
    }

    /// Returns `nil` if the saved first channels are outdated or too few.
    private func savedPage<Value: ListedChannel>(
        _ sorting: ChannelSorting, after last: KeyBytes?, _ limit: Int,
        _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value]? {
        guard let numbers = try Rows(snapshot: committed.cache).savedLists()[sorting] else {
            return nil
        }
        let isWhole = numbers.count < SavedLists.length
        guard isWhole || limit <= numbers.count else { return nil }
        var channels: [Value] = []
        for number in numbers {
            guard let channel: Value = try channel(number, in: sorting.table, isIncluded) else {
                continue
            }
            if let last, let key = sorting.key(of: channel.ofAnyKind, number), !last.precedes(key) {
                continue
            }
            channels.append(channel)
            if channels.count == limit { return channels }
        }
        return isWhole ? channels : nil
    }

    /// Returns `nil` if the list omits the channel.
    func channel<Value: ListedChannel>(
        _ number: ChannelNumber, in table: Table, _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> Value? {
        if batch == nil,
            let channel = committed.derived.withLock({ $0.channels[number] })
                .flatMap(Value.init(of:))
        {
            return isIncluded(channel) ? channel : nil
        }
        let row = ByteWriter.key { $0.table(table, number) }
        let channel: Value? = try cache.readableRecord(row)
        // Channels that a filter excludes may be many, and would displace the shown channels.
        guard let channel, isIncluded(channel) else { return nil }
        if batch == nil {
            committed.derived.withLock { $0.keep(channel.ofAnyKind, number) }
        }
        return channel
    }

    /// Reads all channels in one scan, which takes half as long as looking up each channel.
    private func allChannels<Value: ListedChannel>(
        _ sorting: ChannelSorting, _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value] {
        let list = try sorted(by: sorting)
        let cache = cache
        var stored: [ChannelNumber: Value] = [:]
        stored.reserveCapacity(list.keys.count)
        try cache.forEachRow(in: KeyRange(sorting.table)) { key, value in
            if let number = cache.readableNumber(ofKey: key),
                let channel: Value = cache.readableRecord(value), isIncluded(channel)
            {
                stored[number] = channel
            }
        }
        var channels: [Value] = []
        channels.reserveCapacity(stored.count)
        for key in list.keys {
            if let channel = stored[ChannelSorting.number(ofKey: key)] { channels.append(channel) }
        }
        return channels
    }
}
