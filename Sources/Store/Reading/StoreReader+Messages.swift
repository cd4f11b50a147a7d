public import Models

extension StoreReader {
    /// Returns the messages of a channel that are older than an anchor, newest first.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages, which is not an error.
    ///   - anchor: The anchor. The default is newer than the newest message.
    ///   - isInclusive: A Boolean value that indicates whether to include messages exactly at the
    ///     anchor. The default is false.
    ///   - limit: The maximum number of messages; less than 1 returns none. The default, `nil`,
    ///     returns all.
    ///   - params: The filter, applied by ``/Models/MessageListParams/belongsTo(_:)``; its sizes
    ///     and direction are ignored. The default includes all messages.
    /// - Returns: The messages. There are fewer than `limit` only if the store has no older
    ///   messages that match. Check the gaps to find out whether the server has more.
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the messages visited.
    public func messages(
        in url: ChannelURL, before anchor: HistoryAnchor = .newest, isInclusive: Bool = false,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        try view.messages(
            in: url, anchor, isOlder: true, isInclusive: isInclusive, limit: limit, params)
    }

    /// Returns the messages of a channel that are newer than an anchor, oldest first.
    ///
    /// The parameters, the errors and the cost are those of
    /// ``messages(in:before:isInclusive:limit:matching:)``.
    public func messages(
        in url: ChannelURL, after anchor: HistoryAnchor, isInclusive: Bool = false,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        try view.messages(
            in: url, anchor, isOlder: false, isInclusive: isInclusive, limit: limit, params)
    }

    /// Returns the messages on both sides of an anchor, in the order of a list.
    ///
    /// The result contains up to `previousResultSize` messages older than the anchor, and up to
    /// `nextResultSize` messages newer than the anchor. If `isInclusive` is true, messages exactly
    /// at the anchor count as newer; otherwise, they are omitted. The order is oldest first, or
    /// newest first if `isReversed` is true. The parameters also filter the messages.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: Two seeks, then O(*n*) in the messages visited.
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

    /// Returns the message with an ID; `nil` if it is not stored.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the message cannot be decoded.
    /// - Complexity: Two lookups; one if the message is not stored.
    public func message(_ id: MessageID, in url: ChannelURL) throws(StoreError) -> Message? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.message(id, in: number)
    }

    /// Returns the message that was sent with a request ID; `nil` if it is not stored.
    ///
    /// If several messages have had the request ID, because a server has carried out a repeated
    /// request twice, the result is the message that was stored last; `nil` if that one was deleted.
    /// Unsent messages are not found, because they are outbox items.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the message cannot be decoded.
    /// - Complexity: Three lookups; one if no such message is stored.
    public func message(requestID: RequestID, in url: ChannelURL) throws(StoreError) -> Message? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        let id = try view.cache.messageID(ofRequest: requestID, in: number)
        guard let id else { return nil }
        return try view.cache.message(id, in: number)
    }

    /// Returns the replies to a message that are older than an anchor, newest first.
    ///
    /// - Parameters:
    ///   - parent: The ID of the parent message, which need not be stored.
    ///   - url: The channel. An unknown channel has no messages, which is not an error.
    ///   - anchor: The anchor. The default is newer than the newest reply.
    ///   - isInclusive: A Boolean value that indicates whether to include replies exactly at the
    ///     anchor. The default is false.
    ///   - limit: The maximum number of replies; less than 1 returns none. The default, `nil`,
    ///     returns all.
    ///   - params: The filter, applied by
    ///     ``/Models/ThreadedMessageListParams/belongsTo(_:parentMessageID:)``; its sizes and
    ///     direction are ignored. The default includes all replies.
    /// - Returns: The replies. There are fewer than `limit` only if the store has no older replies
    ///   that match.
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: One seek, then a lookup for each reply visited.
    public func replies(
        to parent: MessageID, in url: ChannelURL, before anchor: HistoryAnchor = .newest,
        isInclusive: Bool = false, limit: Int? = nil,
        matching params: ThreadedMessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        try view.replies(
            to: parent, in: url, anchor, isOlder: true, isInclusive: isInclusive, limit: limit,
            params)
    }

    /// Returns the replies to a message that are newer than an anchor, oldest first.
    ///
    /// The parameters, the errors and the cost are those of
    /// ``replies(to:in:before:isInclusive:limit:matching:)``.
    public func replies(
        to parent: MessageID, in url: ChannelURL, after anchor: HistoryAnchor,
        isInclusive: Bool = false, limit: Int? = nil,
        matching params: ThreadedMessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        try view.replies(
            to: parent, in: url, anchor, isOlder: false, isInclusive: isInclusive, limit: limit,
            params)
    }

    /// Returns the stored replies to a message between two bounds.
    ///
    /// The parameters and the errors are those of
    /// ``messages(in:from:includesLower:to:includesUpper:isNewestFirst:limit:matching:)``.
    ///
    /// - Complexity: One seek, then a lookup for each reply visited.
    package func replies(
        to parent: MessageID, in url: ChannelURL, from lower: Gap.Bound,
        includesLower: Bool = false, to upper: Gap.Bound, includesUpper: Bool = false,
        isNewestFirst: Bool, limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        var visits = VisitLimit.unlimited
        return try replies(
            to: parent, in: url, from: lower, includesLower: includesLower, to: upper,
            includesUpper: includesUpper, isNewestFirst: isNewestFirst, limit: limit,
            matching: params, visiting: &visits)
    }

    /// Returns the stored replies to a message between two bounds, up to the reply at which the read
    /// reaches the limit of visits.
    package func replies(
        to parent: MessageID, in url: ChannelURL, from lower: Gap.Bound,
        includesLower: Bool = false, to upper: Gap.Bound, includesUpper: Bool = false,
        isNewestFirst: Bool, limit: Int? = nil, matching params: MessageListParams? = nil,
        visiting visits: inout VisitLimit
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return [] }
        let prefix = ByteWriter.key { $0.repliesPrefix(number, parent) }
        return try view.replies(
            .replies(
                to: parent, of: number, from: lower, includesLower: includesLower, to: upper,
                includesUpper: includesUpper),
            of: number, isDescending: !isNewestFirst, limit: limit, behind: prefix, &visits
        ) { params?.belongsTo($0) ?? true }
    }

    /// Returns the position of the newest stored message of a channel; `nil` if no message is
    /// stored.
    ///
    /// Check the gaps to find out whether the server has newer messages.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a key on disk cannot be decoded.
    /// - Complexity: One seek; decodes no message.
    package func newestPosition(in url: ChannelURL) throws(StoreError) -> Position? {
        try view.outermostPosition(in: url, isDescending: false)
    }

    /// Returns the position of the oldest stored message of a channel; `nil` if no message is
    /// stored.
    ///
    /// Check the gaps to find out whether the server has older messages.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a key on disk cannot be decoded.
    /// - Complexity: One seek; decodes no message.
    package func oldestPosition(in url: ChannelURL) throws(StoreError) -> Position? {
        try view.outermostPosition(in: url, isDescending: true)
    }

    /// Returns the number of stored messages of a channel.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the state of the channel cannot be
    ///   decoded.
    /// - Complexity: One lookup.
    public func messageCount(in url: ChannelURL) throws(StoreError) -> Int {
        let view = try view
        guard let number = try view.number(of: url) else { return 0 }
        return Int(try view.cache.state(of: number)?.messageCount ?? 0)
    }

    /// Returns the number of stored messages of a channel strictly between two bounds.
    ///
    /// The result is 0 if the bounds are equal or reversed, or if the channel is unknown.
    ///
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One seek, then O(*n*) in the messages counted; decodes none.
    package func messageCount(
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

    /// Returns the stored messages between two bounds.
    ///
    /// By default, messages exactly at a bound are not included, and the limit is `nil`, which
    /// returns all. The sizes and the direction of `params` are ignored. The result is empty if the
    /// bounds are equal or reversed, if the channel is unknown, or if the limit is less than 1.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a message on disk cannot be decoded.
    /// - Complexity: One seek, then O(*n*) in the messages visited.
    package func messages(
        in url: ChannelURL, from lower: Gap.Bound, includesLower: Bool = false,
        to upper: Gap.Bound, includesUpper: Bool = false, isNewestFirst: Bool,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        var visits = VisitLimit.unlimited
        return try messages(
            in: url, from: lower, includesLower: includesLower, to: upper,
            includesUpper: includesUpper, isNewestFirst: isNewestFirst, limit: limit,
            matching: params, visiting: &visits)
    }

    /// Returns the stored messages between two bounds, up to the message at which the read reaches
    /// the limit of visits.
    package func messages(
        in url: ChannelURL, from lower: Gap.Bound, includesLower: Bool = false,
        to upper: Gap.Bound, includesUpper: Bool = false, isNewestFirst: Bool,
        limit: Int? = nil, matching params: MessageListParams? = nil,
        visiting visits: inout VisitLimit
    ) throws(StoreError) -> [Message] {
        let view = try view
        guard lower < upper, let number = try view.number(of: url) else { return [] }
        return try view.messages(
            .messages(
                of: number, from: lower, includesLower: includesLower, to: upper,
                includesUpper: includesUpper),
            of: number, isDescending: !isNewestFirst, limit: limit, params, &visits)
    }

    /// Returns the positions of the stored messages strictly between two bounds, newest first.
    ///
    /// The result is empty if the bounds are equal or reversed, or if the channel is unknown.
    ///
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

    /// Returns the position of the nearest stored message that is older or newer than a position;
    /// `nil` if there is none.
    ///
    /// A message at the position itself does not count.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if a key is damaged.
    /// - Complexity: One seek; decodes no message.
    package func neighbor(
        of position: Position, in url: ChannelURL, isOlder: Bool
    ) throws(StoreError) -> Position? {
        let bound = Gap.Bound.position(position)
        return try view.outermostPosition(
            in: url, from: isOlder ? .beginning : bound, to: isOlder ? bound : .end,
            isDescending: !isOlder)
    }

    /// Returns the number of stored messages of all channels.
    ///
    /// - Throws: ``StoreError`` with code `corruption` if the state of a channel cannot be decoded.
    /// - Complexity: The first call after the store was opened reads a row for each channel; later
    ///   calls are O(1).
    public func messageCount() throws(StoreError) -> Int {
        let view = try view
        guard let batch = view.batch else { return try view.committed.messageCount() }
        if batch.hasClearedAll { return try view.cache.messageCount() }
        return try view.committed.messageCount() + batch.addedMessages
    }
}

extension KeyRange {
    /// Returns the range of the keys of the messages between two bounds.
    ///
    /// The keys are ordered newest first.
    static func messages(
        of number: ChannelNumber, from lower: Gap.Bound, includesLower: Bool = false,
        to upper: Gap.Bound, includesUpper: Bool = false
    ) -> KeyRange {
        range(
            from: lower, includesLower, to: upper, includesUpper,
            prefix: ByteWriter.key { $0.table(.message, number) }
        ) { (position) in ByteWriter.key { $0.messageKey(number, position) } }
    }

    /// Returns the range of the keys of the replies to a message between two bounds.
    fileprivate static func replies(
        to parent: MessageID, of number: ChannelNumber, from lower: Gap.Bound,
        includesLower: Bool, to upper: Gap.Bound, includesUpper: Bool
    ) -> KeyRange {
        range(
            from: lower, includesLower, to: upper, includesUpper,
            prefix: ByteWriter.key { $0.repliesPrefix(number, parent) }
        ) { (position) in ByteWriter.key { $0.replyKey(number, parent, position) } }
    }

    private static func range(
        from lower: Gap.Bound, _ includesLower: Bool, to upper: Gap.Bound, _ includesUpper: Bool,
        prefix: KeyBytes, key: (Position) -> KeyBytes
    ) -> KeyRange {
        var range = KeyRange(prefix: prefix)
        // Keys are ordered newest first, so the range of keys starts at the upper bound. The end of
        // the range is exclusive. To include a key, append a zero byte to it, which results in the
        // next possible key.
        if case .position(let position) = upper {
            range.lower = key(position)
            if !includesUpper { range.lower.append(0) }
        }
        if case .position(let position) = lower {
            range.upper = key(position)
            if includesLower { range.upper.append(0) }
        }
        return range
    }
}

/// A reader whose reads all read the same commit.
struct OneCommit: StoreReader {
    let view: StoreView
}
