import Models

/// A point in a room's history between two events, which is a page cursor.
///
/// A point is given by a token, or by an event and a token after it: the point is then just before
/// that event. For the point before an event, Synapse also returns a token of its own (`start` of
/// `/context`). But pages from that token can miss messages that several clients sent at the same
/// time. Pages that begin at the token after the event (`end`) miss none.
struct HistoryPoint: Hashable {
    let token: String
    /// The event just after the point, which has the type of a message; `nil` if the point is given
    /// by the token alone.
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

/// The messages in one direction from a point; the message nearest to the point is the first.
struct Segment {
    var events: [RoomEvent] { arrivals.filter(\.isMessage) }
    /// The messages and the redacted events.
    var arrivals: [RoomEvent] = []
    /// The token from which the next request continues; `nil` at the end of the history.
    var end: String?
    /// The token at which the segment starts, if the server returned one.
    var start: String?
}
