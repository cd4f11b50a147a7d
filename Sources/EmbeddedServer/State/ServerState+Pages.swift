import Models
import Store

extension ServerState {
    func messages(
        of kinds: MessageKinds? = nil, in url: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int, for userID: UserID
    ) throws(BackendError) -> MessagePage {
        let channel = try readableChannel(url, for: userID)
        func isWanted(_ message: Message) -> Bool {
            kinds.map { !message.kinds(for: userID).isDisjoint(with: $0) } ?? true
        }
        if conditions.federationDelay > .zero {
            var page = try ArrivalOrder(of: channel, for: userID, self)
                .page(at: anchor, older: older, newer: newer, self)
            page.messages.removeAll { !isWanted($0) }
            return page
        }
        let history = History(
            prefix: ByteWriter.key { $0.prefix(.message, of: channel.number) },
            offset: channel.members[userID]?.messageOffset)
        let anchorKey = try key(of: anchor, in: channel, history)
        return try page(of: history, at: anchorKey, older, newer) {
            (rows, _, value) throws(StoreError) -> Message? in
            let stored: Message = try rows.record(value, as: "a message of \(url)")
            let message = view(stored, for: userID)
            return isWanted(message) ? message : nil
        }
    }

    func replies(
        to parentID: MessageID, in url: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int, for userID: UserID
    ) throws(BackendError) -> MessagePage {
        let channel = try readableChannel(url, for: userID)
        _ = try visibleMessage(parentID, in: channel, for: userID)
        let history = History(
            prefix: ByteWriter.key { $0.replyPrefix(parentID) },
            offset: channel.members[userID]?.messageOffset)
        let anchorKey = try key(of: anchor, in: channel, history)
        return try page(of: history, at: anchorKey, older, newer) {
            (rows, key, _) throws(StoreError) -> Message? in
            let position = [UInt8](key.dropping(history.prefix.count))
            let messageKey = ByteWriter.key { $0.prefix(.message, of: channel.number) } + position
            let message: Message? = try rows.record(messageKey, as: "a reply to \(parentID)")
            return message.map { view($0, for: userID) }
        }
    }

    func countMessages(
        in url: ChannelURL, from lower: Timestamp?, to upper: Timestamp?, for userID: UserID
    ) throws(BackendError) -> Int {
        let channel = try readableChannel(url, for: userID)
        let history = History(
            prefix: ByteWriter.key { $0.prefix(.message, of: channel.number) },
            offset: channel.members[userID]?.messageOffset)
        let range = KeyRange(
            history.above(lower.map { history.key($0) } ?? history.lower).lower,
            upper.map { history.key($0) } ?? history.upper)
        return try database.read { (rows) throws(StoreError) in try rows.count(range) }
    }

    func lookup(
        _ ids: [MessageID], in url: ChannelURL, for userID: UserID
    ) throws(BackendError) -> MessageLookup {
        let channel = try readableChannel(url, for: userID)
        var lookup = MessageLookup(found: [], gone: [])
        var known: Set<MessageID> = []
        for id in ids where known.insert(id).inserted {
            if let (message, _) = try find(id, in: channel),
                isVisible(message, in: channel, to: userID)
            {
                lookup.found.append(view(message, for: userID))
            } else {
                lookup.gone.append(id)
            }
        }
        return lookup
    }
}

// MARK: Reading pages

/// Returns the message of a row; `nil` to omit the row.
private typealias MessageOfRow = (Rows, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    throws(StoreError) -> Message?

private struct History {
    let prefix: KeyBytes
    let lower: KeyBytes
    let upper: KeyBytes

    init(prefix: KeyBytes, offset: Timestamp?) {
        self.prefix = prefix
        lower = offset.map { time in prefix + ByteWriter.key { $0.timestamp(time) } } ?? prefix
        upper = prefix.successorOfPrefix
    }

    func key(_ time: Timestamp) -> KeyBytes { prefix + ByteWriter.key { $0.timestamp(time) } }

    func below(_ key: KeyBytes) -> KeyRange { KeyRange(lower, key) }

    func above(_ key: KeyBytes) -> KeyRange {
        KeyRange(key.precedes(lower) ? lower : key, upper)
    }
}

extension ServerState {
    private func key(
        of anchor: MessageAnchor, in channel: ServerChannel, _ history: History
    ) throws(BackendError) -> KeyBytes {
        switch anchor {
        case .newest: return history.upper
        case .time(let time): return history.key(time)
        case .cursor(let cursor):
            return history.prefix + (try HistoryCursor(cursor, counters)).key
        case .message(let id):
            guard let location = try location(of: id), location.channel == channel.number else {
                throw .cannotResume(from: "message \(id)")
            }
            let position = Position(createdAt: location.createdAt, messageID: id)
            return history.prefix + HistoryCursor(position, isOnNewerSide: false).key
        }
    }

    /// Returns the messages of at most `limit` rows, and a Boolean value that indicates whether
    /// more follow.
    private func scan(
        _ range: KeyRange, _ limit: Int, isDescending: Bool, _ message: MessageOfRow
    ) throws(BackendError) -> (messages: [Message], hasMore: Bool) {
        var messages: [Message] = []
        var hasMore = false
        guard range.lower.precedes(range.upper) else { return (messages, hasMore) }
        let limit = min(max(limit, 0), conditions.pageLimit)
        try database.read { (rows) throws(StoreError) in
            try rows.scan(range, isDescending: isDescending) { (key, value) throws(StoreError) in
                guard let found = try message(rows, key, value) else { return true }
                hasMore = messages.count == limit
                if !hasMore { messages.append(found) }
                return !hasMore
            }
        }
        return (messages, hasMore)
    }

    private func page(
        of history: History, at anchorKey: KeyBytes, _ older: Int, _ newer: Int,
        _ message: MessageOfRow
    ) throws(BackendError) -> MessagePage {
        let (before, hasOlder) = try scan(
            history.below(anchorKey), older, isDescending: true, message)
        let (after, hasNewer) = try scan(
            history.above(anchorKey), newer, isDescending: false, message)
        // If a page has no message in a direction, the cursor in that direction is the anchor
        // itself.
        func cursor(_ message: Message?, isOnNewerSide: Bool) -> PageCursor {
            if let position = message?.position {
                return HistoryCursor(position, isOnNewerSide: isOnNewerSide).text(counters)
            }
            return anchorCursor(anchorKey, history)
        }
        return MessagePage(
            messages: before.reversed() + after,
            older: hasOlder ? cursor(before.last, isOnNewerSide: false) : nil,
            newer: hasNewer ? cursor(after.last, isOnNewerSide: true) : nil)
    }

    private func anchorCursor(_ anchorKey: KeyBytes, _ history: History) -> PageCursor {
        let key = Array(anchorKey.dropFirst(history.prefix.count))
        let position = key.withBytes { bytes -> HistoryCursor? in
            var reader = ByteReader(bytes)
            // The key may be a client's text that is too short for a cursor.
            guard let time = try? reader.timestamp() else { return nil }
            guard let id = try? reader.measured() else {
                return HistoryCursor(Position(createdAt: time, messageID: ""), isOnNewerSide: false)
            }
            let position = Position(createdAt: time, messageID: MessageID(id))
            return HistoryCursor(position, isOnNewerSide: !reader.isAtEnd)
        }
        let end = Position(createdAt: .distantFuture, messageID: "")
        return (position ?? HistoryCursor(end, isOnNewerSide: true)).text(counters)
    }
}
