import Models

/// A redacted event loses its relation, so the messages of reactions and edits are kept here.
struct SeenEvents {
    enum Meaning: Hashable {
        case message
        /// A message that refers to another event, and therefore cannot start a thread.
        case reference
        case edit(of: String)
        case reaction(key: String, target: String, user: String)
        case reply(inThread: String)
        /// A message or an edit that was deleted before it was received.
        case deleted(createdAt: Timestamp)
    }

    private var meanings = RecentEntries<Meaning>(capacity: 20_000)

    subscript(id: String) -> Meaning? { meanings[id] }

    mutating func insert(_ events: some Sequence<RoomEvent>) {
        for event in events { if let meaning = Meaning(event) { meanings[event.id] = meaning } }
    }

    /// Records the times of deleted events, which no longer name the messages that they edited.
    mutating func insertDeleted(_ events: some Sequence<RoomEvent>) {
        for event in events where event.hasMessageType && event.isRedacted {
            meanings[event.id] = meanings[event.id] ?? .deleted(createdAt: event.time)
        }
    }
}

/// A dictionary that forgets its oldest entries, but keeps at least half of its capacity.
struct RecentEntries<Value> {
    private let capacity: Int
    // Two IDs may be equal as Unicode texts.
    private var newer: [MessageID: Value] = [:]
    private var older: [MessageID: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    subscript(id: String) -> Value? {
        get {
            let key = MessageID(id)
            return newer[key] ?? older[key]
        }
        set {
            let key = MessageID(id)
            newer[key] = newValue
            if newValue == nil { older[key] = nil }
            if newer.count > capacity / 2 { (older, newer) = (newer, [:]) }
        }
    }

    mutating func removeAll() { (newer, older) = ([:], [:]) }

    mutating func removeAll(where isRemoved: (Value) -> Bool) {
        newer = newer.filter { !isRemoved($0.value) }
        older = older.filter { !isRemoved($0.value) }
    }
}

/// The newest messages received since the connection, in their current versions.
///
/// While the feed reports all changes, they need not be requested. An event of a room may name a
/// message of another room, so messages are found only with their room.
struct KnownMessages {
    private var messages = RecentEntries<(room: String, event: RoomEvent)>(capacity: 2_000)

    subscript(id: String, in room: String) -> RoomEvent? {
        guard let found = messages[id], found.room == room else { return nil }
        return found.event
    }

    mutating func insert(_ events: some Sequence<RoomEvent>, in room: String) {
        for event in events where event.isMessage { messages[event.id] = (room, event) }
    }

    mutating func apply(_ timeline: [RoomEvent], in room: String, _ seen: SeenEvents) {
        var unknown: Set<MessageID> = []
        for event in timeline {
            if event.isMessage {
                // A known message may have a newer edit than this event.
                if self[event.id, in: room] == nil { messages[event.id] = (room, event) }
            } else if let target = event.edited {
                if var message = self[target, in: room] {
                    message.apply(event)
                    messages[target] = (room, message)
                }
            } else if let target = event.redacts {
                remove(target, in: room)
                switch seen[target] {
                case .edit(let edited): remove(edited, in: room)
                case nil, .deleted: unknown.insert(MessageID(target))
                default: break
                }
            }
        }
        if unknown.isEmpty { return }
        // The server may have bundled a redacted edit with its message.
        messages.removeAll {
            $0.room == room
                && $0.event.replacement.map { unknown.contains(MessageID($0.id)) } ?? false
        }
    }

    mutating func remove(_ id: String, in room: String) {
        if self[id, in: room] != nil { messages[id] = nil }
    }

    mutating func removeAll() { messages.removeAll() }
}

/// A pagination token for each message of a page, older than the message and all its reactions.
struct PageTokens {
    private static let capacity = 20_000
    private var tokens: [String: String] = [:]

    mutating func insert(_ token: String, of events: [RoomEvent]) {
        if tokens.count > Self.capacity { tokens = [:] }
        for event in events { tokens[event.id] = token }
    }

    func groups(of ids: [String]) -> [String?: [String]] {
        Dictionary(grouping: ids) { tokens[$0] }
    }
}

extension SeenEvents.Meaning {
    init?(_ event: RoomEvent) {
        if let (key, target) = event.reaction {
            self = .reaction(key: key, target: target, user: event.sender)
        } else if let target = event.edited {
            self = .edit(of: target)
        } else if event.isMessage {
            let relation = event.content.relation
            if relation?.type == "m.thread", let root = relation?.eventID {
                self = .reply(inThread: root)
            } else {
                self = relation?.type == nil ? .message : .reference
            }
        } else {
            return nil
        }
    }
}
