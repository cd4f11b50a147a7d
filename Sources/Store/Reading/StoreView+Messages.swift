import Models

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

    /// Returns the messages on one side of an anchor, beginning next to it.
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
        // Like the key of the message, the key of a reply row ends with the position.
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
    /// Returns the creation time of a message; if `mayBeStored` is false, only the writes of the
    /// batch are read.
    func creationTime(
        of id: MessageID, in number: ChannelNumber, mayBeStored: Bool = true
    ) throws(StoreError) -> Timestamp? {
        let key = ByteWriter.key { $0.creationTimeKey(number, id) }
        return try withValue(of: key, mayBeStored: mayBeStored) {
            (bytes) throws(StoreError) -> Timestamp? in
            guard let bytes else { return nil }
            return try decode(bytes, as: "the creation time of message \(id)") {
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
