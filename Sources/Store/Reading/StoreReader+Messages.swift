public import Models

extension StoreReader {
    /// Returns the messages of a channel that are older than a point, newest first.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages; that is not an error.
    ///   - anchor: Where to begin. The default is behind the newest message.
    ///   - isInclusive: Whether messages exactly there are returned too. The default is no.
    ///   - limit: The most messages to return; less than 1 returns none. The default, `nil`,
    ///     returns all.
    ///   - params: Which messages to return, by ``/Models/MessageListParams/belongsTo(_:)``; sizes
    ///     and direction are not looked at. The default is all.
    /// - Returns: The messages; fewer than `limit` only if the history that is held ends there.
    ///   Whether more exists is what gaps say.
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the messages walked over.
    public func messages(
        in url: ChannelURL, before anchor: HistoryAnchor = .newest, isInclusive: Bool = false,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        guard let lower = anchor.key(in: number, includingIt: isInclusive, towardsOlder: true)
        else { return [] }
        return try view.messages(
            KeyRange(lower, table.upper), of: number, isDescending: false, limit, params)
    }

    /// Returns the messages of a channel that are newer than a point, oldest first.
    ///
    /// Parameters, errors and cost are those of
    /// ``messages(in:before:isInclusive:limit:matching:)``.
    public func messages(
        in url: ChannelURL, after anchor: HistoryAnchor, isInclusive: Bool = false,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        guard let upper = anchor.key(in: number, includingIt: isInclusive, towardsOlder: false)
        else { return [] }
        return try view.messages(
            KeyRange(table.lower, upper), of: number, isDescending: true, limit, params)
    }

    /// Returns the messages on both sides of a point, as a list shows them.
    ///
    /// `previousResultSize` messages before it and `nextResultSize` after it, with those at the
    /// point itself if `isInclusive` says so (they count as next), filtered and ordered as the
    /// params say: the oldest first, or the newest if `isReversed`.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: Two seeks, then O(*n*) in the messages walked over.
    public func messages(
        in url: ChannelURL, around anchor: HistoryAnchor, params: MessageListParams
    ) throws(StoreError) -> [Message] {
        let reader = OneCommit(view: try view)
        let previous = try reader.messages(
            in: url, before: anchor, limit: params.olderPageSize, matching: params)
        let next = try reader.messages(
            in: url, after: anchor, isInclusive: params.isInclusive,
            limit: params.newerPageSize, matching: params)
        return params.isReversed ? next.reversed() + previous : previous.reversed() + next
    }

    /// Returns a message by its id; `nil` if it is not held.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if it cannot be decoded.
    /// - Complexity: Two lookups; one if it is not there.
    public func message(_ id: MessageID, in url: ChannelURL) throws(StoreError) -> Message? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.message(id, in: number)
    }

    /// Returns a message by the request that sent it; `nil` if it is not held.
    ///
    /// Finds sent messages; of several with one request id, the one that took it last. What is not
    /// sent yet is a draft.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if it cannot be decoded.
    /// - Complexity: Three lookups; one if it is not there.
    public func message(requestID: RequestID, in url: ChannelURL) throws(StoreError) -> Message? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        let id = try view.cache.messageID(ofRequest: requestID, in: number)
        guard let id else { return nil }
        return try view.cache.message(id, in: number)
    }

    /// Returns the replies to a message that are older than a point, newest first.
    ///
    /// - Parameters:
    ///   - parent: The message that is answered; it need not be held itself.
    ///   - url: The channel. An unknown channel has no messages; that is not an error.
    ///   - anchor: Where to begin. The default is behind the newest reply.
    ///   - isInclusive: Whether replies exactly there are returned too. The default is no.
    ///   - limit: The most replies to return; less than 1 returns none. The default, `nil`, returns
    ///     all.
    ///   - params: Which replies to return, by
    ///     ``/Models/ThreadedMessageListParams/belongsTo(_:parentMessageID:)``; sizes and direction
    ///     are not looked at. The default is all.
    /// - Returns: The replies; fewer than `limit` only if those that are held end there.
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: One seek, then a lookup for each reply walked over.
    public func replies(
        to parent: MessageID, in url: ChannelURL, before anchor: HistoryAnchor = .newest,
        isInclusive: Bool = false, limit: Int? = nil,
        matching params: ThreadedMessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let prefix = ByteWriter.key { $0.repliesPrefix(number, parent) }
        guard
            let lower = anchor.key(
                behind: prefix, includingIt: isInclusive, towardsOlder: true)
        else { return [] }
        return try view.replies(
            KeyRange(lower, prefix.successorOfPrefix), isDescending: false, limit, number,
            behind: prefix
        ) { params?.belongsTo($0, parentMessageID: parent) ?? true }
    }

    /// Returns the replies to a message that are newer than a point, oldest first.
    ///
    /// Parameters, errors and cost are those of
    /// ``replies(to:in:before:isInclusive:limit:matching:)``.
    public func replies(
        to parent: MessageID, in url: ChannelURL, after anchor: HistoryAnchor,
        isInclusive: Bool = false, limit: Int? = nil,
        matching params: ThreadedMessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard let number = try view.number(of: url) else { return [] }
        let prefix = ByteWriter.key { $0.repliesPrefix(number, parent) }
        guard
            let upper = anchor.key(
                behind: prefix, includingIt: isInclusive, towardsOlder: false)
        else { return [] }
        return try view.replies(
            KeyRange(prefix, upper), isDescending: true, limit, number, behind: prefix
        ) { params?.belongsTo($0, parentMessageID: parent) ?? true }
    }

    /// Returns the position of the newest message that is held of a channel; `nil` if none is.
    ///
    /// Whether newer ones exist is what gaps say.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a key on disk cannot be decoded.
    /// - Complexity: One seek; decodes no message.
    public func newestPosition(in url: ChannelURL) throws(StoreError) -> Position? {
        try view.outermostPosition(in: url, isDescending: false)
    }

    /// Returns the position of the oldest message that is held of a channel; `nil` if none is.
    ///
    /// Whether older ones exist is what gaps say.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a key on disk cannot be decoded.
    /// - Complexity: One seek; decodes no message.
    public func oldestPosition(in url: ChannelURL) throws(StoreError) -> Position? {
        try view.outermostPosition(in: url, isDescending: true)
    }

    /// Returns how many messages of a channel are held.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if what is remembered of the channel cannot
    ///   be decoded.
    /// - Complexity: One lookup.
    public func messageCount(in url: ChannelURL) throws(StoreError) -> Int {
        let view = try view
        guard let number = try view.number(of: url) else { return 0 }
        return Int(try view.cache.state(of: number)?.messageCount ?? 0)
    }

    /// Returns how many messages of a channel are held strictly between two bounds.
    ///
    /// Those exactly at a bound are not counted, as they are not in a gap with these bounds. None
    /// are between equal or reversed bounds.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages; that is not an error.
    ///   - lower: The older bound.
    ///   - upper: The newer bound.
    /// - Returns: The number of messages.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the messages counted; decodes none.
    public func messageCount(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> Int {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return 0 }
        var count = 0
        try view.scanMessages(.messages(of: number, from: lower, to: upper), of: number) {
            (_, _) throws(StoreError) in
            count += 1
            return true
        }
        return count
    }

    /// Returns the messages that are held between two bounds.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages; that is not an error.
    ///   - lower: The older bound.
    ///   - includesLower: Whether a message there is returned too. The default is no.
    ///   - upper: The newer bound.
    ///   - includesUpper: Whether a message there is returned too. The default is no.
    ///   - isNewestFirst: Whether the newest comes first; else the oldest does.
    ///   - limit: The most messages to return; less than 1 returns none. The default, `nil`,
    ///     returns all.
    ///   - params: Which messages to return; sizes and direction are not looked at. The default is all.
    /// - Returns: The messages; none between equal or reversed bounds.
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the messages walked over.
    package func messages(
        in url: ChannelURL, from lower: Gap.Bound, includesLower: Bool = false,
        to upper: Gap.Bound, includesUpper: Bool = false, isNewestFirst: Bool,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return [] }
        return try view.messages(
            .messages(
                of: number, from: lower, includesLower: includesLower, to: upper,
                includesUpper: includesUpper),
            of: number, isDescending: !isNewestFirst, limit, params)
    }

    /// Returns where the messages are that are held strictly between two bounds, newest first.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages; that is not an error.
    ///   - lower: The older bound.
    ///   - upper: The newer bound.
    /// - Returns: Their positions; none between equal or reversed bounds.
    /// - Throws: ``StoreError`` with code `corruption` if a key is damaged.
    /// - Complexity: One seek, then O(*n*) in the messages; decodes none.
    package func positions(
        in url: ChannelURL, from lower: Gap.Bound, to upper: Gap.Bound
    ) throws(StoreError) -> [Position] {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return [] }
        let cache = view.cache
        var positions: [Position] = []
        try view.scanMessages(.messages(of: number, from: lower, to: upper), of: number) {
            (key, _) throws(StoreError) in
            positions.append(try cache.position(ofMessageKey: key))
            return true
        }
        return positions
    }

    /// Returns the position of the message next to a position, by the keys of messages alone.
    ///
    /// - Parameters:
    ///   - position: A position; a message there is not its own neighbor.
    ///   - url: The channel.
    ///   - isOlder: Whether the neighbor is the next older one; else it is the next newer one.
    /// - Returns: The position; `nil` if there is no such message.
    /// - Throws: ``StoreError`` with code `corruption` if a key is damaged.
    /// - Complexity: One seek; decodes no message.
    package func neighbor(
        of position: Position, in url: ChannelURL, isOlder: Bool
    ) throws(StoreError) -> Position? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        let bound = Gap.Bound.position(position)
        let cache = view.cache
        var neighbor: Position?
        try view.scanMessages(
            .messages(
                of: number, from: isOlder ? .beginning : bound, to: isOlder ? bound : .end),
            of: number, isDescending: !isOlder
        ) { (key, _) throws(StoreError) in
            neighbor = try cache.position(ofMessageKey: key)
            return false
        }
        return neighbor
    }

    /// Returns how many messages are held in all.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if what is remembered of a channel cannot be
    ///   decoded.
    /// - Complexity: The first call of a store reads a row for each channel, later ones nothing. So
    ///   does each in a batch that has met a channel whose count was damaged.
    public func messageCount() throws(StoreError) -> Int {
        let view = try view
        guard let batch = view.batch else { return try view.version.messageCount() }
        if batch.hasLostCount { return try view.cache.messageCount() }
        return try view.version.messageCount() + batch.addedMessages
    }
}

extension KeyRange {
    /// The keys of the messages between two bounds, newest first.
    fileprivate static func messages(
        of number: ChannelNumber, from lower: Gap.Bound, includesLower: Bool = false,
        to upper: Gap.Bound, includesUpper: Bool = false
    ) -> KeyRange {
        var range = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        // The upper bound comes first, and is stepped over; the end of a range is not in it.
        if case .position(let position) = upper {
            range.lower = ByteWriter.key { $0.messageKey(number, position) }
            if !includesUpper { range.lower.append(0) }
        }
        if case .position(let position) = lower {
            range.upper = ByteWriter.key { $0.messageKey(number, position) }
            if includesLower { range.upper.append(0) }
        }
        return range
    }
}

/// Reads several things as of the same commit.
private struct OneCommit: StoreReader {
    let view: StoreView
}

// MARK: Rows

extension StoreView {
    fileprivate func outermostPosition(
        in url: ChannelURL, isDescending: Bool
    ) throws(StoreError) -> Position? {
        guard let number = try number(of: url) else { return nil }
        let cache = cache
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        var position: Position?
        try scanMessages(table, of: number, isDescending: isDescending) {
            (key, _) throws(StoreError) in
            position = try cache.position(ofMessageKey: key)
            return false
        }
        return position
    }

    fileprivate func messages(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool, _ limit: Int?,
        _ params: MessageListParams?
    ) throws(StoreError) -> [Message] {
        let limit = limit ?? .max
        guard limit > 0, range.lower.precedes(range.upper) else { return [] }
        var messages: [Message] = []
        // More than a page may be far more than there is.
        if limit < 1_000 { messages.reserveCapacity(limit) }
        let cache = cache
        try scanMessages(range, of: number, isDescending: isDescending) {
            (key, value) throws(StoreError) in
            let message: Message = try cache.record(value, as: Rows.messageName(key))
            if params?.belongsTo(message) ?? true { messages.append(message) }
            return messages.count < limit
        }
        return messages
    }

    fileprivate func replies(
        _ range: KeyRange, isDescending: Bool, _ limit: Int?, _ number: ChannelNumber,
        behind prefix: KeyBytes, _ isIncluded: (Message) -> Bool
    ) throws(StoreError) -> [Message] {
        let limit = limit ?? .max
        guard limit > 0, range.lower.precedes(range.upper) else { return [] }
        var messages: [Message] = []
        let cache = cache
        let messageTable = ByteWriter.key { $0.table(.message, number) }
        // The position is all that follows the parent's id, so it is a message's key as it stands.
        try cache.scan(range, isDescending: isDescending) { (key, _) throws(StoreError) in
            let messageKey = messageTable + key.dropFirst(prefix.count)
            let message: Message? = try cache.record(messageKey, as: "a reply")
            if let message, isIncluded(message) { messages.append(message) }
            return messages.count < limit
        }
        return messages
    }
}

extension Rows {
    /// When a message was created; `nil` if none is held under the id.
    ///
    /// Where it cannot be in the snapshot, only what a batch has put is looked at.
    func place(
        of id: MessageID, in number: ChannelNumber, mayBeStored: Bool = true
    ) throws(StoreError) -> Timestamp? {
        try withValue(.place, number, id.rawValue, mayBeStored: mayBeStored) {
            (bytes) throws(StoreError) -> Timestamp? in
            guard let bytes else { return nil }
            return try decode(bytes, as: "the place of message \(id)") {
                (reader) throws(ByteReader.Damage) in try reader.timestamp()
            }
        }
    }

    func messageID(
        ofRequest id: RequestID, in number: ChannelNumber
    ) throws(StoreError) -> MessageID? {
        try read(ByteWriter.key { $0.requestKey(number, id) }, as: "request \(id)") {
            (reader) throws(ByteReader.Damage) in MessageID(try reader.text())
        }
    }

    func message(_ id: MessageID, in number: ChannelNumber) throws(StoreError) -> Message? {
        guard let createdAt = try place(of: id, in: number) else { return nil }
        let position = Position(createdAt: createdAt, messageID: id)
        return try record(
            ByteWriter.key { $0.messageKey(number, position) }, as: "message \(id)")
    }

    static func messageName(_ key: UnsafeRawBufferPointer) -> String {
        guard let position = try? ByteReader.position(ofMessageKey: key) else {
            // The name only serves an error that is thrown anyway.
            return "a message"
        }
        return "message \(position)"
    }
}
