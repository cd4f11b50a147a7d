/// All conditions of the network between a client and its server, as a value.
///
/// No clock is used, and random behavior depends only on the ``seed``: the same seed, conditions
/// and calls give the same results in every run. The result of a call depends on its kind, its
/// channel, and the number of such calls before it, so that calls of several tasks do not affect
/// each other.
///
/// ```swift
/// var conditions = NetworkConditions.perfect
/// conditions.failures.answerLost = 0.5
/// conditions.pages.cap = 3
/// ```
public struct NetworkConditions: Hashable, Sendable {
    /// The seed of all random behavior.
    public var seed: UInt64

    /// A Boolean value that indicates whether the network is online.
    ///
    /// While offline, each call throws `notConnected`. Going offline ends calls in flight: with
    /// `unanswered` if the request may have reached the server, and otherwise with `notConnected`.
    /// Feed calls always end with `notConnected`, because they have no effect. When the network is
    /// online again, calls succeed without another `connect`.
    public var isOnline = true

    /// The latencies by kind of call.
    ///
    /// The default is empty.
    ///
    /// An entry takes precedence over ``defaultLatency``.
    public var latency: [BackendCall: Latency] = [:]

    /// The latency of calls without an entry in ``latency``.
    public var defaultLatency = Latency.none

    /// The frequencies of failures.
    public var failures = FailureConditions()

    /// The conditions of pages.
    public var pages = PageConditions()

    /// The conditions of the feed.
    public var feed = FeedConditions()

    /// The conditions of changelogs.
    public var changelogs = ChangelogConditions()

    /// Creates the conditions of a perfect network.
    public init(seed: UInt64 = 0) { self.seed = seed }

    /// A Boolean value that indicates whether a correct backend may behave like this.
    ///
    /// If so, a client must fulfill all of its guarantees. If not, it must fulfill those that it
    /// gives for servers that violate the contract.
    public var isWithinContract: Bool {
        NetworkCondition.all.allSatisfy { $0.isWithinContract || !$0.isOn(in: self) }
    }
}

/// The latency of a call.
///
/// Each duration is from zero to a day. A value out of range is replaced by the nearest one in
/// range.
public struct Latency: Hashable, Sendable {
    /// The time from the device to the server, before the effect.
    public var request: Duration

    /// The time from the server to the device, after the effect.
    public var answer: Duration

    /// The maximum of a random additional time in each direction.
    public var jitter: Duration

    /// Creates a latency.
    public init(request: Duration = .zero, answer: Duration = .zero, jitter: Duration = .zero) {
        self.request = request
        self.answer = answer
        self.jitter = jitter
    }

    /// No latency.
    public static let none = Latency()

    /// The latency with each duration in its range.
    var clamped: Latency {
        func clamp(_ duration: Duration) -> Duration {
            min(max(duration, .zero), .seconds(24 * 60 * 60))
        }
        return Latency(request: clamp(request), answer: clamp(answer), jitter: clamp(jitter))
    }
}
