/// How often calls fail, and in which way.
///
/// Each number is a share of the calls, from 0 for none to 1 for all. They are drawn one after the
/// other, in the order they have here; the first that hits decides.
public struct FailureConditions: Hashable, Sendable {
    /// The request does not leave the device, as with no signal: `notConnected`.
    public var notSent = 0.0

    /// The server asks to be left alone (HTTP 429): `throttled`, with ``retryAfter``.
    public var throttled = 0.0

    /// The server fails before it has done anything (HTTP 5xx): `serverFailure`.
    public var serverFailure = 0.0

    /// The request is lost on its way: `unanswered`, and nothing was done.
    public var requestLost = 0.0

    /// The answer is lost on its way: `unanswered`, and what was asked for was done.
    public var answerLost = 0.0

    /// How long a server that throttles asks to be left alone; `nil` if it does not say.
    public var retryAfter: Duration? = .seconds(1)

    /// The calls that this happens to.
    public var calls: Set<BackendCall> = .all

    /// Creates conditions under which nothing fails.
    public init() {}
}
