public import Models

/// A stretch of a channel's history that the cache knows it has not seen.
///
/// Everything strictly between the two bounds is unknown, whether or not single messages in it are
/// held. A channel that the store has never heard of is one gap from the beginning to the end.
public struct Gap: Hashable, Sendable {
    /// The channel.
    public let channelURL: ChannelURL

    /// The older bound, not itself in the gap.
    public internal(set) var lower: Bound

    /// The newer bound, not itself in the gap.
    public internal(set) var upper: Bound

    /// Where the walk that fills the gap goes on, as the server named it.
    ///
    /// `nil`: from ``upper``, towards what is older.
    public var walkCursor: PageCursor?

    /// Where the feed was before the gap opened: what is held beside it may have changed since.
    ///
    /// `nil`: no changelog has to be read before the gap may close.
    public var changesSince: FeedPoint?

    /// Creates the gap between two bounds, in whichever order they come.
    ///
    /// Between equal bounds is nothing; a store refuses such a gap with `invalid`.
    public init(
        in channelURL: ChannelURL, from lower: Bound = .beginning, to upper: Bound = .end,
        walkCursor: PageCursor? = nil, changesSince: FeedPoint? = nil
    ) {
        self.channelURL = channelURL
        self.lower = min(lower, upper)
        self.upper = max(lower, upper)
        self.walkCursor = walkCursor
        self.changesSince = changesSince
    }
}

extension Gap {
    /// An end of a stretch of history.
    ///
    /// A position outlives the message that it was taken from: a bound stays where it is when the
    /// message is deleted.
    public enum Bound: Hashable, Sendable {
        /// Before every message.
        case beginning
        /// Where a message is, or was.
        case position(Position)
        /// After every message, those to come included.
        case end
    }

    /// Whether a position lies in the gap.
    public func contains(_ position: Position) -> Bool {
        lower < .position(position) && .position(position) < upper
    }
}

extension Gap.Bound: Comparable {
    /// Whether the left bound is the older one.
    public static func < (left: Gap.Bound, right: Gap.Bound) -> Bool {
        switch (left, right) {
        case (.position(let left), .position(let right)): left < right
        case (.beginning, .beginning), (.end, _), (_, .beginning): false
        case (.beginning, _), (_, .end): true
        }
    }
}

extension Gap.Bound: CustomStringConvertible {
    /// "-∞", the position, or "+∞".
    public var description: String {
        switch self {
        case .beginning: "-∞"
        case .position(let position): position.description
        case .end: "+∞"
        }
    }
}

extension Gap: CustomStringConvertible {
    /// The bounds, such as "general: -∞ ~ 1700000000000/42".
    public var description: String { "\(channelURL): \(lower) ~ \(upper)" }
}
