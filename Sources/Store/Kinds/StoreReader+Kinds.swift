public import Models

extension StoreReader {
    /// Returns the stored messages of one or more kinds, newest first.
    ///
    /// Each message is returned once. Messages with the same position are ordered by channel URL.
    /// There are fewer than `limit` messages only if no older ones are stored; a limit below 1
    /// returns none. The gaps show whether the server has more.
    ///
    /// A mention mentions `userID` or all users. Without a `url`, all channels are read. `last` is
    /// the last message of the previous page; changes in between cause no other message to be
    /// repeated or omitted.
    ///
    /// - Complexity: One seek for each kind, or for each kind and channel, and O(*n*) in the
    ///   returned messages; in mentions, also in those of more than 16 users.
    public func messages(
        of kinds: MessageKinds, for userID: UserID? = nil, in url: ChannelURL? = nil,
        after last: Message? = nil, limit: Int
    ) throws(StoreError) -> [Message] {
        try view.messages(
            of: kinds, for: userID, in: url,
            after: last.flatMap { last in last.position.map { ($0, last.channelURL) } },
            limit: limit
        ) { _ in true }
    }

    /// Returns the number of stored messages of one or more kinds.
    ///
    /// The parameters are those of ``messages(of:for:in:after:limit:)``.
    ///
    /// - Complexity: O(*n*) in the counted messages, which are decoded only if mentions are
    ///   counted.
    public func messageCount(
        of kinds: MessageKinds, for userID: UserID? = nil, in url: ChannelURL? = nil
    ) throws(StoreError) -> Int {
        let list = try KindList(kinds, for: userID, in: url, view)
        let places = try list.places(after: nil, limit: .max)
        guard kinds.contains(.mention) else { return places.count }
        var count = 0
        for place in places where try list.message(at: place) != nil { count += 1 }
        return count
    }
}

extension StoreView {
    func messages(
        of kinds: MessageKinds, for userID: UserID? = nil, in url: ChannelURL?,
        after last: (position: Position, url: ChannelURL)?, limit: Int,
        where includes: (Message) -> Bool
    ) throws(StoreError) -> [Message] {
        let list = try KindList(kinds, for: userID, in: url, self)
        var place = last.map { KindList.Place(of: $0.position, in: $0.url) }
        var messages: [Message] = []
        while messages.count < limit {
            let count = limit - messages.count
            let places = try list.places(after: place, limit: count)
            for place in places {
                if let message = try list.message(at: place), includes(message) {
                    messages.append(message)
                }
            }
            if places.count < count { break }
            place = places.last
        }
        return messages
    }
}

private struct KindList {
    struct Place {
        let suffix: KeyBytes
        let url: ChannelURL
        /// The number of the channel; 0 if it is not known.
        var number: ChannelNumber = 0

        init(_ suffix: KeyBytes, _ url: ChannelURL, _ number: ChannelNumber) {
            (self.suffix, self.url, self.number) = (suffix, url, number)
        }

        init(of position: Position, in url: ChannelURL) {
            suffix = ByteWriter.key { $0.descending { $0.position(position) } }
            self.url = url
        }

        func precedes(_ other: Place) -> Bool {
            suffix == other.suffix
                ? url.precedes(other.url) : suffix.lexicographicallyPrecedes(other.suffix)
        }
    }

    let kinds: MessageKinds
    let userID: UserID?
    let view: StoreView
    let channels: [(number: ChannelNumber, url: ChannelURL)]
    let keys: [KindKey]

    init(
        _ kinds: MessageKinds, for userID: UserID?, in url: ChannelURL?, _ view: StoreView
    ) throws(StoreError) {
        (self.kinds, self.userID, self.view) = (kinds, userID, view)
        let cache = view.cache
        keys = KindKey.all(of: kinds, for: userID)
        if let url {
            channels = try view.number(of: url).map { [($0, url)] } ?? []
            return
        }
        var numbers: [ChannelNumber] = []
        try cache.forEachNumber(in: .kind) { numbers.append($0) }
        var channels: [(ChannelNumber, ChannelURL)] = []
        for number in numbers {
            // Cleared channels may still have rows.
            if let url = try view.url(of: number) { channels.append((number, url)) }
        }
        self.channels = channels
    }

    func places(after last: Place?, limit: Int) throws(StoreError) -> [Place] {
        var found: [Place] = []
        var bound: KeyBytes?
        func cut() {
            found.sort { $0.precedes($1) }
            found.removeSubrange(min(limit, found.count)...)
            if found.count == limit { bound = found.last?.suffix }
        }
        for (number, url) in channels {
            var lower = last?.suffix ?? []
            // At the same position, continue with the next channel.
            if let last, !last.url.precedes(url) { lower.append(0) }
            let suffixes = try KindSuffixes(of: number, keys, in: view.cache)
                .read(from: lower, to: bound.map { $0 + [0] }, limit)
            found += suffixes.map { Place($0, url, number) }
            if found.count / 2 >= limit { cut() }
        }
        cut()
        return found
    }

    func message(at place: Place) throws(StoreError) -> Message? {
        let message = try view.cache.message(endingWith: place.suffix, in: place.number)
        return message.flatMap { message in
            message.kinds(for: userID).isDisjoint(with: kinds) ? nil : message
        }
    }
}

extension ChannelURL {
    fileprivate func precedes(_ other: ChannelURL) -> Bool {
        rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}

extension Rows {
    fileprivate func message(
        endingWith suffix: KeyBytes, in number: ChannelNumber
    ) throws(StoreError) -> Message? {
        let key = ByteWriter.key {
            $0.table(.message, number)
            $0.raw(suffix)
        }
        return try record(key, as: "a message of an index")
    }
}

/// The ends of a channel's keys in the index of kinds, which messages' keys share.
private struct KindSuffixes {
    private let prefixes: [KeyBytes]
    private let rows: Rows

    init(of number: ChannelNumber, _ keys: [KindKey], in rows: Rows) {
        prefixes = keys.map { key in ByteWriter.key { $0.kindPrefix(number, key) } }
        self.rows = rows
    }

    /// Returns the first suffixes, each once, from an inclusive bound to an exclusive one, which is
    /// `nil` for the end of the channel.
    func read(
        from lower: KeyBytes, to upper: KeyBytes?, isDescending: Bool = false, _ limit: Int
    ) throws(StoreError) -> [KeyBytes] {
        var suffixes: [KeyBytes] = []
        for prefix in prefixes {
            let keys = KeyRange(
                prefix + lower, upper.map { prefix + $0 } ?? prefix.successorOfPrefix)
            guard keys.lower.precedes(keys.upper) else { continue }
            var count = 0
            try rows.scan(keys, isDescending: isDescending) { (key, _) throws(StoreError) in
                suffixes.append(KeyBytes(key.dropFirst(prefix.count)))
                count += 1
                return count < limit
            }
        }
        if prefixes.count == 1 { return suffixes }
        suffixes.sort {
            isDescending ? $1.lexicographicallyPrecedes($0) : $0.lexicographicallyPrecedes($1)
        }
        var last: KeyBytes?
        suffixes.removeAll { suffix in
            defer { last = suffix }
            return suffix == last
        }
        return Array(suffixes.prefix(limit))
    }
}

// MARK: Filters of message lists

extension StoreView {
    func fileMessages(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool, limit: Int,
        _ params: MessageListParams, _ visits: inout VisitLimit
    ) throws(StoreError) -> [Message] {
        let cache = cache
        let prefix = ByteWriter.key { $0.table(.message, number) }
        let rows = KindSuffixes(of: number, KindKey.all(of: .files, for: nil), in: cache)
        func suffix(_ key: KeyBytes) -> KeyBytes? {
            key.starts(with: prefix) ? KeyBytes(key[prefix.count...]) : nil
        }
        var (lower, upper) = (suffix(range.lower) ?? [], suffix(range.upper))
        var messages: [Message] = []
        while true {
            let count = min(limit - messages.count, 256)
            let suffixes = try rows.read(
                from: lower, to: upper, isDescending: isDescending, count)
            for suffix in suffixes {
                guard let message = try cache.message(endingWith: suffix, in: number) else {
                    continue
                }
                if params.belongsTo(message) { messages.append(message) }
                guard messages.count < limit, visits.allowsMore(after: message) else {
                    return messages
                }
            }
            guard suffixes.count == count, let last = suffixes.last else { return messages }
            if isDescending { upper = last } else { lower = last + [0] }
        }
    }
}
