import Models

/// A point in a room's history between two events, which is a page cursor.
///
/// It is given by a token, or by an event and a token after it: it is then just before that event.
/// Synapse also returns a token for that point (`start` of `/context`), but pages from there can
/// miss messages that several clients sent at the same time. Pages that begin at the token after
/// the event (`end`) miss none.
struct HistoryPoint: Hashable {
    let token: String
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

enum Side: String {
    case older = "b"
    case newer = "f"
}

/// The messages in one direction from a point, nearest first.
struct PagePart {
    var events: [RoomEvent] { arrivals.filter(\.isMessage) }
    var arrivals: [RoomEvent] = []
    /// The token of the next request; `nil` at the end of the history.
    var end: String?
    var start: String?
}
