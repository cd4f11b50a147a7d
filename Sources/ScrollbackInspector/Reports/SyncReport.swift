import Models
import Sync

/// The connection, and the engine's calls and decisions since a page was opened.
struct SyncReport: Encodable, Sendable {
    /// A call of the backend.
    struct Call: Encodable, Sendable {
        var number: Int
        var name: String
        var channel: String?
        var detail: String
        var began: Int64
        var ended: Int64?
        /// `running`, `done`, `canceled`, or the code of an error.
        var result: String
        var message: String?
        var count: Int?
        var bytes: Int?
        /// The number of the attempt: the number of consecutive failures of the same call before
        /// it, plus one.
        var attempt: Int
    }

    /// A decision of the engine, or an event.
    struct Note: Encodable, Sendable {
        var at: Int64
        var kind: String
        var text: String
        var channel: String?
    }

    /// A change of the connection's state.
    struct Phase: Encodable, Sendable {
        var at: Int64
        var state: String
    }

    var connection: String
    var isLive: Bool
    var channelsLeft: Int
    var failure: String?
    var phases: [Phase]
    /// The time of the feed's last answer.
    var lastFeed: Int64?
    var calls: [Call]
    var notes: [Note]
    /// The time now, on the clock of the device.
    var now: Int64
}

/// The newest elements of a sequence.
struct Recent<Element: Sendable>: Sendable {
    private(set) var elements: [Element] = []
    let limit: Int

    mutating func append(_ element: Element) {
        elements.append(element)
        if elements.count > 2 * limit { elements.removeFirst(elements.count - limit) }
    }

    /// Passes the elements to a closure, newest first, until it has changed one and returns `true`.
    mutating func updateLast(_ change: (inout Element) -> Bool) {
        for index in elements.indices.reversed() where change(&elements[index]) { return }
    }

    var newest: [Element] { Array(elements.suffix(limit)) }
}
