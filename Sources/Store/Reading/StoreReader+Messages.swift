public import Models

extension StoreReader {
    /// Returns the messages of a channel that are older than an anchor, newest first.
    ///
    /// Messages exactly at the anchor are included only with `isInclusive`. The sizes and the
    /// direction of `params` are ignored. A limit below 1 returns no messages.
    ///
    /// There are fewer than `limit` messages only if the store has no older ones that match. The
    /// gaps show whether the server has more.
    ///
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
    /// The parameters are those of ``messages(in:before:isInclusive:limit:matching:)``.
    public func messages(
        in url: ChannelURL, after anchor: HistoryAnchor, isInclusive: Bool = false,
        limit: Int? = nil, matching params: MessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        try view.messages(
            in: url, anchor, isOlder: false, isInclusive: isInclusive, limit: limit, params)
    }

    /// Returns the messages on both sides of an anchor, in the order of a list.
    ///
    /// `params` has the numbers of older and newer messages, the order and the filters. Messages
    /// exactly at the anchor count as newer if its `isInclusive` is true, and are omitted
    /// otherwise.
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
    public func message(_ id: MessageID, in url: ChannelURL) throws(StoreError) -> Message? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        return try view.cache.message(id, in: number)
    }

    /// Returns the message that was sent with a request ID; `nil` if it is not stored.
    ///
    /// If a server has carried out a repeated request twice, the result is the message that was
    /// stored last; `nil` if that one was deleted. Unsent messages are outbox items, and are not
    /// found.
    public func message(requestID: RequestID, in url: ChannelURL) throws(StoreError) -> Message? {
        let view = try view
        guard let number = try view.number(of: url) else { return nil }
        let id = try view.cache.messageID(ofRequest: requestID, in: number)
        guard let id else { return nil }
        return try view.cache.message(id, in: number)
    }

    /// Returns the replies to a message that are older than an anchor, newest first.
    ///
    /// The parent message need not be stored. The other parameters are those of
    /// ``messages(in:before:isInclusive:limit:matching:)``.
    ///
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
    /// The parameters are those of ``replies(to:in:before:isInclusive:limit:matching:)``.
    public func replies(
        to parent: MessageID, in url: ChannelURL, after anchor: HistoryAnchor,
        isInclusive: Bool = false, limit: Int? = nil,
        matching params: ThreadedMessageListParams? = nil
    ) throws(StoreError) -> [Message] {
        try view.replies(
            to: parent, in: url, anchor, isOlder: false, isInclusive: isInclusive, limit: limit,
            params)
    }

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
            .positions(
                behind: prefix, from: lower, includesLower: includesLower, to: upper,
                includesUpper: includesUpper),
            of: number, isDescending: !isNewestFirst, limit: limit, behind: prefix, &visits
        ) { params?.belongsTo($0) ?? true }
    }

    package func newestPosition(in url: ChannelURL) throws(StoreError) -> Position? {
        try view.outermostPosition(in: url, isDescending: false)
    }

    /// Returns the newest position before a time: the servers of other users may send messages of
    /// the future.
    package func newestPosition(
        in url: ChannelURL, before time: Timestamp
    ) throws(StoreError) -> Position? {
        let newest = try newestPosition(in: url)
        let bound = Position(createdAt: time, messageID: "")
        guard let newest, bound < newest else { return newest }
        return try neighbor(of: bound, in: url, isOlder: true)
    }

    package func oldestPosition(in url: ChannelURL) throws(StoreError) -> Position? {
        try view.outermostPosition(in: url, isDescending: true)
    }

    /// Returns the number of stored messages of a channel.
    public func messageCount(in url: ChannelURL) throws(StoreError) -> Int {
        let view = try view
        guard let number = try view.number(of: url) else { return 0 }
        return Int(try view.cache.state(of: number)?.messageCount ?? 0)
    }

    /// Returns the number of stored messages strictly between two bounds, by scanning their keys.
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

    /// Returns the stored messages between two bounds; by default, without messages exactly at a
    /// bound.
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

    /// Returns the positions of the messages strictly between two bounds, newest first, without
    /// decoding them.
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

    /// Returns the position of the nearest stored message that is strictly older or newer.
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
    /// - Complexity: O(1), except for the first call, which reads a row for each channel.
    public func messageCount() throws(StoreError) -> Int {
        let view = try view
        guard let batch = view.batch else { return try view.committed.messageCount() }
        if batch.hasClearedAll { return try view.cache.messageCount() }
        return try view.committed.messageCount() + batch.addedMessages
    }
}

extension KeyRange {
    static func messages(
        of number: ChannelNumber, from lower: Gap.Bound, includesLower: Bool = false,
        to upper: Gap.Bound, includesUpper: Bool = false
    ) -> KeyRange {
        positions(
            behind: ByteWriter.key { $0.table(.message, number) }, from: lower,
            includesLower: includesLower, to: upper, includesUpper: includesUpper)
    }

    fileprivate static func positions(
        behind prefix: KeyBytes, from lower: Gap.Bound, includesLower: Bool, to upper: Gap.Bound,
        includesUpper: Bool
    ) -> KeyRange {
        func key(_ position: Position) -> KeyBytes {
            ByteWriter.key {
                $0.raw(prefix)
                $0.descending { $0.position(position) }
            }
        }
        var range = KeyRange(prefix: prefix)
        // Keys are ordered newest first, the end is exclusive, and a zero byte makes the next
        // possible key.
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

struct OneCommit: StoreReader {
    let view: StoreView
}

extension StoreView {
    /// Returns the position of the newest message between two bounds; if `isDescending` is true, of
    /// the oldest one.
    func outermostPosition(
        in url: ChannelURL, from lower: Gap.Bound = .beginning, to upper: Gap.Bound = .end,
        isDescending: Bool
    ) throws(StoreError) -> Position? {
        guard let number = try number(of: url) else { return nil }
        let cache = cache
        var position: Position?
        try scanMessages(
            .messages(of: number, from: lower, to: upper), of: number, isDescending: isDescending
        ) { (key, _) throws(StoreError) in
            position = try cache.position(ofMessageKey: key)
            return false
        }
        return position
    }

    func messages(
        in url: ChannelURL, _ anchor: HistoryAnchor, isOlder: Bool, isInclusive: Bool,
        limit: Int?, _ params: MessageListParams?
    ) throws(StoreError) -> [Message] {
        guard let number = try number(of: url) else { return [] }
        let range = anchor.keys(
            behind: ByteWriter.key { $0.table(.message, number) }, isOlder: isOlder, isInclusive)
        var visits = VisitLimit.unlimited
        return try messages(
            range, of: number, isDescending: !isOlder, limit: limit, params, &visits)
    }

    func messages(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool, limit: Int?,
        _ params: MessageListParams?, _ visits: inout VisitLimit
    ) throws(StoreError) -> [Message] {
        let limit = limit ?? .max
        guard limit > 0, range.lower.precedes(range.upper) else { return [] }
        if let params, params.messageType == .file {
            return try fileMessages(
                range, of: number, isDescending: isDescending, limit: limit, params, &visits)
        }
        var messages: [Message] = []
        // A large limit is often much greater than the number of messages.
        if limit < 1_000 { messages.reserveCapacity(limit) }
        let cache = cache
        try scanMessages(range, of: number, isDescending: isDescending) {
            (key, value) throws(StoreError) in
            let message: Message = try cache.record(value, as: Rows.messageName(key))
            if params?.belongsTo(message) ?? true { messages.append(message) }
            return messages.count < limit && visits.allowsMore(after: message)
        }
        return messages
    }

    func replies(
        to parent: MessageID, in url: ChannelURL, _ anchor: HistoryAnchor, isOlder: Bool,
        isInclusive: Bool, limit: Int?, _ params: ThreadedMessageListParams?
    ) throws(StoreError) -> [Message] {
        guard let number = try number(of: url) else { return [] }
        let prefix = ByteWriter.key { $0.repliesPrefix(number, parent) }
        var visits = VisitLimit.unlimited
        return try replies(
            anchor.keys(behind: prefix, isOlder: isOlder, isInclusive), of: number,
            isDescending: !isOlder, limit: limit, behind: prefix, &visits
        ) { params?.belongsTo($0, parentMessageID: parent) ?? true }
    }

    func replies(
        _ range: KeyRange, of number: ChannelNumber, isDescending: Bool, limit: Int?,
        behind prefix: KeyBytes, _ visits: inout VisitLimit, _ isIncluded: (Message) -> Bool
    ) throws(StoreError) -> [Message] {
        let limit = limit ?? .max
        guard limit > 0, range.lower.precedes(range.upper) else { return [] }
        var messages: [Message] = []
        let cache = cache
        let messageTable = ByteWriter.key { $0.table(.message, number) }
        // The keys of messages and of reply rows end with the position.
        try cache.scan(range, isDescending: isDescending) { (key, _) throws(StoreError) in
            let messageKey = messageTable + key.dropFirst(prefix.count)
            let message: Message? = try cache.record(messageKey, as: "a reply")
            if let message, isIncluded(message) { messages.append(message) }
            return messages.count < limit && message.map { visits.allowsMore(after: $0) } ?? true
        }
        return messages
    }
}

extension Rows {
    /// If `mayBeStored` is false, only the writes of the batch are read.
    func creationTime(
        of id: MessageID, in number: ChannelNumber, mayBeStored: Bool = true
    ) throws(StoreError) -> Timestamp? {
        let key = ByteWriter.key { $0.creationTimeKey(number, id) }
        return try read(
            key, mayBeStored: mayBeStored, as: "the creation time of message \(id)"
        ) { (reader) throws(ByteReader.Damage) in try reader.timestamp() }
    }

    func messageID(
        ofRequest id: RequestID, in number: ChannelNumber
    ) throws(StoreError) -> MessageID? {
        try read(ByteWriter.key { $0.requestKey(number, id) }, as: "request \(id)") {
            (reader) throws(ByteReader.Damage) in MessageID(try reader.text())
        }
    }

    func message(_ id: MessageID, in number: ChannelNumber) throws(StoreError) -> Message? {
        guard let createdAt = try creationTime(of: id, in: number) else { return nil }
        let position = Position(createdAt: createdAt, messageID: id)
        return try record(
            ByteWriter.key { $0.messageKey(number, position) }, as: "message \(id)")
    }

    static func messageName(_ key: UnsafeRawBufferPointer) -> String {
        guard let position = try? ByteReader.position(ofMessageKey: key) else {
            return "a message"
        }
        return "message \(position)"
    }
}
