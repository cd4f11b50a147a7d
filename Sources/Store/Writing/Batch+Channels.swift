public import Models

extension Batch {
    /// Saves a group channel, replacing the stored channel with the same URL.
    ///
    /// The history of a new channel is one gap. An unchanged channel is not saved. Observers
    /// receive the `source` and the affected `people`.
    ///
    /// `replaces` receives the stored channel and returns whether to replace it, which saves the
    /// caller a lookup; it is not called for a stored open channel. The result indicates whether
    /// the channel was saved.
    ///
    /// - Throws: `invalid` if the URL is empty or longer than 65,535 bytes.
    @discardableResult
    public func save(
        _ channel: GroupChannel, source: CollectionEventSource? = nil, people: EventPeople? = nil,
        replaces: (_ stored: GroupChannel) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        let isSaved = try save(.group(channel), channel.url) { stored in
            guard case .group(let stored) = stored else { return true }
            return stored != channel && replaces(stored)
        }
        if isSaved { record(.savedGroupChannel(channel), source, people) }
        return isSaved
    }

    /// Saves an open channel, as ``save(_:source:people:replaces:)`` does for a group channel.
    @discardableResult
    public func save(
        _ channel: OpenChannel, source: CollectionEventSource? = nil,
        replaces: (_ stored: OpenChannel) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        let isSaved = try save(.open(channel), channel.url) { stored in
            guard case .open(let stored) = stored else { return true }
            return stored != channel && replaces(stored)
        }
        if isSaved { record(.savedOpenChannel(channel), source) }
        return isSaved
    }

    /// Removes a channel with all data except its outbox items, draft and pin, and returns whether
    /// any was stored.
    ///
    /// - Complexity: O(*r*) in the rows of the app's cached tables whose keys begin with the
    ///   channel. All other rows are hidden immediately, and removed from the disk later.
    @discardableResult
    public func removeChannel(
        _ url: ChannelURL, source: CollectionEventSource? = nil, people: EventPeople? = nil
    ) throws(StoreError) -> Bool {
        guard let number = try number(of: url) else { return false }
        try whole { () throws(StoreError) in
            if let old = try storedChannel(url, number) {
                channelChanges.append(
                    ChannelRowChange(old: old, oldNumber: number, new: nil, newNumber: number))
            }
            try removeRows(of: url)
            try release(number, of: url)
        }
        record(.removedChannel(url), source, people)
        return true
    }

    /// Records that a channel was opened; eviction starts with the least recently opened ones.
    ///
    /// - Throws: `invalid` if the URL is empty or longer than 65,535 bytes.
    /// - Complexity: One lookup; the first call of a store is O(*c*) in the channels.
    public func recordAccess(to url: ChannelURL) throws(StoreError) {
        let number = try number(assigningTo: url)
        let turn = if let turn = next.access { turn } else { try lastAccess() &+ 1 }
        next.access = turn &+ 1
        var state = try state(of: number)
        state.lastAccess = turn
        putState(state, number)
    }
}

// MARK: Rows

extension Batch {
    private func save(
        _ channel: AnyChannel, _ url: ChannelURL, replaces: (AnyChannel) -> Bool
    ) throws(StoreError) -> Bool {
        try whole { () throws(StoreError) in
            let number = try number(assigningTo: url)
            let old = try storedChannel(url, number)
            if let old, !replaces(old) { return false }
            put(channel, number, insteadOf: old)
            return true
        }
    }

    private func put(_ channel: AnyChannel, _ number: ChannelNumber, insteadOf old: AnyChannel?) {
        // The stored channel may be of the other type, and in the other table.
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

    func storedChannel(
        _ url: ChannelURL, _ number: ChannelNumber
    ) throws(StoreError) -> AnyChannel? {
        let group: GroupChannel? = try cache.record(
            ByteWriter.key { $0.table(.groupChannel, number) }, as: "channel \(url)")
        if let group { return .group(group) }
        let open: OpenChannel? = try cache.record(
            ByteWriter.key { $0.table(.openChannel, number) }, as: "channel \(url)")
        return open.map { .open($0) }
    }

    private func lastAccess() throws(StoreError) -> UInt64 {
        var last: UInt64 = 0
        let cache = cache
        try cache.forEachRow(in: KeyRange(Table.state)) { _, value in
            // A damaged row must not prevent other channels from being opened.
            if let state = try? cache.state(value) { last = max(last, state.lastAccess) }
        }
        return last
    }
}
