/// The frequencies of failures by kind.
///
/// Each number is a share of the calls, from 0 for none to 1 for all. They are drawn in the order
/// in which they are listed here; the first match determines the failure.
public struct FailureConditions: Hashable, Sendable {
    /// The request is not sent, as without a signal: `notConnected`.
    public var notSent = 0.0

    /// The server throttles the client (HTTP 429): `throttled`, with ``retryAfter``.
    public var throttled = 0.0

    /// The server fails before any effect (HTTP 5xx): `serverFailure`.
    public var serverFailure = 0.0

    /// The request is lost: `unanswered`, without effect.
    public var requestLost = 0.0

    /// The response is lost: `unanswered`, with the effect.
    public var answerLost = 0.0

    /// The time after which a throttled client may retry; `nil` if unspecified.
    public var retryAfter: Duration? = .seconds(1)

    /// The kinds of calls that can fail.
    public var calls: Set<BackendCall> = .all

    /// Creates conditions without failures.
    public init() {}
}
