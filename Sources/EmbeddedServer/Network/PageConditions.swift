/// The conditions of pages of histories, threads, channels and members.
///
/// Shares range from 0 (never) to 1 (always). The contract does not specify the length of pages, so
/// it allows all of these conditions. A client that follows the cursors still reaches the end.
public struct PageConditions: Hashable, Sendable {
    /// The maximum number of elements on each side of a page's anchor; `nil` for no limit.
    ///
    /// Most servers have such a limit, for example 100 or 30.
    public var cap: Int?

    /// The share of pages that have fewer elements than requested, although more elements follow.
    ///
    /// This simulates servers that filter a page after reading it.
    public var short = 0.0

    /// The share of pages that are empty, although more elements follow.
    ///
    /// This simulates servers on which all messages of a page were deleted or filtered. Two
    /// consecutive pages are never both empty.
    public var empty = 0.0

    /// The share of calls whose page cursor has expired.
    ///
    /// This simulates a restart of servers that keep cursors in memory.
    public var expired = 0.0

    /// A Boolean value that indicates whether a page around a deleted message throws `expired`.
    ///
    /// This simulates servers that look up the message. Other servers use the message's former
    /// position.
    public var deletedAnchorsExpire = false

    /// Creates conditions that do not change pages.
    public init() {}
}
