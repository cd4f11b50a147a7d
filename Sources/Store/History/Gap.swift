public import Models

/// A range of a channel's history that the cache does not have.
///
/// The history strictly between the bounds is unknown, even if some of its messages are stored. A
/// channel without stored data has one gap, its whole history.
public struct Gap: Hashable, Sendable {
    /// The URL of the channel.
    public let channelURL: ChannelURL

    /// The lower bound, not part of the gap.
    public internal(set) var lower: Bound

    /// The upper bound, not part of the gap.
    public internal(set) var upper: Bound

    /// The server's cursor of the backfill; `nil` if it continues at ``upper``.
    package var backfillCursor: PageCursor?

    /// The last point of the feed before the gap was added; `nil` if no changelog is needed.
    ///
    /// Messages next to the gap may have changed since, so the engine reads the changelog before it
    /// closes the gap.
    package var changesSince: FeedPoint?

    /// Creates a gap between two bounds, in either order; equal ones are `invalid` in a store.
    package init(
        in channelURL: ChannelURL, from lower: Bound = .beginning, to upper: Bound = .end,
        backfillCursor: PageCursor? = nil, changesSince: FeedPoint? = nil
    ) {
        self.channelURL = channelURL
        self.lower = min(lower, upper)
        self.upper = max(lower, upper)
        self.backfillCursor = backfillCursor
        self.changesSince = changesSince
    }
}

extension Gap {
    /// A bound in the history, which stays if its message is deleted.
    ///
    /// Older bounds precede newer ones.
    public enum Bound: Hashable, Comparable, Sendable {
        /// Older than every message.
        case beginning
        /// The position of an existing or deleted message.
        case position(Position)
        /// Newer than every message, including future ones.
        case end
    }

    /// Returns whether a position is strictly between the bounds.
    package func contains(_ position: Position) -> Bool {
        lower < .position(position) && .position(position) < upper
    }
}

extension Gap.Bound: CustomStringConvertible {
    /// The bound as text: "-∞", the position, or "+∞".
    public var description: String {
        switch self {
        case .beginning: "-∞"
        case .position(let position): position.description
        case .end: "+∞"
        }
    }
}

extension Gap: CustomStringConvertible {
    /// The channel and the bounds, such as "general: -∞ ~ 1700000000000/42".
    public var description: String { "\(channelURL): \(lower) ~ \(upper)" }
}
