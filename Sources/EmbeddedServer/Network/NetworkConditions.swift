/// What stands between a client and its server: a value that says all of it.
///
/// Nothing here knows a clock, and chance comes from the ``seed`` alone: the same seed, conditions and
/// calls have the same answers in every run. What happens to a call depends on its kind, its channel and
/// how many there were of these before, so that calls of several tasks do not disturb each other.
///
/// ```swift
/// var conditions = NetworkConditions.perfect
/// conditions.failures.answerLost = 0.5
/// conditions.pages.cap = 3
/// ```
public struct NetworkConditions: Hashable, Sendable {
    /// What chance is made from.
    public var seed: UInt64

    /// Whether there is a network at all.
    ///
    /// Without one, each call throws `notConnected`; what waits when it goes ends, a feed with
    /// `notConnected` too, since it had no effect. With the network back, calls go through again without
    /// connecting anew.
    public var isOnline = true

    /// How long calls take; what has no latency takes none.
    ///
    /// That of a kind of call counts before ``defaultLatency``.
    public var latency: [BackendCall: Latency] = [:]

    /// How long the calls take that ``latency`` does not name.
    public var defaultLatency = Latency.none

    /// How often calls fail.
    public var failures = FailureConditions()

    /// How lists are cut into pages.
    public var pages = PageConditions()

    /// How the feed is told.
    public var feed = FeedConditions()

    /// How changelogs are told.
    public var changelogs = ChangelogConditions()

    /// Creates conditions under which nothing goes wrong.
    public init(seed: UInt64 = 0) { self.seed = seed }

    /// Whether a backend that keeps its promises may behave like this.
    ///
    /// What holds for any backend has to hold then; if not, only what the client promises for servers
    /// that break their word.
    public var isWithinContract: Bool {
        NetworkCondition.all.allSatisfy { $0.isWithinContract || !$0.isOn(in: self) }
    }
}

/// How long a call takes.
public struct Latency: Hashable, Sendable {
    /// From the device to the server, before the effect.
    public var request: Duration

    /// From the server to the device, after the effect.
    public var answer: Duration

    /// By how much both may be longer: each by a random part of it.
    public var jitter: Duration

    /// Creates a latency.
    public init(request: Duration = .zero, answer: Duration = .zero, jitter: Duration = .zero) {
        self.request = request
        self.answer = answer
        self.jitter = jitter
    }

    /// No time at all.
    public static let none = Latency()
}
