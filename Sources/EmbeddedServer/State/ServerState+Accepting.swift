import Models
import Store

extension ServerState {
    func accept(_ message: Message, in channel: ServerChannel) throws(BackendError) -> Message {
        var message = message
        let position = try nextPosition(in: channel)
        message.messageID = position.messageID
        message.createdAt = position.createdAt
        try insert(message, at: position, in: channel, isReported: true)
        return message
    }

    private func nextPosition(in channel: ServerChannel) throws(BackendError) -> Position {
        let id = MessageID(String(counters.nextMessage))
        let newest = try newest(of: channel)
        let grain = conditions.timeGranularity
        var time = now().milliseconds
        if conditions.clockSkew > 0 {
            time = time.saturating(adding: skew(of: counters.nextMessage))
        }
        if grain > 1 {
            let rest = time % grain
            time = time.saturating(adding: rest < 0 ? -rest - grain : -rest)
        }
        if let delay = federationDelay(of: counters.nextMessage) {
            time = time.saturating(adding: -delay)
        } else if conditions.clockSkew == 0, let newest {
            time = max(time, newest.createdAt.milliseconds)
            // Positions of new messages must increase: an imported message of the same time may
            // have a higher ID.
            if time == newest.createdAt.milliseconds && !(newest.messageID < id) {
                time = time.saturating(adding: 1)
            }
        }
        counters.nextMessage += 1
        let createdAt = max(Timestamp(milliseconds: time), channel.floor)
        return Position(createdAt: createdAt, messageID: id)
    }

    private func skew(of message: UInt64) -> Int64 {
        var random = SplitMix64(seed: seed, after: message &- 1)
        let bits = random.next()
        let width = UInt64(min(conditions.clockSkew, 1 << 40)) * 2 + 1
        return Int64(bits % width) - Int64(width / 2)
    }

    /// Returns the delay in milliseconds; `nil` for a message of this server.
    private func federationDelay(of message: UInt64) -> Int64? {
        let longest = conditions.federationDelay / .milliseconds(1)
        guard longest > 0 else { return nil }
        var random = SplitMix64(seed: seed, after: message)
        guard random.next() % 4 == 0 else { return nil }
        return Int64(random.next() % UInt64(min(longest.rounded(.up), 1e12))) + 1
    }

    /// Returns an upper bound of the channel's positions, perhaps of a deleted message.
    func newest(of channel: ServerChannel) throws(BackendError) -> Position? {
        if case .known(let position) = channel.newest { return position }
        var position: Position?
        try scanMessages(of: channel, isDescending: true) { message in
            position = message.position
            return false
        }
        channel.newest = .known(position)
        return position
    }

    func insert(
        _ message: Message, at position: Position, in channel: ServerChannel, isReported: Bool
    ) throws(BackendError) {
        if let newest = try newest(of: channel) {
            if newest < position { channel.newest = .known(position) }
        } else {
            channel.newest = .known(position)
        }
        if message.countsAsLast { try moveLastMessage(of: channel, to: message, at: position) }
        var location = MessageLocation(
            channel: channel.number, createdAt: position.createdAt, sequence: 0)
        if isReported {
            location.sequence = append(.received(message.receipt(position)), in: channel)
            unhide(channel)
        }
        database.put({ $0.location(position.messageID) }, location.write)
        store(message, at: position, in: channel)
        let sender = message.sender?.userID
        if let requestID = message.requestID, let sender {
            let id = position.messageID.rawValue
            database.put({ $0.request(sender, requestID) }, { $0.text(id) })
        }
        if let parentID = message.parentMessageID {
            database.put({ $0.reply(parentID, position) }, { $0.text(sender?.rawValue ?? "") })
            try updateThread(of: parentID, in: channel, adding: 1, isReported: isReported)
        }
    }

    private func moveLastMessage(
        of channel: ServerChannel, to message: Message, at position: Position
    ) throws(BackendError) {
        if let last = try lastMessage(of: channel)?.position, position < last { return }
        channel.lastMessage = .known(message)
    }

    func lastMessage(of channel: ServerChannel) throws(BackendError) -> Message? {
        if case .known(let message) = channel.lastMessage { return message }
        var last: Message?
        try scanMessages(of: channel, isDescending: true) { message in
            guard message.countsAsLast else { return true }
            last = message
            return false
        }
        channel.lastMessage = .known(last)
        return last
    }

    /// Passes the messages of a channel to a closure until it returns `false`.
    func scanMessages(
        of channel: ServerChannel, isDescending: Bool = false, _ body: (Message) -> Bool
    ) throws(BackendError) {
        let keys = KeyRange(prefix: ByteWriter.key { $0.prefix(.message, of: channel.number) })
        try database.read { (rows) throws(StoreError) in
            try rows.scan(keys, isDescending: isDescending) { (_, value) throws(StoreError) in
                body(try rows.record(value, as: "a message of \(channel.url)"))
            }
        }
    }
}

extension Message {
    var countsAsLast: Bool {
        if isSilent && !forcesLastMessage { return false }
        return events?.updatesLastMessage ?? true
    }

    func receipt(_ position: Position) -> LogEntry.Receipt {
        let events = events
        let countsMentions = events?.updatesMentionCount ?? true
        return LogEntry.Receipt(
            position: position, sender: sender?.userID,
            countsAsUnread: !isSilent && events?.updatesUnreadCount ?? true,
            mentionsAll: countsMentions && mentionType == .channel,
            mentions: countsMentions ? mentionedUserIDs : [])
    }
}
