import Models

/// The state of a ``ConditionedBackend`` between calls.
struct NetworkState {
    var plan: NetworkPlan

    /// The number of lost connections.
    ///
    /// A call that started with another number was cut off.
    var losses = 0

    /// The number of expirations of each kind of cursor.
    var generations: [ExpiringText: Int] = [:]

    var held = HeldCalls()

    /// The pending feed calls, to be ended when the network is disconnected.
    var feeds: [Int: FeedTask] = [:]

    /// The batch of which a part was reported, with the server's cursor of its request.
    var cutBatch: (since: String, batch: FeedBatch)?

    /// The last reported batch, for repetitions.
    var lastBatch: FeedBatch?

    private(set) var log: [String] = []
    private var count = 0
    private var waits = 0
    var feedCount = 0

    /// The maximum number of lines in the log.
    static let logLimit = 10_000

    init(_ conditions: NetworkConditions) { plan = NetworkPlan(conditions) }

    mutating func newNumber() -> Int {
        count += 1
        return count
    }

    mutating func newWaitNumber() -> Int {
        waits += 1
        return waits
    }

    /// Starts a call, and decides what happens to it.
    mutating func begin(_ call: BackendCall, _ subject: String) -> Passage {
        let isOnline = plan.conditions.isOnline
        return Passage(
            number: newNumber(), call: call, subject: subject, isOnline: isOnline, losses: losses,
            // A call that is not sent does not use up requested failures.
            outcome: isOnline ? plan.outcome(of: call, on: subject) : .none(plan.conditions))
    }

    mutating func note(_ line: String) {
        // Remove half at once, so that not every line of a long run moves all others.
        if log.count >= NetworkState.logLimit { log.removeFirst(NetworkState.logLimit / 2) }
        log.append(line)
    }

    mutating func clearLog() { log = [] }

    /// Sets the conditions, and cuts off all calls if the network is offline now.
    ///
    /// - Returns: The feed calls to cancel; see ``loseConnection()``.
    mutating func set(_ conditions: NetworkConditions) -> [FeedTask] {
        let wasOnline = plan.conditions.isOnline
        plan.conditions = conditions
        guard conditions.isOnline != wasOnline else { return [] }
        note(wasOnline ? "offline" : "online")
        return wasOnline ? loseConnection() : []
    }

    /// Ends the held calls.
    ///
    /// - Returns: The feed calls, to be canceled after the state is unlocked: cancellation handlers
    ///   run inside `cancel()`, and that of a held call takes the lock.
    mutating func loseConnection() -> [FeedTask] {
        losses += 1
        held.endAll(.dropped)
        cutBatch = nil
        lastBatch = nil
        return Array(feeds.values)
    }
}

/// A feed call in flight.
typealias FeedTask = Task<Result<FeedBatch, BackendError>, Never>

extension [FeedTask] {
    func cancel() {
        for feed in self { feed.cancel() }
    }
}

/// A call in flight.
struct Passage {
    let number: Int
    let call: BackendCall
    let subject: String
    let isOnline: Bool
    let losses: Int
    let outcome: CallOutcome
}

extension CallOutcome {
    /// Returns the decisions for a call that is not sent.
    static func none(_ conditions: NetworkConditions) -> CallOutcome {
        CallOutcome(
            failure: nil, requestDelay: .zero, answerDelay: .zero, conditions: conditions,
            random: SplitMix64(seed: conditions.seed))
    }
}

/// A kind of text from which clients resume, and which a server may discard.
public enum ExpiringText: Hashable, Sendable, CaseIterable {
    /// The cursors of the feed.
    case feedCursors
    /// The cursors of lists of messages, channels or members.
    case pageCursors
    /// The tokens of changelogs.
    case changelogTokens
}
