/// How lists are cut into pages: histories, threads, channels, members.
///
/// The shares go from 0 for never to 1 for always. All of it is within the contract, which asks nothing of
/// the length of pages, and walking from cursor to cursor still comes to an end.
public struct PageConditions: Hashable, Sendable {
    /// The most elements that a page has on a side of its anchor, whatever was asked for.
    ///
    /// So do most servers, some at 100, some at 30. `nil` for no limit.
    public var cap: Int?

    /// The share of the pages that have fewer elements than asked for, with more behind them.
    ///
    /// So do servers that filter a page after they have read it.
    public var short = 0.0

    /// The share of the pages that are empty, with more behind them.
    ///
    /// So do servers on whose page every message was deleted or filtered. Never two in a row.
    public var empty = 0.0

    /// The share of the calls that find their page cursor expired.
    ///
    /// So do servers that keep cursors in memory, and restart.
    public var expired = 0.0

    /// Whether a page around a message that was deleted throws `expired`, instead of lying where it was.
    ///
    /// So do servers that look the anchor up.
    public var deletedAnchorsExpire = false

    /// Creates conditions under which pages are as the server makes them.
    public init() {}
}
