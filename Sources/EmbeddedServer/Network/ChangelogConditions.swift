/// The conditions of the changelogs of messages and channels.
///
/// Shares range from 0 (never) to 1 (always).
public struct ChangelogConditions: Hashable, Sendable {
    // MARK: Within the contract

    /// The share of pages that are returned again with another token, as on servers whose tokens
    /// are times.
    public var repeated = 0.0

    /// The share of pages that follow an empty page, as on servers that filter pages after reading.
    public var empty = 0.0

    /// The share of calls whose token or feed cursor has expired.
    public var expired = 0.0

    // MARK: Out of the contract

    /// The share of pages that announce further pages, but with the token of the request.
    ///
    /// It violates `messageChanges.token` and `channelChanges.token`.
    public var stuck = 0.0

    /// Creates conditions that do not change changelogs.
    public init() {}
}
