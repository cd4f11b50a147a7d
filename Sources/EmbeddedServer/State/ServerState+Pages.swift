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
        var messages: [Message] = []
        func message(
            _ rows: Rows, _ value: UnsafeRawBufferPointer
        ) throws(StoreError) -> Message {
            view(try rows.record(value, as: "a message of \(url)"), for: userID)
        }
        var isFiltered: ((Rows, UnsafeRawBufferPointer) throws(StoreError) -> Bool)?
        if kinds != nil {
            isFiltered = { (rows, value) throws(StoreError) in
                !isWanted(try message(rows, value))
            }
        }
        let hasOlder = try scan(
            history.below(anchorKey), older, isDescending: true, except: isFiltered
        ) { (rows, _, value) throws(StoreError) in messages.append(try message(rows, value)) }
        messages.reverse()
        let hasNewer = try scan(
            history.above(anchorKey), newer, isDescending: false, except: isFiltered
        ) { (rows, _, value) throws(StoreError) in messages.append(try message(rows, value)) }
        return page(
            messages, at: anchorKey, of: history, hasOlder: hasOlder, hasNewer: hasNewer)
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
        var messages: [Message] = []
        func add(_ rows: Rows, _ key: UnsafeRawBufferPointer) throws(StoreError) {
            let position = [UInt8](key.dropping(history.prefix.count))
            let key = ByteWriter.key { $0.prefix(.message, of: channel.number) } + position
            let message = try rows.withValue(of: key) { (bytes) throws(StoreError) -> Message? in
                guard let bytes else { return nil }
                return try rows.record(bytes, as: "a reply to \(parentID)")
            }
            if let message { messages.append(view(message, for: userID)) }
        }
        let hasOlder = try scan(history.below(anchorKey), older, isDescending: true) {
            (rows, key, _) throws(StoreError) in try add(rows, key)
        }
        messages.reverse()
        let hasNewer = try scan(history.above(anchorKey), newer, isDescending: false) {
            (rows, key, _) throws(StoreError) in try add(rows, key)
        }
        return page(
            messages, at: anchorKey, of: history, hasOlder: hasOlder, hasNewer: hasNewer)
    }

    func countMessages(
        in url: ChannelURL, from lower: Timestamp?, to upper: Timestamp?, for userID: UserID
    ) throws(BackendError) -> Int {
        let channel = try readableChannel(url, for: userID)
        let history = History(
            prefix: ByteWriter.key { $0.prefix(.message, of: channel.number) },
            offset: channel.members[userID]?.messageOffset)
        let range = KeyRange(
            lower.map { max(history.lower, history.key($0), by: { $0.precedes($1) }) }
                ?? history.lower,
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

    /// Passes at most `limit` rows to a closure, and returns whether more follow.
    private func scan(
        _ range: KeyRange, _ limit: Int, isDescending: Bool,
        except isOmitted: ((Rows, UnsafeRawBufferPointer) throws(StoreError) -> Bool)? = nil,
        _ body: (Rows, UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(BackendError) -> Bool {
        guard range.lower.precedes(range.upper) else { return false }
        var left = min(max(limit, 0), conditions.pageLimit)
        var hasMore = false
        try database.read { (rows) throws(StoreError) in
            try rows.scan(range, isDescending: isDescending) { (key, value) throws(StoreError) in
                if let isOmitted, try isOmitted(rows, value) { return true }
                guard left > 0 else {
                    hasMore = true
                    return false
                }
                left -= 1
                try body(rows, key, value)
                return true
            }
        }
        return hasMore
    }

    private func page(
        _ messages: [Message], at anchorKey: KeyBytes, of history: History, hasOlder: Bool,
        hasNewer: Bool
    ) -> MessagePage {
        // A page without a message in a direction has the anchor itself as its cursor there.
        func cursor(_ message: Message?, isOnNewerSide: Bool) -> PageCursor {
            if let position = message?.position {
                return HistoryCursor(position, isOnNewerSide: isOnNewerSide).text(counters)
            }
            return anchorCursor(anchorKey, history)
        }
        let first = messages.first.flatMap { $0.isBelow(anchorKey, history) ? $0 : nil }
        let last = messages.last.flatMap { $0.isBelow(anchorKey, history) ? nil : $0 }
        return MessagePage(
            messages: messages, older: hasOlder ? cursor(first, isOnNewerSide: false) : nil,
            newer: hasNewer ? cursor(last, isOnNewerSide: true) : nil)
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

extension Message {
    fileprivate func isBelow(_ key: KeyBytes, _ history: History) -> Bool {
        guard let position else { return false }
        return (history.prefix + ByteWriter.key { $0.position(position) }).precedes(key)
    }
}

private func max(
    _ left: KeyBytes, _ right: KeyBytes, by precedes: (KeyBytes, KeyBytes) -> Bool
) -> KeyBytes {
    precedes(left, right) ? right : left
}
