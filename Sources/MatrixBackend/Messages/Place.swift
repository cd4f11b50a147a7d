import Models

/// A place in a room's history between two events, as a page cursor.
///
/// The token is newer than the event, if there is one, and the place older than it. Synapse's own
/// token before an event, `start` of `/context`, loses neighbors where several clients sent at a
/// time; going one event back from `end` does not.
struct Place: Hashable {
    let token: String
    /// An event with the type of a message.
    let event: String?

    init(_ token: String, before event: String? = nil) {
        self.token = token
        self.event = event
    }

    init(_ cursor: PageCursor) {
        let parts = cursor.rawValue.split(separator: " ", maxSplits: 1).map(String.init)
        self.init(parts.first ?? "", before: parts.count > 1 ? parts[1] : nil)
    }

    var cursor: PageCursor { PageCursor(event.map { "\(token) \($0)" } ?? token) }
}

/// A direction in a room's history.
enum Side: String {
    case older = "b"
    case newer = "f"
}

/// Messages in one direction from a place, in that direction's order.
struct Segment {
    var events: [RoomEvent] = []
    /// The token from which the next request continues; `nil` at the end of the history.
    var end: String?
    /// The token at which the segment starts, if the server returned one.
    var start: String?
}
