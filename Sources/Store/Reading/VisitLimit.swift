package import Models

/// A limit of the messages that reads on the main actor visit, because a filter may match few of a
/// long history.
package struct VisitLimit: Sendable {
    package private(set) var remaining: Int

    /// The message at which a read has stopped because of the limit.
    package private(set) var stop: Position?

    package init(_ count: Int) { remaining = count }

    package static let unlimited = VisitLimit(.max)

    /// Counts a message, and returns `false` if the read has to stop there.
    mutating func allowsMore(after message: Message) -> Bool {
        remaining -= 1
        if remaining > 0 { return true }
        stop = message.position
        return false
    }
}
