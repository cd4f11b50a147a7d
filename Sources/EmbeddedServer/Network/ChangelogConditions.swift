/// The conditions of changelogs of messages and of channels.
///
/// Shares range from 0 for never to 1 for always.
public struct ChangelogConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The share of pages that are repeated once, with a different token.
    ///
    /// Servers whose tokens are times do this if many changes have the same time.
    public var repeated = 0.0

    /// The share of pages that are preceded by an empty page, with more pages following.
    ///
    /// Servers that filter pages after reading them do this.
    public var empty = 0.0

    /// The share of calls whose token or feed cursor has expired.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of pages that claim more pages but return the token of the request.
    ///
    /// Violates `messageChanges.token` and `channelChanges.token`.
    public var stuck = 0.0

    /// Creates conditions that leave changelogs unchanged.
    public init() {}
}
