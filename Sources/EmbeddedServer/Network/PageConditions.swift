/// The conditions of pages of histories, threads, channels and members.
///
/// Shares range from 0 for never to 1 for always. All of them are within the contract, which does
/// not specify the length of pages; following the cursors still ends.
public struct PageConditions: Hashable, Sendable {
    /// The maximum number of elements on each side of a page's anchor; `nil` for no limit.
    ///
    /// Most servers have such a limit, some at 100, some at 30.
    public var cap: Int?

    /// The share of pages that have fewer elements than requested, with more following.
    ///
    /// Servers that filter pages after reading them do this.
    public var short = 0.0

    /// The share of pages that are empty, with more following.
    ///
    /// Servers do this if every message of a page was deleted or filtered. Never two pages in a
    /// row.
    public var empty = 0.0

    /// The share of calls whose page cursor has expired.
    ///
    /// Servers that keep cursors in memory do this after a restart.
    public var expired = 0.0

    /// A Boolean value that indicates whether a page around a deleted message throws `expired`,
    /// instead of using its former position.
    ///
    /// Servers that look up the anchor do this.
    public var deletedAnchorsExpire = false

    /// Creates conditions that leave pages unchanged.
    public init() {}
}
