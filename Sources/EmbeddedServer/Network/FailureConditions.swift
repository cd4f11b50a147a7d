/// The shares of calls that fail, from 0 (no call) to 1 (all calls), by the kind of failure.
///
/// The first kind that applies, in the order of the declarations, determines the failure of a call.
public struct FailureConditions: Hashable, Sendable {
    /// The share of unsent requests, as on a phone without a signal; they fail with `notConnected`.
    public var notSent = 0.0

    /// The share of throttled requests (HTTP 429); they fail with `throttled` and ``retryAfter``.
    public var throttled = 0.0

    /// The share of requests with an error of the server before an effect (HTTP 5xx):
    /// `serverFailure`.
    public var serverFailure = 0.0

    /// The share of requests lost before an effect; they fail with `unanswered`.
    public var requestLost = 0.0

    /// The share of responses lost after the effect; the requests fail with `unanswered`.
    public var answerLost = 0.0

    /// The time after which a throttled client may retry; `nil` if unspecified.
    public var retryAfter: Duration? = .seconds(1)

    /// The kinds of calls that can fail.
    public var calls: CallSet = .all

    /// Creates conditions without failures.
    public init() {}
}
