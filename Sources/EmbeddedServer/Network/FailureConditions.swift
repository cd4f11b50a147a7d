/// The shares of calls that fail, from 0 (no call) to 1 (all calls), by the kind of failure.
///
/// For each call, the kinds are tried in the order of their declarations, and the first one that
/// applies determines the failure.
public struct FailureConditions: Hashable, Sendable {
    /// The share of requests that are not sent, as on a phone without a signal; they fail with
    /// `notConnected`.
    public var notSent = 0.0

    /// The share of requests that the server throttles (HTTP 429); they fail with `throttled` and
    /// ``retryAfter``.
    public var throttled = 0.0

    /// The share of requests in which the server fails before an effect (HTTP 5xx); they fail with
    /// `serverFailure`.
    public var serverFailure = 0.0

    /// The share of requests that are lost before an effect; they fail with `unanswered`.
    public var requestLost = 0.0

    /// The share of requests whose response is lost after the effect; they fail with `unanswered`.
    public var answerLost = 0.0

    /// The time after which a throttled client may retry; `nil` if the server does not specify it.
    public var retryAfter: Duration? = .seconds(1)

    /// The kinds of calls that can fail.
    public var calls: CallSet = .all

    /// Creates conditions without failures.
    public init() {}
}
