public import Models

/// A range of a channel's history that was complete at some time, and may be out of date.
///
/// The feed may not have reported all changes, for example because a cursor expired. The messages
/// are shown, and the engine fetches them again when a list contains them, and also without a list
/// if no loss of history has made them stale.
public struct StaleRange: Hashable, Sendable {
    /// The URL of the channel.
    public let channelURL: ChannelURL

    /// The lower bound, not part of the range.
    public internal(set) var lower: Gap.Bound

    /// The upper bound, not part of the range.
    public internal(set) var upper: Gap.Bound

    /// The number of the loss of history that made the range stale, or of another change that no
    /// changelog reports, counted from 1.
    ///
    /// It is 0 if the range became stale for another reason, such as an adjacent gap, and −1 if
    /// only a stored message may be out of date. Merged ranges have the highest number.
    public var lossNumber: Int64

    /// The number of a range in which only a stored message may be out of date.
    package static let singleMessage: Int64 = -1

    /// Creates a range between two bounds, in either order; equal ones are `invalid` in a store.
    public init(
        in channelURL: ChannelURL, from lower: Gap.Bound = .beginning, to upper: Gap.Bound = .end,
        lossNumber: Int64
    ) {
        self.channelURL = channelURL
        self.lower = min(lower, upper)
        self.upper = max(lower, upper)
        self.lossNumber = lossNumber
    }
}

extension StaleRange: CustomStringConvertible {
    /// The channel and the bounds, such as "general: -∞ ? 1700000000000/42".
    public var description: String { "\(channelURL): \(lower) ? \(upper)" }
}
