import Models
import Store

/// A point next to a message, on its older or newer side, from which pages continue.
struct HistoryCursor: Hashable {
    var position: Position
    /// A Boolean value that indicates whether the point is on the newer side of the message.
    var isOnNewerSide: Bool

    // `epoch.generation:side time/id`. DO NOT CHANGE: clients store it.
    func text(_ counters: ServerCounters) -> PageCursor {
        PageCursor(
            "\(counters.pagePrefix)\(isOnNewerSide ? "a" : "b")\(position.createdAt)/\(position.messageID)"
        )
    }

    init(_ position: Position, isOnNewerSide: Bool) {
        self.position = position
        self.isOnNewerSide = isOnNewerSide
    }

    /// - Throws: `expired` if the cursor is of another epoch or generation, or is not a cursor of
    ///   this server.
    init(_ cursor: PageCursor, _ counters: ServerCounters) throws(BackendError) {
        let rest = try counters.pageText(cursor)
        let parts = rest.dropFirst().split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let side = rest.first, "ab".contains(side), parts.count == 2,
            let time = Int64(parts[0])
        else { throw .cannotResume(from: cursor.rawValue) }
        position = Position(
            createdAt: Timestamp(milliseconds: time), messageID: MessageID(String(parts[1])))
        isOnNewerSide = side == "a"
    }

    /// The lowest key at or after the point, without the prefix that all keys of the history have.
    var key: KeyBytes {
        let key = ByteWriter.key { $0.position(position) }
        return isOnNewerSide ? key + [0] : key
    }
}

extension ServerCounters {
    fileprivate var pagePrefix: String { "\(epoch).\(pageGeneration):" }

    func pageCursor(_ text: String) -> PageCursor { PageCursor(pagePrefix + text) }

    /// Returns the text of a page cursor without its prefix.
    func pageText(_ cursor: PageCursor) throws(BackendError) -> Substring {
        guard cursor.rawValue.hasPrefix(pagePrefix) else {
            throw .cannotResume(from: cursor.rawValue)
        }
        return cursor.rawValue.dropFirst(pagePrefix.count)
    }
}

extension BackendError {
    static func cannotResume(from what: String) -> BackendError {
        BackendError(
            .expired, "the server cannot resume from \(what): request the first page again")
    }
}
