import Models
import Store

/// The history of a channel in the order in which its messages arrived.
///
/// A message is late if one that arrived earlier, even a deleted one, has a newer position. All
/// other messages are in the order of positions. See ``ServerConditions/federationDelay``.
struct ArrivalOrder {
    private let channel: ServerChannel
    private let entries: [Entry]
    /// The IDs of late messages, also of deleted ones.
    private let late: Set<MessageID>

    private struct Entry {
        let message: Message
        let key: SortKey
    }

    /// The sort key of a message: the log entry of the arrival, then the position.
    ///
    /// Imported messages without a log entry precede all others.
    fileprivate struct SortKey {
        let sequence: LogSequence
        let position: Position

        static func < (left: SortKey, right: SortKey) -> Bool {
            (left.sequence, left.position) < (right.sequence, right.position)
        }
    }

    init(
        of channel: ServerChannel, for userID: UserID, _ state: ServerState
    ) throws(BackendError) {
        self.channel = channel
        var messages: [Message] = []
        try state.scanMessages(of: channel) { message in
            messages.append(message)
            return true
        }
        // The message is `nil` if it was deleted.
        var arrivals: [(key: SortKey, message: Message?)] = []
        for message in messages where state.isVisible(message, in: channel, to: userID) {
            guard let position = message.position,
                let location = try state.location(of: position.messageID)
            else { continue }
            arrivals.append(
                (
                    SortKey(sequence: location.sequence, position: position),
                    state.view(message, for: userID)
                ))
        }
        for key in try state.keysOfDeletedMessages(of: channel) { arrivals.append((key, nil)) }
        var newest: Position?
        var late: Set<MessageID> = []
        entries = arrivals.sorted { $0.key < $1.key }.compactMap { key, message in
            let isLate = newest.map { key.position < $0 } ?? false
            if isLate { late.insert(key.position.messageID) } else { newest = key.position }
            return message.map { Entry(message: $0, key: key) }
        }
        self.late = late
    }

    /// Returns a page; throws `expired` for an unknown cursor or message.
    func page(
        at anchor: MessageAnchor, older: Int, newer: Int, _ state: ServerState
    ) throws(BackendError) -> MessagePage {
        let index = try index(of: anchor, state)
        let limit = state.conditions.pageLimit
        let start = max(index - min(max(older, 0), limit), 0)
        let end = min(index + min(max(newer, 0), limit), entries.count)
        var outliers = late.intersection(entries[start..<end].map(\.key.position.messageID))
        if case .message(let id) = anchor, late.contains(id) { outliers.insert(id) }
        return MessagePage(
            messages: entries[start..<end].sorted { $0.key.position < $1.key.position }
                .map(\.message),
            outliers: outliers, older: start > 0 ? cursor(at: start, state) : nil,
            newer: end < entries.count ? cursor(at: end, state) : nil)
    }

    private func cursor(at index: Int, _ state: ServerState) -> PageCursor {
        let isOnNewerSide = index == entries.count
        return HistoryCursor(
            entries[isOnNewerSide ? index - 1 : index].key.position, isOnNewerSide: isOnNewerSide
        ).text(state.counters)
    }

    /// Returns the index of an anchor; older messages precede it.
    private func index(
        of anchor: MessageAnchor, _ state: ServerState
    ) throws(BackendError) -> Int {
        switch anchor {
        case .newest: return entries.count
        case .time(let time):
            return entries.firstIndex { !isLate($0) && time <= $0.key.position.createdAt }
                ?? entries.count
        case .message(let id):
            guard let key = try sortKey(of: id, state) else {
                throw .cannotResume(from: "message \(id)")
            }
            return entries.firstIndex { !($0.key < key) } ?? entries.count
        case .cursor(let cursor):
            let cursor = try HistoryCursor(cursor, state.counters)
            guard let key = try sortKey(of: cursor.position.messageID, state) else {
                // The cursor's message was purged: find its index by its position, ignoring late
                // messages.
                return entries.firstIndex {
                    !isLate($0) && cursor.position < $0.key.position
                } ?? entries.count
            }
            return entries.firstIndex {
                cursor.isOnNewerSide ? key < $0.key : !($0.key < key)
            } ?? entries.count
        }
    }

    private func isLate(_ entry: Entry) -> Bool { late.contains(entry.key.position.messageID) }

    /// Returns the key of a message, even a deleted one.
    private func sortKey(
        of id: MessageID, _ state: ServerState
    ) throws(BackendError) -> SortKey? {
        guard let location = try state.location(of: id), location.channel == channel.number else {
            return nil
        }
        return SortKey(
            sequence: location.sequence,
            position: Position(createdAt: location.createdAt, messageID: id))
    }
}

extension ServerState {
    fileprivate func keysOfDeletedMessages(
        of channel: ServerChannel
    ) throws(BackendError) -> [ArrivalOrder.SortKey] {
        let prefix = ByteWriter.key { $0.prefix(.deletedMessage, of: channel.number) }
        var keys: [ArrivalOrder.SortKey] = []
        try database.read { (rows) throws(StoreError) in
            try rows.scan(KeyRange(prefix: prefix)) { (key, value) throws(StoreError) in
                try rows.decode(value, as: "a deleted message of \(channel.url)") {
                    (value) throws(ByteReader.Damage) in
                    var key = ByteReader(key.dropping(prefix.count))
                    keys.append(
                        ArrivalOrder.SortKey(
                            sequence: try value.integer(), position: try key.position()))
                }
                return true
            }
        }
        return keys
    }
}
