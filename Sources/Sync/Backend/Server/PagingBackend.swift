import Foundation
public import Models

/// A backend whose server returns the messages before or after a point.
///
/// The parameters of such requests are often called `before`, `after` and `limit`. This protocol
/// makes pages of the answers, which fulfill the promises of
/// ``Backend/messages(in:at:older:newer:)`` about order, limits, cursors and anchors.
///
/// The server returns messages in the order of their times, and may return fewer than the limit.
/// Only an empty answer is the end of the history, so reading a whole history takes one more
/// request than it has pages.
public protocol PagingBackend: Backend {
    /// The points at which requests continue earlier ones.
    var pageContinuation: PageContinuation { get }

    /// Returns the newest messages that are older than a point, in any order; none only at the
    /// beginning of the history.
    ///
    /// With `times`, `point` is never a message. `limit` is above 0.
    func messages(
        in channelURL: ChannelURL, before point: PagePoint, limit: Int
    ) async throws(BackendError) -> [Message]

    /// Returns the oldest messages that are newer than a point, in any order; none only at the end
    /// of the history.
    ///
    /// The point is never ``PagePoint/newest`` and, with `times`, never a message. `limit` is above
    /// 0.
    func messages(
        in channelURL: ChannelURL, after point: PagePoint, limit: Int
    ) async throws(BackendError) -> [Message]
}

/// A point in a channel's history.
public enum PagePoint: Hashable, Sendable {
    /// The newest end of the history. Only requests for older messages begin there.
    case newest
    /// A message, which the answer does not contain.
    case message(MessageID)
    /// A time: older messages were created before it, newer ones at this time or later.
    case time(Timestamp)
}

/// The points at which the requests of a ``PagingBackend`` continue earlier ones.
public enum PageContinuation: Hashable, Sendable {
    /// Requests continue at messages, and begin at a time only if the anchor of the page is a time.
    ///
    /// The server should accept the ID of a deleted message; if it throws an error, the page fails
    /// with that error.
    case messages
    /// Requests continue at times, because the server has no requests by ID.
    ///
    /// Several messages may have the same time. A cursor therefore contains the IDs of the messages
    /// of its millisecond that were already returned, and a request asks for as many additional
    /// messages. The server's limit must exceed the number of messages in one millisecond.
    case times
}

extension PagingBackend {
    /// Returns a page of messages around an anchor.
    ///
    /// A page takes one request for each side, and one or two more if its anchor is a message.
    ///
    /// - Throws: `expired` if the anchor is a message that does not exist, or a cursor that this
    ///   method did not make; the errors of the requests.
    public func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        let pages = HistoryPages(backend: self, url: channelURL)
        let (olderEnd, newerEnd) = try await pages.ends(at: anchor)
        let before = try await pages.side(olderEnd, older, .older)
        let after = try await pages.side(newerEnd, newer, .newer)
        return MessagePage(
            messages: before.messages.reversed() + after.messages, older: before.cursor,
            newer: after.cursor)
    }
}

private struct HistoryPages<Server: PagingBackend> {
    enum Direction { case older, newer }

    let backend: Server
    let url: ChannelURL

    private var continuation: PageContinuation { backend.pageContinuation }

    private func message(_ id: MessageID) async throws(BackendError) -> Message? {
        try await backend.lookup([id], in: url).found.first
    }
    func ends(
        at anchor: MessageAnchor
    ) async throws(BackendError) -> (older: PageEnd?, newer: PageEnd?) {
        switch anchor {
        case .newest: return (PageEnd(), nil)
        case .time(let time):
            let end = PageEnd(time: time)
            return (time == .distantPast ? nil : end, end)
        case .cursor(let cursor):
            guard let end = PageEnd(cursor) else {
                throw BackendError(.expired, "\(cursor) is no cursor of this backend")
            }
            return (end, end)
        case .message(let id):
            guard let found = try await message(id) else {
                throw BackendError(.expired, "message \(id) does not exist")
            }
            guard continuation == .times else {
                let end = PageEnd(message: id)
                return (end, end)
            }
            let same = try await messages(createdAt: found.createdAt)
            return (
                PageEnd(time: found.createdAt, seen: same.filter { !$0.isOlder(than: found) }),
                PageEnd(time: found.createdAt, seen: same.filter { $0.isOlder(than: found) })
            )
        }
    }

    private func messages(createdAt time: Timestamp) async throws(BackendError) -> [Message] {
        var limit = 100
        while true {
            let found = try await backend.messages(in: url, after: .time(time), limit: limit)
            let same = found.filter { $0.createdAt == time }
            if same.count < limit { return same }
            limit *= 2
        }
    }

    /// Returns the messages of one side, the nearest first, and the cursor that continues them.
    func side(
        _ end: PageEnd?, _ limit: Int, _ direction: Direction
    ) async throws(BackendError) -> (messages: [Message], cursor: PageCursor?) {
        guard let end else { return ([], nil) }
        guard limit > 0 else { return ([], end.cursor) }
        let found = try await messages(end, limit, direction)
        let sorted = found.sorted { left, right in
            direction == .newer ? left.isOlder(than: right) : right.isOlder(than: left)
        }
        let messages = Array(sorted.prefix(limit))
        guard let last = messages.last else { return ([], nil) }
        guard continuation == .times else {
            let end = PageEnd(message: last.messageID, includesMessage: direction == .newer)
            return (messages, end.cursor)
        }
        let earlier = last.createdAt == end.time ? end.seen : []
        let same = messages.filter { $0.createdAt == last.createdAt }.compactMap(\.messageID)
        return (messages, PageEnd(time: last.createdAt, seen: earlier + same).cursor)
    }

    private func messages(
        _ end: PageEnd, _ limit: Int, _ direction: Direction
    ) async throws(BackendError) -> [Message] {
        func request(_ point: PagePoint, _ limit: Int) async throws(BackendError) -> [Message] {
            switch direction {
            case .older: try await backend.messages(in: url, before: point, limit: limit)
            case .newer: try await backend.messages(in: url, after: point, limit: limit)
            }
        }
        if let id = end.message {
            // A cursor lies next to its message, so that message belongs to one of the two sides.
            let isIncluded = end.includesMessage == (direction == .older)
            let first = isIncluded ? try await message(id) : nil
            let rest = limit - (first == nil ? 0 : 1)
            return [first].compactMap(\.self)
                + (rest > 0 ? try await request(.message(id), rest) : [])
        }
        guard let time = end.time else { return try await request(.newest, limit) }
        let (count, overflows) = limit.addingReportingOverflow(end.seen.count)
        let found = try await request(
            point(time, isCut: !end.seen.isEmpty, direction), overflows ? .max : count)
        return found.filter { !end.seen.contains($0.messageID ?? "") }
    }

    /// Returns the point for a request whose answer contains the millisecond of a time if some of
    /// its messages are not on the page.
    private func point(_ time: Timestamp, isCut: Bool, _ direction: Direction) -> PagePoint {
        guard isCut, direction == .older else { return .time(time) }
        return time.next.map { .time($0) } ?? .newest
    }
}

/// The newest end of the history, a side of a message, or a time with the messages of that
/// millisecond that are on the page.
private struct PageEnd: Codable {
    var message: MessageID?
    /// True if the end is on the newer side of the message.
    var includesMessage = false
    var time: Timestamp?
    var seen: [MessageID] = []

    init() {}

    init(message: MessageID?, includesMessage: Bool = false) {
        self.message = message
        self.includesMessage = includesMessage
    }

    init(time: Timestamp, seen: [MessageID] = []) {
        self.time = time
        self.seen = seen
    }

    init(time: Timestamp, seen: [Message]) {
        self.init(time: time, seen: seen.compactMap(\.messageID))
    }

    init?(_ cursor: PageCursor) {
        let data = Data(cursor.rawValue.utf8)
        guard let end = try? JSONDecoder().decode(PageEnd.self, from: data) else { return nil }
        self = end
    }

    var cursor: PageCursor {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Encoding fails only for numbers that JSON does not have, and an end has none.
        let data = (try? encoder.encode(self)) ?? Data()
        return PageCursor(String(decoding: data, as: UTF8.self))
    }
}

extension Message {
    fileprivate func isOlder(than other: Message) -> Bool {
        guard let position, let next = other.position else { return false }
        return position < next
    }
}
