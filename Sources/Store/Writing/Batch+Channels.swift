public import Models

extension Batch {
    /// Saves a group channel, instead of what was there under its URL.
    ///
    /// A channel of which nothing was held before begins with its whole history as one gap.
    ///
    /// - Parameters:
    ///   - channel: The channel. One that is there already, byte by byte, changes nothing.
    ///   - source: Why, for those who observe.
    ///   - people: Whom it happened to, for those who observe.
    ///   - replaces: Whether it replaces the one that is held under its URL. The default is yes; a
    ///     version rule goes here, since what is held is read anyway. Not asked of an open channel
    ///     of the same URL, which is always replaced, nor of one that cannot be decoded.
    /// - Returns: Whether it was saved.
    /// - Throws: ``StoreError`` with code `invalid` if it has no URL, or one that is longer than 65,535
    ///   bytes; `io`, or `corruption` if its number is damaged.
    /// - Complexity: One lookup, two for a channel that is new.
    @discardableResult
    public func save(
        _ channel: GroupChannel, source: CollectionEventSource? = nil, people: EventPeople? = nil,
        replaces: (_ held: GroupChannel) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        let isSaved = try save(.group(channel), channel.url) { held in
            guard case .group(let held) = held else { return true }
            return held != channel && replaces(held)
        }
        if isSaved { note(.savedGroupChannel(channel), source, people) }
        return isSaved
    }

    /// Saves an open channel, instead of what was there under its URL.
    ///
    /// A channel of which nothing was held before begins with its whole history as one gap.
    ///
    /// - Parameters:
    ///   - channel: The channel. One that is there already, byte by byte, changes nothing.
    ///   - source: Why, for those who observe.
    ///   - replaces: Whether it replaces the one that is held under its URL. The default is yes. Not
    ///     asked of a group channel of the same URL, which is always replaced, nor of one that
    ///     cannot be decoded.
    /// - Returns: Whether it was saved.
    /// - Throws: ``StoreError`` with code `invalid` if it has no URL, or one that is longer than 65,535
    ///   bytes; `io`, or `corruption` if its number is damaged.
    /// - Complexity: Two lookups.
    @discardableResult
    public func save(
        _ channel: OpenChannel, source: CollectionEventSource? = nil,
        replaces: (_ held: OpenChannel) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        let isSaved = try save(.open(channel), channel.url) { held in
            guard case .open(let held) = held else { return true }
            return held != channel && replaces(held)
        }
        if isSaved { note(.savedOpenChannel(channel), source) }
        return isSaved
    }

    /// Removes a channel with its messages, gaps and all else that is held of it but its drafts.
    ///
    /// - Returns: Whether anything was held of it.
    /// - Throws: ``StoreError`` with code `io`, or `corruption` if its number is damaged; nothing else
    ///   of it need be readable.
    /// - Complexity: O(1). The rows are out of reach at once, and leave the disk after the commit.
    @discardableResult
    public func removeChannel(
        _ url: ChannelURL, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        guard let number = try number(of: url) else { return false }
        try whole { () throws(StoreError) in
            if let old = try storedChannel(url, number) {
                channelChanges.append(
                    ChannelRowChange(old: old, oldNumber: number, new: nil, newNumber: number))
            }
            try giveUp(number, of: url)
        }
        note(.removedChannel(url), source)
        return true
    }

    /// Replaces all group channels: saves these, and removes every other one with its messages.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if one of them has no URL, or one that is longer
    ///   than 65,535 bytes; `io`, or `corruption` if the URL or the number of a channel is damaged.
    /// - Complexity: Two lookups for each channel, new or held.
    public func replaceGroupChannels(
        with channels: [GroupChannel], source: CollectionEventSource? = nil
    ) throws(StoreError) {
        for channel in channels { try checkURL(channel.url) }
        let kept = Set(channels.map(\.url))
        let held = try groupChannelURLs()
        try whole { () throws(StoreError) in
            for old in held where !kept.contains(old) { try removeChannel(old, source: source) }
            for channel in channels { try save(channel, source: source) }
        }
    }

    /// Notes that a channel was opened just now.
    ///
    /// What was not opened for longest is evicted first.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the channel has no URL, or one that is longer
    ///   than 65,535 bytes; `io`, or `corruption` if its number is damaged.
    /// - Complexity: One lookup; the first one of a store O(*c*) in the channels.
    public func noteAccess(to url: ChannelURL) throws(StoreError) {
        let number = try number(giving: url)
        let turn = if let turn = next.access { turn } else { try lastAccess() &+ 1 }
        next.access = turn &+ 1
        var state = try state(of: number)
        state.lastAccess = turn
        putState(state, number)
    }

    /// Says whether a channel's messages are never evicted.
    ///
    /// A channel of which nothing is held yet can be pinned before anything comes. Pins are on the
    /// disk, and outlive the process; see ``removeAllPins()``.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the channel has no URL, or one that is longer
    ///   than 65,535 bytes; `io`, or `corruption` if its number is damaged.
    /// - Complexity: One lookup.
    public func setPinned(_ isPinned: Bool, _ url: ChannelURL) throws(StoreError) {
        if !isPinned, try self.number(of: url) == nil { return }
        let number = try number(giving: url)
        var state = try state(of: number)
        state.isPinned = isPinned
        putState(state, number)
    }

    /// Takes the pins off all channels.
    ///
    /// The store never does so by itself: it does not know which pins are meant to stay. Who pins
    /// what is on the screen calls this after opening, since after a crash nobody else takes those
    /// pins off, and then pins what is to stay.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`; then nothing was done.
    /// - Complexity: O(*c*) in the channels.
    @discardableResult
    public func removeAllPins() throws(StoreError) -> Int {
        let pinned = try cache.pinnedNumbers()
        for number in pinned {
            var state = try state(of: number)
            state.isPinned = false
            putState(state, number)
        }
        return pinned.count
    }
}

// MARK: Rows

extension Batch {
    private func save(
        _ channel: AnyChannel, _ url: ChannelURL, replaces: (AnyChannel) -> Bool
    ) throws(StoreError) -> Bool {
        try whole { () throws(StoreError) in
            let number = try number(giving: url)
            let old = try storedChannel(url, number)
            if let old, !replaces(old) { return false }
            put(channel, number, insteadOf: old)
            return true
        }
    }

    private func put(_ channel: AnyChannel, _ number: ChannelNumber, insteadOf old: AnyChannel?) {
        // What was an open channel may have become a group channel of the same name.
        if let old, old.table != channel.table {
            rows.cache.remove { $0.table(old.table, number) }
        }
        putChannel(channel, number)
        channelChanges.append(
            ChannelRowChange(old: old, oldNumber: number, new: channel, newNumber: number))
    }

    func putChannel(_ channel: AnyChannel, _ number: ChannelNumber) {
        rows.cache.put(
            { $0.table(channel.table, number) },
            { writer in
                switch channel {
                case .group(let channel): channel.withSerializedBytes { writer.raw($0) }
                case .open(let channel): channel.withSerializedBytes { writer.raw($0) }
                }
            })
    }

    /// The channel that is held; one that cannot be read is removed, since nothing else would be
    /// able to replace it.
    func storedChannel(
        _ url: ChannelURL, _ number: ChannelNumber
    ) throws(StoreError) -> AnyChannel? {
        for table in [Table.groupChannel, .openChannel] {
            let key = ByteWriter.key { $0.table(table, number) }
            let value = try cache.withValue(of: key) { (value) throws(StoreError) in
                value.map(Array.init)
            }
            guard let value else { continue }
            do throws(SerializationError) {
                return table == .groupChannel
                    ? .group(try GroupChannel(serialized: value))
                    : .open(try OpenChannel(serialized: value))
            } catch {
                rows.cache.remove { $0.raw(key) }
                hasReplacedUnreadable = true
            }
        }
        return nil
    }

    /// All of them, those too that no list shows.
    private func groupChannelURLs() throws(StoreError) -> [ChannelURL] {
        var numbers: [ChannelNumber] = []
        let cache = cache
        let range = KeyRange(prefix: [Table.groupChannel.rawValue])
        try cache.scan(range) { (key, _) throws(StoreError) in
            numbers.append(try cache.channelNumber(ofKey: key))
            return true
        }
        return try cache.urls(of: numbers)
    }

    private func lastAccess() throws(StoreError) -> UInt64 {
        var last: UInt64 = 0
        let cache = cache
        try cache.scan(KeyRange(prefix: [Table.state.rawValue])) { (_, value) throws(StoreError) in
            // One that is damaged must not keep all others from being opened.
            if let state = try? cache.state(value) { last = max(last, state.lastAccess) }
            return true
        }
        return last
    }
}
