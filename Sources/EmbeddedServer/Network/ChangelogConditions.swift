/// How changelogs are told, of messages and of channels.
///
/// The shares go from 0 for never to 1 for always.
public struct ChangelogConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The share of the pages that are told again, under a token that has advanced.
    ///
    /// So do servers whose token is a time, and where many changes share it. Never twice.
    public var repeated = 0.0

    /// The share of the pages that come empty first, with more behind them.
    ///
    /// So do servers that filter a page after they have read it.
    public var empty = 0.0

    /// The share of the calls that find their token, or feed cursor, expired.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of the pages that say there is more, behind the token one had before.
    ///
    /// Against `messageChanges.token` and `channelChanges.token`.
    public var stuck = 0.0

    /// Creates conditions under which changelogs are as the server makes them.
    public init() {}
}
