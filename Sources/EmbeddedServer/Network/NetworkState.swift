import Models
import Sync

struct NetworkState {
    var plan: NetworkPlan

    /// The number of lost connections, which have ended earlier calls.
    var losses = 0

    var generations: [ExpiringText: Int] = [:]

    var held = HeldCalls()

    var calls: [Int: (name: CallName, isDelayed: Bool)] = [:]

    var feeds: [Int: FeedTask] = [:]

    /// A batch that was reported in part, the request's cursor, and the number of reported parts.
    var cutBatch: (since: String, part: Int, batch: FeedBatch)?

    var lastBatch: FeedBatch?

    var log: [String] = []
    private var count = 0
    private var waits = 0
    var feedCount = 0

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

    /// The caller removes the call from ``calls`` at the end.
    mutating func begin(_ call: CallDeclaration, _ subject: String) -> Passage {
        let isOnline = plan.conditions.isOnline
        let number = newNumber()
        calls[number] = (call.name, isDelayed: false)
        return Passage(
            number: number, call: call, subject: subject, isOnline: isOnline, losses: losses,
            // A call that is not sent does not count for `failNext`.
            outcome: isOnline ? plan.outcome(of: call, on: subject) : .none(plan.conditions))
    }

    mutating func appendToLog(_ line: String) {
        // Remove half of the lines at once: moving the rest is then rare.
        if log.count >= NetworkState.logLimit { log.removeFirst(NetworkState.logLimit / 2) }
        log.append(line)
    }

    /// Sets the conditions, and returns the feed calls to cancel if the network goes offline.
    mutating func set(_ conditions: NetworkConditions) -> [FeedTask] {
        let wasOnline = plan.conditions.isOnline
        plan.conditions = conditions
        guard conditions.isOnline != wasOnline else { return [] }
        appendToLog(wasOnline ? "offline" : "online")
        return wasOnline ? loseConnection() : []
    }

    /// Ends the held calls, and returns the feed calls to cancel.
    ///
    /// Cancel them after the state is unlocked: the cancellation handler of a held call acquires
    /// the lock.
    mutating func loseConnection() -> [FeedTask] {
        losses += 1
        held.endAll(.dropped)
        cutBatch = nil
        lastBatch = nil
        return Array(feeds.values)
    }
}

typealias FeedTask = Task<Result<FeedBatch, BackendError>, Never>

extension [FeedTask] {
    func cancel() {
        for feed in self { feed.cancel() }
    }
}

struct Passage {
    let number: Int
    let call: CallDeclaration
    let subject: String
    let isOnline: Bool
    let losses: Int
    let outcome: CallOutcome
}

extension CallOutcome {
    static func none(_ conditions: NetworkConditions) -> CallOutcome {
        CallOutcome(
            failure: nil, requestDelay: .zero, answerDelay: .zero, conditions: conditions,
            random: SplitMix64(seed: conditions.seed))
    }
}

/// A kind of cursor or token that a server may discard.
public enum ExpiringText: Hashable, Sendable, CaseIterable {
    /// The cursors of the feed.
    case feedCursors
    /// The cursors of lists of messages, channels or members.
    case pageCursors
    /// The tokens of changelogs.
    case changelogTokens
}
