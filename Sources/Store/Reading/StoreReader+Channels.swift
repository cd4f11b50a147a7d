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
    /// A channel that cannot be decoded is left out, so that it does not hide all others;
    /// ``unreadableChannelURLs()`` names it.
    ///
    /// - Parameters:
    ///   - query: Which channels, and in which order, by
    ///     ``/Models/GroupChannelListQuery/belongsTo(_:currentUserID:)`` and
    ///     ``/Models/GroupChannelListQuery/precedes(_:_:)``. Its `limit` is not looked at.
    ///   - last: The last channel of the page before, as it was then; the page begins behind it,
    ///     wherever the channel is now. `nil` is the first page.
    ///   - limit: The most channels to return. The default, `nil`, returns all.
    ///   - currentUserID: The user that the filters by nickname leave out.
    /// - Returns: The channels; fewer than `limit` only if the list ends there.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: A lookup for each channel walked over, but for the last hundred or so that lists
    ///   have returned and nobody changed since, which are kept in memory; the whole list is one
    ///   walk over the rows, and faster than many pages. The first list of an order reads all channels once; so does one
    ///   that is none of the last eight orders asked for. Pages among the first hundred channels need not, as
    ///   long as none has changed since the store was closed, or suspended, after somebody had asked for
    ///   the order. Within a batch, O(*b*) more in the rows that it has written.
    public func groupChannels(
        matching query: GroupChannelListQuery = GroupChannelListQuery(),
        after last: GroupChannel? = nil, limit: Int? = nil, currentUserID: UserID? = nil
    ) throws(StoreError) -> [GroupChannel] {
        try groupChannels(
            matching: query, after: last.map { ChannelPlace(of: $0, in: query) }, limit: limit,
            currentUserID: currentUserID)
    }

    /// Returns the group channels of a list behind a place in it, as
    /// ``groupChannels(matching:after:limit:currentUserID:)`` does behind a channel.
    package func groupChannels(
        matching query: GroupChannelListQuery, after place: ChannelPlace?, limit: Int? = nil,
        currentUserID: UserID? = nil
    ) throws(StoreError) -> [GroupChannel] {
        try view.channels(ChannelSorting(query), after: place?.key, limit: limit) {
            query.belongsTo($0, currentUserID: currentUserID)
        }
    }

    /// Returns the open channels, the newest first.
    ///
    /// A channel that cannot be decoded is left out; ``unreadableChannelURLs()`` names it.
    ///
    /// - Parameters:
    ///   - last: The last channel of the page before. `nil` is the first page.
    ///   - limit: The most channels to return. The default, `nil`, returns all.
    /// - Returns: The channels; fewer than `limit` only if the list ends there.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: A lookup for each channel. The first list reads all channels once, but for its beginning as
    ///   ``groupChannels(matching:after:limit:currentUserID:)``.
    public func openChannels(
        after last: OpenChannel? = nil, limit: Int? = nil
    ) throws(StoreError) -> [OpenChannel] {
        try view.channels(
            .open, after: last.flatMap { ChannelSorting.open.key(of: .open($0), .max) },
            limit: limit
        ) { (_: OpenChannel) in true }
    }

    /// Returns how many group channels are held, without those that cannot be decoded.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: The first call reads all channels once, later ones nothing. Within a batch,
    ///   O(*b*) in the rows that it has written.
    public func groupChannelCount() throws(StoreError) -> Int {
        try view.sorted(by: .group(.chronological, metaDataKey: nil)).count
    }

    /// Returns how many open channels are held, without those that cannot be decoded.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: That of ``groupChannelCount()``.
    public func openChannelCount() throws(StoreError) -> Int {
        try view.sorted(by: .open).count
    }

    /// Returns the names of all channels of which anything is held, in the order of their bytes.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a name cannot be decoded.
    /// - Complexity: O(*c*) in the channels.
    public func channelURLs() throws(StoreError) -> [ChannelURL] {
        let cache = try view.cache
        var urls: [ChannelURL] = []
        try cache.scan(KeyRange(prefix: [Table.name.rawValue])) { (key, _) throws(StoreError) in
            urls.append(try cache.channelURL(ofNameKey: key))
            return true
        }
        return urls
    }

    /// Returns whether a channel's messages are never evicted.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if what is remembered of the channel cannot
    ///   be decoded.
    /// - Complexity: One lookup.
    public func isPinned(_ url: ChannelURL) throws(StoreError) -> Bool {
        let view = try view
        guard let number = try view.number(of: url) else { return false }
        return try view.cache.state(of: number)?.isPinned ?? false
    }

    /// Returns the channels whose messages are never evicted, in the order they were met.
    ///
    /// Those of which that cannot be decoded are left out, and can be evicted.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the URL of a channel cannot be decoded.
    /// - Complexity: O(*c*) in the channels, with a lookup for each that is pinned.
    public func pinnedChannelURLs() throws(StoreError) -> [ChannelURL] {
        let cache = try view.cache
        return try cache.urls(of: try cache.pinnedNumbers())
    }

    /// Returns the channels of which anything is held, the least recently opened first.
    ///
    /// Those that were never opened, or of which that cannot be decoded, come before the others, in
    /// the order they were met.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the URL of a channel cannot be decoded.
    /// - Complexity: O(*c* log *c*) in the channels, with two lookups for each.
    public func channelURLsByAccess() throws(StoreError) -> [ChannelURL] {
        try cachedChannels().map(\.url)
    }

    /// Returns what is remembered of each channel of which anything is held, in the order of
    /// ``channelURLsByAccess()``.
    ///
    /// Of one whose count cannot be decoded, as if nothing were held of its messages.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the URL of a channel cannot be decoded.
    /// - Complexity: O(*c* log *c*) in the channels, with a lookup for each.
    public func cachedChannels() throws(StoreError) -> [CachedChannel] {
        let cache = try view.cache
        var channels: [(number: ChannelNumber, channel: CachedChannel)] = []
        try cache.scan(KeyRange(prefix: [Table.url.rawValue])) { (key, value) throws(StoreError) in
            let number = try cache.channelNumber(ofKey: key)
            let url = try cache.decode(value, as: "the URL of channel \(number)") {
                (reader) throws(ByteReader.Damage) in ChannelURL(try reader.text())
            }
            let state = try cache.readableState(of: number) ?? ChannelState()
            channels.append((number, CachedChannel(url, state)))
            return true
        }
        channels.sort { ($0.channel.lastAccess, $0.number) < ($1.channel.lastAccess, $1.number) }
        return channels.map(\.channel)
    }

    /// Returns the channels that are held but cannot be decoded, and that lists leave out.
    ///
    /// What else is held of them, such as their messages, can be read. Saving such a channel anew
    /// heals it.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: O(*c*) in the channels; decodes each.
    public func unreadableChannelURLs() throws(StoreError) -> [ChannelURL] {
        let cache = try view.cache
        var numbers: [ChannelNumber] = []
        for sorting in [ChannelSorting.group(.chronological, metaDataKey: nil), .open] {
            let table = KeyRange(prefix: [sorting.table.rawValue])
            try cache.scan(table) { (key, value) throws(StoreError) in
                if let number = cache.readableNumber(ofKey: key),
                    sorting.key(ofRow: value, number) == nil
                {
                    numbers.append(number)
                }
                return true
            }
        }
        return try cache.urls(of: numbers)
    }

    /// Returns a user; `nil` if nothing is held of them.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if they cannot be decoded.
    /// - Complexity: One lookup.
    public func user(_ id: UserID) throws(StoreError) -> User? {
        try view.cache.record(ByteWriter.key { $0.userKey(id) }, as: "user \(id)")
    }
}

extension Rows {
    /// The numbers of the channels that are pinned, in their order.
    func pinnedNumbers() throws(StoreError) -> [ChannelNumber] {
        // What a batch has changed is not in rows yet.
        let counted = counted?.states ?? [:]
        var numbers = counted.filter(\.value.isPinned).map(\.key)
        try scan(KeyRange(prefix: [Table.state.rawValue])) { (key, value) throws(StoreError) in
            guard let number = readableNumber(ofKey: key), counted[number] == nil else {
                return true
            }
            // Lists leave out what is damaged.
            if let state = try? state(value), state.isPinned { numbers.append(number) }
            return true
        }
        return numbers.sorted()
    }

    /// The URLs of channels, in the order of the numbers, without those that have none any more.
    func urls(of numbers: [ChannelNumber]) throws(StoreError) -> [ChannelURL] {
        var urls: [ChannelURL] = []
        for number in numbers {
            let url = try read(
                ByteWriter.key { $0.table(.url, number) }, as: "the URL of channel \(number)"
            ) { (reader) throws(ByteReader.Damage) in ChannelURL(try reader.text()) }
            if let url { urls.append(url) }
        }
        return urls
    }
}

extension StoreView {
    /// The channels in an order; of a batch, by what it did to the rows of channels.
    fileprivate func sorted(by sorting: ChannelSorting) throws(StoreError) -> SortedKeys {
        var keys = try version.sorted(by: sorting)
        guard let batch, !batch.cache.isEmpty else { return keys }
        let table = KeyRange(prefix: [sorting.table.rawValue])
        let stored = Rows(snapshot: version.cache)
        for row in batch.cache.rows(in: table) {
            let number = try row.key.withBytes { (key) throws(StoreError) in
                try stored.channelNumber(ofKey: key)
            }
            let old = try stored.withValue(of: row.key) { (value) throws(StoreError) in
                value.flatMap { sorting.key(ofRow: $0, number) } ?? []
            }
            let new = row.value?.withBytes { sorting.key(ofRow: $0, number) } ?? []
            old.withBytes { old in new.withBytes { keys.replace(old, with: $0) } }
        }
        return keys
    }

    fileprivate func channels<Value: ListedChannel>(
        _ sorting: ChannelSorting, after last: KeyBytes?, limit: Int?,
        _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value] {
        let limit = limit ?? .max
        guard limit > 0 else { return [] }
        if limit == .max && last == nil { return try allChannels(sorting, isIncluded) }
        let known = batch == nil ? version.knownList(by: sorting) : nil
        if batch == nil, known == nil,
            let channels = try savedPage(sorting, after: last, limit, isIncluded)
        {
            return channels
        }
        let keys = if let known { known } else { try sorted(by: sorting) }
        var channels: [Value] = []
        // The number of a last channel is the greatest there is, so this is behind it.
        let start = last.map { $0 + [0] }
        try keys.forEach(from: start) { (key) throws(StoreError) in
            let number = ChannelSorting.number(ofKey: key)
            let channel: Value? = try channel(number, in: sorting.table, isIncluded)
            if let channel { channels.append(channel) }
            return channels.count < limit
        }
        return channels
    }

    /// A page of a commit that lies in what was saved of a list; `nil` if it does not, or nothing was.
    private func savedPage<Value: ListedChannel>(
        _ sorting: ChannelSorting, after last: KeyBytes?, _ limit: Int,
        _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value]? {
        guard let beginning = try version.savedBeginning(of: sorting),
            beginning.isWhole || limit <= beginning.numbers.count
        else { return nil }
        var channels: [Value] = []
        for number in beginning.numbers {
            guard let channel: Value = try channel(number, in: sorting.table, isIncluded) else {
                continue
            }
            if let last, let key = sorting.key(of: channel.ofAnyKind, number), !last.precedes(key) {
                continue
            }
            channels.append(channel)
            if channels.count == limit { return channels }
        }
        return beginning.isWhole ? channels : nil
    }

    /// A channel that is in a list; of those that were last, kept in memory.
    private func channel<Value: ListedChannel>(
        _ number: ChannelNumber, in table: Table, _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> Value? {
        if batch == nil,
            let channel = version.latest.channel(number, asOf: version.number)
                .flatMap(Value.init(of:))
        {
            return isIncluded(channel) ? channel : nil
        }
        let row = ByteWriter.key { $0.table(table, number) }
        let channel: Value? = try cache.readableRecord(row)
        // Those that a filter leaves out are many, and keep out those that are shown.
        guard let channel, isIncluded(channel) else { return nil }
        if batch == nil {
            version.latest.keep(channel.ofAnyKind, number, asOf: version.number)
        }
        return channel
    }

    /// Walks over the rows and puts them in order, which takes half as long as looking each one up.
    private func allChannels<Value: ListedChannel>(
        _ sorting: ChannelSorting, _ isIncluded: (Value) -> Bool
    ) throws(StoreError) -> [Value] {
        let keys = try sorted(by: sorting)
        let cache = cache
        var held: [ChannelNumber: Value] = [:]
        held.reserveCapacity(keys.count)
        try cache.scan(KeyRange(prefix: [sorting.table.rawValue])) {
            (key, value) throws(StoreError) in
            if let number = cache.readableNumber(ofKey: key),
                let channel: Value = cache.readableRecord(value), isIncluded(channel)
            {
                held[number] = channel
            }
            return true
        }
        var channels: [Value] = []
        channels.reserveCapacity(held.count)
        // swift-format-ignore: ReplaceForEachWithForLoop
        keys.forEach { key in
            if let channel = held[ChannelSorting.number(ofKey: key)] { channels.append(channel) }
            return true
        }
        return channels
    }
}
