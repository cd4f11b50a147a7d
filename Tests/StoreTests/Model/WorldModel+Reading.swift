import Models
import ScrollbackTesting

@testable import Store

extension WorldModel {
    /// A difference between the result of a read and the model.
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private func expect<Value: Equatable>(
        _ found: Value, _ expected: Value, _ question: @autoclosure () -> String
    ) throws {
        if found == expected { return }
        throw Difference(description: "\(question()): \(found), not \(expected)")
    }

    /// Makes every read, each with some arguments.
    func check(_ reader: some StoreReader, _ random: inout SeededRandom) throws {
        for url in WorldOperation.urls + ["unknown"] {
            try checkMessages(reader, url)
            for _ in 0..<6 { try checkHistory(reader, url, &random) }
            try checkReplies(reader, url, &random)
            try checkRest(reader, url)
        }
        try checkKinds(reader, &random)
        try checkLists(reader, &random)
        try checkGlobals(reader)
    }

    private func checkMessages(_ reader: some StoreReader, _ url: ChannelURL) throws {
        let channel = channels[url] ?? Channel()
        let sorted = channel.sorted
        try expect(try reader.messages(in: url), sorted.reversed(), "messages in \(url)")
        try expect(
            try reader.messages(in: url, after: .oldest), sorted, "after the oldest in \(url)")
        try expect(try reader.messageCount(in: url), sorted.count, "count in \(url)")
        for id in WorldOperation.ids {
            try expect(try reader.message(id, in: url), channel.messages[id], "message \(id)")
        }
        for id in Set(WorldOperation.requestIDs.compactMap(\.self)) {
            try expect(
                try reader.message(requestID: id, in: url),
                channel.requests[id].flatMap { channel.messages[$0] }, "request \(id) in \(url)")
        }
    }

    /// Reads lists of kinds, page by page, and compares them with a filter of all messages.
    private func checkKinds(_ reader: some StoreReader, _ random: inout SeededRandom) throws {
        for url in [nil, random.pick(WorldOperation.urls), "unknown"] as [ChannelURL?] {
            let kinds = MessageKinds(rawValue: UInt8.random(in: .min ... .max, using: &random))
            let user: UserID? = random.pick(["ann", "bo", nil])
            let listed = channels.filter { url == nil || $0.key == url }.values
                .flatMap(\.sorted).filter { !$0.kinds(for: user).isDisjoint(with: kinds) }
                .sorted {
                    let (left, right) = ($0.position ?? .none, $1.position ?? .none)
                    return left == right
                        ? $0.channelURL.rawValue < $1.channelURL.rawValue : left > right
                }
            let limit = random.pick([1, 2, 5, 100])
            var found: [Message] = []
            repeat {
                let page = try reader.messages(
                    of: kinds, for: user, in: url, after: found.last, limit: limit)
                found += page
                if page.count < limit { break }
            } while true
            let question = "\(kinds) of \(user ?? "nobody") in \(url ?? "all"), by \(limit)"
            try expect(found, listed, question)
            try expect(
                try reader.messageCount(of: kinds, for: user, in: url), listed.count,
                "count of \(question)")
        }
    }

    private static func params(_ random: inout SeededRandom) -> MessageListParams? {
        if random.oneIn(2) { return nil }
        var params = MessageListParams()
        params.messageType = random.pick([.all, .text, .file])
        params.replyType = random.pick([.all, .none])
        if random.oneIn(3) { params.customTypes = ["x"] }
        return params
    }

    private static func anchor(_ random: inout SeededRandom) -> HistoryAnchor {
        let time = random.pick([.distantPast, 0, 1, 2, 3, 4, 5, .distantFuture] as [Timestamp])
        let id = random.pick(WorldOperation.ids + ["", "6x"])
        return random.pick([
            .oldest, .newest, .time(time), .position(Position(createdAt: time, messageID: id)),
        ])
    }

    /// Returns −1 if a message is older than an anchor, 0 if it is at the anchor, and 1 if it is
    /// newer.
    private static func side(_ message: Message, of anchor: HistoryAnchor) -> Int {
        guard let position = message.position else { return 0 }
        func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
            left < right ? -1 : left == right ? 0 : 1
        }
        switch anchor {
        case .oldest: return 1
        case .newest: return -1
        case .time(let time): return compare(position.createdAt, time)
        case .position(let other): return compare(position, other)
        }
    }

    private func checkHistory(
        _ reader: some StoreReader, _ url: ChannelURL, _ random: inout SeededRandom
    ) throws {
        let anchor = Self.anchor(&random)
        let isInclusive = random.oneIn(2)
        let limit = random.pick([nil, 0, 1, 2, 5])
        let params = Self.params(&random)
        let matching = (channels[url]?.sorted ?? []).filter { params?.belongsTo($0) ?? true }
        let before = matching.reversed().filter {
            let side = Self.side($0, of: anchor)
            return side < 0 || isInclusive && side == 0
        }
        let after = matching.filter {
            let side = Self.side($0, of: anchor)
            return side > 0 || isInclusive && side == 0
        }
        let question = "in \(url), \(anchor), inclusive \(isInclusive), limit \(limit as Any)"
        try expect(
            try reader.messages(
                in: url, before: anchor, isInclusive: isInclusive, limit: limit, matching: params),
            Array(before.prefix(limit ?? .max)), "before, \(question)")
        try expect(
            try reader.messages(
                in: url, after: anchor, isInclusive: isInclusive, limit: limit, matching: params),
            Array(after.prefix(limit ?? .max)), "after, \(question)")

        var around = params ?? MessageListParams()
        around.isInclusive = isInclusive
        around.isReversed = random.oneIn(2)
        around.previousResultSize = random.pick([-1, 0, 1, 3])
        around.nextResultSize = random.pick([-1, 0, 1, 3])
        let visible = (channels[url]?.sorted ?? []).filter { around.belongsTo($0) }
        let previous = visible.filter { Self.side($0, of: anchor) < 0 }
            .suffix(max(0, around.previousResultSize))
        let next = visible.filter {
            let side = Self.side($0, of: anchor)
            return side > 0 || isInclusive && side == 0
        }.prefix(max(0, around.nextResultSize))
        let expected = Array(previous + next)
        try expect(
            try reader.messages(in: url, around: anchor, params: around),
            around.isReversed ? expected.reversed() : expected, "around, \(question)")
    }

    private func checkReplies(
        _ reader: some StoreReader, _ url: ChannelURL, _ random: inout SeededRandom
    ) throws {
        let sorted = channels[url]?.sorted ?? []
        for parent: MessageID in ["1", "10", "gone", "none"] {
            let replies = sorted.filter { $0.parentMessageID == parent }
            try expect(
                try reader.replies(to: parent, in: url), replies.reversed(),
                "replies to \(parent) in \(url)")
            let anchor = Self.anchor(&random)
            let isInclusive = random.oneIn(2)
            let limit = random.pick([nil, 0, 1, 3])
            var params = random.oneIn(2) ? nil : ThreadedMessageListParams()
            params?.messageType = random.pick([.all, .text, .file])
            func wanted(_ sign: Int) -> (Message) -> Bool {
                { [params] message in
                    let side = Self.side(message, of: anchor)
                    return (side == sign || isInclusive && side == 0)
                        && params?.belongsTo(message, parentMessageID: parent) ?? true
                }
            }
            try expect(
                try reader.replies(
                    to: parent, in: url, before: anchor, isInclusive: isInclusive, limit: limit,
                    matching: params),
                Array(replies.reversed().filter(wanted(-1)).prefix(limit ?? .max)),
                "replies to \(parent) in \(url) before \(anchor)")
            try expect(
                try reader.replies(
                    to: parent, in: url, after: anchor, isInclusive: isInclusive, limit: limit,
                    matching: params),
                Array(replies.filter(wanted(1)).prefix(limit ?? .max)),
                "replies to \(parent) in \(url) after \(anchor)")
        }
    }

    private func checkRest(_ reader: some StoreReader, _ url: ChannelURL) throws {
        let channel = channels[url] ?? Channel()
        try expect(try reader.gaps(in: url), gaps(url), "gaps in \(url)")
        try expect(try reader.staleRanges(in: url), staleRanges(url), "stale ranges in \(url)")
        try expect(
            try reader.tombstones(in: url),
            channel.tombstones.values.sorted { $0.messageID.rawValue < $1.messageID.rawValue },
            "tombstones in \(url)")
        try expect(
            try reader.kindCoverage(in: url),
            channel.kindCoverage.sorted { $0.key < $1.key }.map(\.value), "kinds covered in \(url)")
        let kindGaps = try reader.kindGaps(in: url)
        for kinds in [.link, .image, [.link, .image]] as [MessageKinds] {
            let (gap, expected) = (kindGaps.newest(of: kinds), newestGap(url, of: kinds))
            try expect(gap?.lower, expected?.0, "the gap of \(kinds) in \(url)")
            try expect(gap?.upper, expected?.1, "the gap of \(kinds) in \(url)")
        }
        for id in WorldOperation.ids.prefix(3) {
            try expect(
                try reader.tombstone(of: id, in: url), channel.tombstones[id], "tombstone \(id)")
        }
        try expect(try reader.groupChannel(url), channel.group, "group channel \(url)")
        try expect(try reader.openChannel(url), channel.open, "open channel \(url)")
        try expect(try reader.isKeptInCache(url), pins.contains(url), "pin of \(url)")
        try expect(
            try reader.outboxItems(in: url), outboxItems.filter { $0.channelURL == url },
            "items in \(url)")
    }

    private func checkLists(_ reader: some StoreReader, _ random: inout SeededRandom) throws {
        let groups = channels.values.compactMap(\.group)
        for order in GroupChannelListOrder.allCases {
            var query = GroupChannelListQuery()
            query.order = order
            query.metaDataOrderKeyFilter = "k"
            query.includesFrozenChannel = random.oneIn(2)
            query.includesEmptyChannel = true
            let sorted = groups.filter { query.belongsTo($0) }.sorted(by: query.precedes)
            try expect(
                try reader.groupChannels(matching: query).map(\.url), sorted.map(\.url),
                "channels by \(order)")
            let last = groups.randomElement(using: &random)
            try expect(
                try reader.groupChannels(matching: query, after: last, limit: 2),
                Array(
                    sorted.drop { channel in last.map { !query.precedes($0, channel) } ?? false }
                        .prefix(2)), "channels by \(order) after \(last?.url as Any)")
        }
        try expect(try reader.groupChannelCount(), groups.count, "group channels")
        let open = channels.values.compactMap(\.open).sorted {
            ($1.createdAt, $0.url) < ($0.createdAt, $1.url)
        }
        try expect(try reader.openChannels(), open, "open channels")
        try expect(try reader.openChannelCount(), open.count, "open channels")
        let last = open.randomElement(using: &random)
        try expect(
            try reader.openChannels(after: last, limit: 1),
            Array(open.drop { last != nil && $0 != last }.dropFirst(last == nil ? 0 : 1).prefix(1)),
            "open channels after \(last?.url as Any)")
    }

    private func checkGlobals(_ reader: some StoreReader) throws {
        try expect(Set(try reader.channelURLs()), Set(channels.keys), "channels")
        try expect(try reader.channelURLs().count, channels.count, "number of channels")
        try expect(try reader.channelURLsByAccess(), urlsByAccess, "channels by access")
        try expect(
            try reader.messageCount(), channels.values.map(\.messages.count).reduce(0, +),
            "messages in all")
        for id: UserID in ["ann", "bo", "nobody"] {
            try expect(try reader.user(id), users[id], "user \(id)")
        }
        try expect(try reader.tokenScopes(), tokens.keys.sorted(), "tokens")
        for id in WorldOperation.ids {
            try expect(try reader.token(id.rawValue), tokens[id.rawValue], "token \(id)")
        }
        try expect(try reader.outboxItems(), sortedOutboxItems, "items")
        for id: RequestID in ["d1", "d2", "d3", "d4", "none"] {
            try expect(
                try reader.outboxItem(id), outboxItems.first { $0.requestID == id },
                "outbox item \(id)")
        }
        try expect(
            try reader.outboxItems(limit: 1), Array(sortedOutboxItems.prefix(1)), "the first item")
    }

    // MARK: Raw rows

    /// Compares the rows on disk with the model.
    ///
    /// An existing channel must have exactly the rows of its messages. Under other channel numbers,
    /// only rows that will be purged may exist.
    func check(_ cache: RawCache, hasPurged: Bool) throws {
        try expect(Set(cache.numbers.keys), Set(channels.keys), "names")
        for (url, number) in cache.numbers {
            try expect(cache.urls[number], url, "the URL of \(number)")
            try expect(number < cache.nextNumber ?? 0, true, "the number of \(url)")
            guard let channel = channels[url], let raw = cache.channels[number] else {
                throw Difference(description: "rows of \(url): none")
            }
            try check(raw, channel, url)
        }
        try expect(cache.urls.count, channels.count, "URLs")
        let left = Set(cache.channels.keys).subtracting(cache.numbers.values)
        try expect(left.subtracting(cache.cleared), [], "numbers that stand for nothing")
        try expect(cache.cleared.isDisjoint(with: cache.numbers.values), true, "cleared numbers")
        // Number 0 always has a row in this table, which ends scans.
        let cleared = cache.cleared.subtracting([0])
        if hasPurged { try expect(left.union(cleared), [], "purged numbers") }
        try expect(cache.users, users, "users")
        try expect(cache.tokens, tokens, "tokens")
        try expect(cache.version, UInt32(StoreSchema.current.version), "the schema's version")
    }

    private func check(
        _ raw: RawCache.Channel, _ channel: Channel, _ url: ChannelURL
    ) throws {
        var messages: [Position: Message] = [:]
        var replies: [MessageID: Set<Position>] = [:]
        var kinds: [String: Set<Position>] = [:]
        for message in channel.sorted {
            guard let position = message.position else { continue }
            messages[position] = message
            for kind in KindKey.all(of: message) {
                kinds[kind.description, default: []].insert(position)
            }
            if let parent = message.parentMessageID {
                replies[parent, default: []].insert(position)
            }
        }
        try expect(raw.messages, messages, "message rows of \(url)")
        try expect(raw.places, channel.messages.mapValues(\.createdAt), "place rows of \(url)")
        try expect(raw.requests, channel.requests, "request rows of \(url)")
        try expect(raw.replies, replies, "reply rows of \(url)")
        try expect(raw.kinds, kinds, "rows of kinds of \(url)")
        try expect(
            raw.kindCoverage.map { "\($0.bit) \($0.lower) \($0.cursor as Any)" },
            channel.kindCoverage.sorted { $0.key < $1.key }.map { bit, coverage in
                "\(bit.trailingZeroBitCount) \(coverage.lower) \(coverage.cursor as Any)"
            }, "rows of covered kinds of \(url)")
        try expect(raw.group, channel.group, "the group channel row of \(url)")
        try expect(raw.open, channel.open, "the open channel row of \(url)")
        // The access number of a channel may be that of a channel that was removed, so it is not
        // compared.
        try expect(
            raw.state,
            RawCache.State(
                count: Int64(messages.count),
                access: channel.lastAccess == 0 ? 0 : raw.state?.access ?? 0), "the state of \(url)"
        )
        try expect(
            raw.gaps.map { "\($0.lower) \($0.upper) \($0.cursor as Any) \($0.since as Any)" },
            channel.gaps.runs.map {
                "\($0.lower) \($0.upper) \($0.about.cursor as Any) \($0.about.since as Any)"
            }, "gap rows of \(url)")
        try expect(
            raw.staleRanges.map { "\($0.lower) \($0.upper) \($0.lossNumber)" },
            channel.staleRanges.runs.map { "\($0.lower) \($0.upper) \($0.about)" },
            "stale rows of \(url)")
        try expect(
            raw.tombstones.mapValues { [$0.deletedAt, $0.createdAt] },
            channel.tombstones.mapValues { [$0.deletedAt, $0.position?.createdAt] },
            "tombstone rows of \(url)")
    }

    func check(_ outbox: RawOutbox) throws {
        let urls = Set(outboxItems.map(\.channelURL))
        try expect(Set(outbox.outboxItems.keys), urls, "channels of outbox items")
        for url in urls {
            try expect(
                outbox.outboxItems[url]?.map(\.item), outboxItems.filter { $0.channelURL == url },
                "rows of \(url)")
        }
        try expect(outbox.requests.count, outboxItems.count, "requests of outbox items")
        for item in outboxItems {
            let (url, sequence) = outbox.requests[item.requestID] ?? ("", 0)
            try expect(
                outbox.outboxItems[url]?.first { $0.sequence == sequence }?.item, item,
                "request row of \(item.requestID)")
        }
        try expect(outbox.version, UInt32(StoreSchema.current.version), "the schema's version")
    }
}
