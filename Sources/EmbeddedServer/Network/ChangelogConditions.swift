/// The conditions of the changelogs of messages and channels.
///
/// Shares range from 0 (never) to 1 (always).
public struct ChangelogConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The share of pages that are repeated once, with a different token.
    ///
    /// This simulates servers whose tokens are times, when many changes have the same time.
    public var repeated = 0.0

    /// The share of pages that are preceded by an empty page.
    ///
    /// This simulates servers that filter a page after reading it.
    public var empty = 0.0

    /// The share of calls whose token or feed cursor has expired.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of pages that claim that more pages follow, but return the token of the request.
    ///
    /// Violates `messageChanges.token` and `channelChanges.token`.
    public var stuck = 0.0

    /// Creates conditions that leave changelogs unchanged.
    public init() {}
}
