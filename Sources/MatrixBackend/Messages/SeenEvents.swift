/// The kinds of the events that this process has seen, by the events' IDs.
///
/// A redaction contains only the ID of the redacted event, and the server removes the relation of a
/// redacted event. Therefore this type records the message to which a reaction or an edit belongs.
struct SeenEvents {
    enum Meaning: Hashable {
        case message
        case edit(of: String)
        case reaction(key: String, target: String, user: String)
        case reply(inThread: String)
    }

    private static let capacity = 20_000
    private var meanings: [String: Meaning] = [:]
    private var older: [String: Meaning] = [:]

    subscript(id: String) -> Meaning? { meanings[id] ?? older[id] }

    mutating func insert(_ events: some Sequence<RoomEvent>) {
        for event in events { if let meaning = Meaning(event) { meanings[event.id] = meaning } }
        // Remove the older half of the events.
        if meanings.count > Self.capacity / 2 { (older, meanings) = (meanings, [:]) }
    }
}

/// A pagination token for each message of a page, which is older than the message.
///
/// All reactions to a message are newer than its token.
struct PageTokens {
    private static let capacity = 20_000
    private var tokens: [String: String] = [:]

    mutating func insert(_ token: String, of events: [RoomEvent]) {
        if tokens.count > Self.capacity { tokens = [:] }
        for event in events { tokens[event.id] = token }
    }

    /// Returns the messages of each token; those without a token have the key `nil`.
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
                self = .message
            }
        } else {
            return nil
        }
    }
}
