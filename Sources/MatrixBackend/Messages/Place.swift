import Models

/// A place in a room's history between two events, which is a page cursor.
///
/// A place is either a token, or just before an event, as given by that event and a token after it.
/// Synapse also returns a token before an event, `start` of `/context`, but pages from there can
/// miss messages that several clients sent at the same time. Pages from the token `end`, which go
/// back over the event, miss none.
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

/// The messages in one direction from a place, nearest first.
struct Segment {
    var events: [RoomEvent] = []
    /// The token from which the next request continues; `nil` at the end of the history.
    var end: String?
    /// The token at which the segment starts, if the server returned one.
    var start: String?
}
