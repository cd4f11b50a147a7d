import Models

/// What a ``ConditionedBackend`` knows from call to call.
struct NetworkState {
    var plan: NetworkPlan

    /// How many connections were lost: a call that sees another number was cut off.
    var losses = 0

    /// How often the cursors of each kind have expired.
    var generations: [ExpiringText: Int] = [:]

    var held = HeldCalls()

    /// The feeds that wait, to be ended when the network goes.
    var feeds: [Int: FeedTask] = [:]

    /// The batch of which a part was told, and the cursor of the server's it came from.
    var cutBatch: (since: String, batch: FeedBatch)?

    /// What was told last, to be repeated.
    var lastBatch: FeedBatch?

    private(set) var log: [String] = []
    private var count = 0
    private var waits = 0
    var feedCount = 0

    /// The most lines that the log keeps.
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

    /// Begins a call: from now on it is decided what happens to it.
    mutating func begin(_ call: BackendCall, _ subject: String) -> Passage {
        let isOnline = plan.conditions.isOnline
        return Passage(
            number: newNumber(), call: call, subject: subject, isOnline: isOnline, losses: losses,
            // What does not leave the device uses up nothing that was asked for.
            fate: isOnline ? plan.fate(of: call, on: subject) : .none(plan.conditions))
    }

    mutating func note(_ line: String) {
        // Half at once, so that not every line of a long run moves all others.
        if log.count >= NetworkState.logLimit { log.removeFirst(NetworkState.logLimit / 2) }
        log.append(line)
    }

    mutating func clearLog() { log = [] }

    /// Sets the conditions, and cuts all calls off if the network is gone now.
    ///
    /// - Returns: The feeds to cancel, as ``loseConnection()`` says.
    mutating func set(_ conditions: NetworkConditions) -> [FeedTask] {
        let wasOnline = plan.conditions.isOnline
        plan.conditions = conditions
        guard conditions.isOnline != wasOnline else { return [] }
        note(wasOnline ? "offline" : "online")
        return wasOnline ? loseConnection() : []
    }

    /// Ends the calls that are held.
    ///
    /// - Returns: The feeds, to be canceled when the state is no longer locked: what a task does when
    ///   it is canceled, it does within `cancel()`, and a held call takes the lock then.
    mutating func loseConnection() -> [FeedTask] {
        losses += 1
        held.endAll(.dropped)
        cutBatch = nil
        lastBatch = nil
        return Array(feeds.values)
    }
}

/// A call of the feed, on its way.
typealias FeedTask = Task<Result<FeedBatch, BackendError>, Never>

extension [FeedTask] {
    func cancel() {
        for feed in self { feed.cancel() }
    }
}

/// One call on its way.
struct Passage {
    let number: Int
    let call: BackendCall
    let subject: String
    let isOnline: Bool
    let losses: Int
    let fate: CallFate
}

extension CallFate {
    /// What happens to a call that does not leave the device.
    static func none(_ conditions: NetworkConditions) -> CallFate {
        CallFate(
            failure: nil, requestDelay: .zero, answerDelay: .zero, conditions: conditions,
            random: SplitMix64(seed: conditions.seed))
    }
}

/// What a server hands out for clients to go on from, and may forget.
public enum ExpiringText: Hashable, Sendable, CaseIterable {
    /// Where the feed goes on.
    case feedCursors
    /// Where a list goes on, of messages, channels or members.
    case pageCursors
    /// Where a changelog goes on.
    case changelogTokens
}
