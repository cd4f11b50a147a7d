/// The conditions of pages of histories, threads, channels and members.
///
/// Shares range from 0 (never) to 1 (always). The contract allows all of these conditions, because
/// it does not specify the length of pages.
public struct PageConditions: Hashable, Sendable {
    /// The maximum number of elements on each side of a page's anchor, as on most servers; `nil`
    /// for no limit.
    public var cap: Int?

    /// The share of pages that have fewer elements than requested, although more elements follow,
    /// as on servers that filter a page after reading it.
    public var short = 0.0

    /// The share of pages that are empty, although more elements follow.
    ///
    /// Two consecutive pages are never both empty.
    public var empty = 0.0

    /// The share of calls whose page cursor has expired, as after a restart of servers that keep
    /// cursors in memory.
    public var expired = 0.0

    /// A Boolean value that indicates whether a page around a deleted message throws `expired`, as
    /// on servers that look up the message.
    public var deletedAnchorsExpire = false

    /// Creates conditions that do not change pages.
    public init() {}
}
