package import Models

/// A limit of the number of messages that reads visit, whether or not the messages match.
///
/// Reading on the main actor has such a limit, because a filter may match few messages of a long
/// history.
package struct VisitLimit: Sendable {
    /// The number of messages that may still be visited.
    package private(set) var remaining: Int

    /// The position of the message at which a read has stopped because of the limit; `nil` if no
    /// read has reached the limit.
    package private(set) var stop: Position?

    /// Creates a limit of `count` messages.
    package init(_ count: Int) { remaining = count }

    /// No limit.
    package static let unlimited = VisitLimit(.max)

    /// Counts a visited message, and returns `false` if the read has to stop there.
    mutating func allowsMore(after message: Message) -> Bool {
        remaining -= 1
        if remaining > 0 { return true }
        stop = message.position
        return false
    }
}
