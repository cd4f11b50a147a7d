public import Sync

/// The conditions of the network between a client and its server.
///
/// ```swift
/// var conditions = NetworkConditions.perfect
/// conditions.failures.answerLost = 0.5
/// conditions.pages.cap = 3
/// ```
///
/// The same seed, conditions and calls give the same results in every run. A result depends on the
/// kind of call, the channel, and the number of such calls before.
public struct NetworkConditions: Hashable, Sendable {
    /// The seed of all random behavior.
    public var seed: UInt64

    /// A Boolean value that indicates whether the network is online.
    ///
    /// While it is offline, each call throws `notConnected`. Going offline ends calls in flight:
    /// feed calls and those that have not reached the server with `notConnected`, others with
    /// `unanswered`. When the network is online again, calls succeed without another `connect`.
    public var isOnline = true

    /// The latencies by kind of call, instead of ``defaultLatency``; empty by default.
    public var latency: [CallName: Latency] = [:]

    /// The latency of calls without an entry in ``latency``.
    public var defaultLatency = Latency.none

    /// The shares of calls that fail.
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
    /// If so, a client must fulfill all of its guarantees.
    public var isWithinContract: Bool {
        NetworkCondition.all.allSatisfy { $0.isWithinContract || !$0.isOn(in: self) }
    }
}

/// The latency of a call; its durations are clamped to the range from zero to a day.
public struct Latency: Hashable, Sendable {
    /// The time that a request takes to the server, before its effect.
    public var request: Duration

    /// The time that a response takes to the device, after the effect.
    public var answer: Duration

    /// The maximum random time added in each direction.
    public var jitter: Duration

    /// Creates a latency.
    public init(request: Duration = .zero, answer: Duration = .zero, jitter: Duration = .zero) {
        self.request = request
        self.answer = answer
        self.jitter = jitter
    }

    /// No latency.
    public static let none = Latency()

    var clamped: Latency {
        func clamp(_ duration: Duration) -> Duration {
            min(max(duration, .zero), .seconds(24 * 60 * 60))
        }
        return Latency(request: clamp(request), answer: clamp(answer), jitter: clamp(jitter))
    }
}
