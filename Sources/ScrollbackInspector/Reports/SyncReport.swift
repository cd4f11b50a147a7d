import Models
import Sync

/// The connection, and the engine's calls and decisions since a page was opened.
struct SyncReport: Encodable, Sendable {
    struct Call: Encodable, Sendable {
        var number: Int
        var name: String
        var channel: String?
        var detail: String
        var began: Int64
        var ended: Int64?
        /// The result of the call: `running`, `done`, `canceled`, or the code of an error.
        var result: String
        var message: String?
        var count: Int?
        var bytes: Int?
        /// 1 plus the number of this call's consecutive failures.
        var attempt: Int
    }

    struct Note: Encodable, Sendable {
        var at: Int64
        var kind: String
        var text: String
        var channel: String?
    }

    struct Phase: Encodable, Sendable {
        var at: Int64
        var state: String
    }

    var connection: String
    var isLive: Bool
    var channelsLeft: Int
    var failure: String?
    var phases: [Phase]
    /// The time of the last answer of the feed.
    var lastFeed: Int64?
    var calls: [Call]
    var notes: [Note]
    var now: Int64
}

struct Recent<Element: Sendable>: Sendable {
    private(set) var elements: [Element] = []
    let limit: Int

    mutating func append(_ element: Element) {
        elements.append(element)
        if elements.count > 2 * limit { elements.removeFirst(elements.count - limit) }
    }

    /// Passes the elements to `change`, newest first, until it returns `true`.
    mutating func updateLast(_ change: (inout Element) -> Bool) {
        for index in elements.indices.reversed() where change(&elements[index]) { return }
    }

    mutating func updateAll(_ change: (inout Element) -> Void) {
        for index in elements.indices { change(&elements[index]) }
    }

    var newest: [Element] { Array(elements.suffix(limit)) }
}
