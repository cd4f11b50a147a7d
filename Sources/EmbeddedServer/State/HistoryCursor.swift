import Models
import Store

struct HistoryCursor: Hashable {
    var position: Position
    var isOnNewerSide: Bool

    // `epoch.generation:side time/id`. DO NOT CHANGE: clients store it.
    func text(_ counters: ServerCounters) -> PageCursor {
        counters.pageCursor(
            "\(isOnNewerSide ? "a" : "b")\(position.createdAt)/\(position.messageID)")
    }

    init(_ position: Position, isOnNewerSide: Bool) {
        self.position = position
        self.isOnNewerSide = isOnNewerSide
    }

    /// Throws `expired` if the cursor is not a valid one of a history.
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

    /// The lowest key at or after the point, without the history's prefix.
    var key: KeyBytes {
        let key = ByteWriter.key { $0.position(position) }
        return isOnNewerSide ? key + [0] : key
    }
}

extension ServerCounters {
    private var pagePrefix: String { "\(epoch).\(pageGeneration):" }

    func pageCursor(_ text: String) -> PageCursor { PageCursor(pagePrefix + text) }

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
