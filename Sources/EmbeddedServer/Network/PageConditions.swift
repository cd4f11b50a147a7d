/// The conditions of pages of histories, threads, channels and members.
///
/// Shares range from 0 (never) to 1 (always). The contract, which does not specify the length of
/// pages, allows all of these conditions.
public struct PageConditions: Hashable, Sendable {
    /// The maximum number of elements on each side of an anchor, as on most servers; `nil` for no
    /// limit.
    public var cap: Int?

    /// The share of pages with fewer elements than requested, although more follow, as on servers
    /// that filter pages after reading.
    public var short = 0.0

    /// The share of empty pages, although more elements follow.
    ///
    /// Two consecutive pages are never both empty.
    public var empty = 0.0

    /// The share of calls whose page cursor has expired, as after a restart of a server with
    /// cursors in memory.
    public var expired = 0.0

    /// A Boolean value that indicates whether a page around a deleted message throws `expired`, as
    /// on servers that look up the message.
    public var deletedAnchorsExpire = false

    /// Creates conditions that do not change pages.
    public init() {}
}
