/// The probabilities of failures by kind.
///
/// Each number is a share of the calls, from 0 (none) to 1 (all). For each call, the kinds are
/// tried in the order of their declaration, and the first one that applies determines the failure.
public struct FailureConditions: Hashable, Sendable {
    /// The share of requests that are not sent, for example because a phone has no signal: they
    /// fail with `notConnected`.
    public var notSent = 0.0

    /// The share of requests that the server throttles (HTTP 429): they fail with `throttled` and
    /// ``retryAfter``.
    public var throttled = 0.0

    /// The share of requests in which the server fails before any effect (HTTP 5xx): they fail with
    /// `serverFailure`.
    public var serverFailure = 0.0

    /// The share of requests that are lost: they fail with `unanswered`, without an effect.
    public var requestLost = 0.0

    /// The share of requests whose response is lost: they fail with `unanswered`, after the effect.
    public var answerLost = 0.0

    /// The time after which a throttled client may retry; `nil` if unspecified.
    public var retryAfter: Duration? = .seconds(1)

    /// The kinds of calls that can fail.
    public var calls: Set<BackendCall> = .all

    /// Creates conditions without failures.
    public init() {}
}
