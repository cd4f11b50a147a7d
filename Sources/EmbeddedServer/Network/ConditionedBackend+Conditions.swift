public import Models
import Store

// What an app's tests and the prompt turn.
extension ConditionedBackend {
    // MARK: Conditions

    /// What the network is like.
    ///
    /// A call keeps the conditions under which it was made, but for a network that goes.
    public var conditions: NetworkConditions {
        get { state.withLock { $0.plan.conditions } }
        set { state.withLock { $0.set(newValue) }.cancel() }
    }

    /// Changes some of the conditions, while no other thread does.
    public func update(_ change: (inout NetworkConditions) -> Void) {
        state.withLock {
            var conditions = $0.plan.conditions
            change(&conditions)
            return $0.set(conditions)
        }.cancel()
    }

    /// Takes the network away.
    ///
    /// Held calls and waiting feeds end; what is on its way stays unanswered.
    public func goOffline() { update { $0.isOnline = false } }

    /// Brings the network back.
    public func goOnline() { update { $0.isOnline = true } }

    // MARK: Failures by hand

    /// Makes the next calls fail.
    ///
    /// Whether a backend may fail so, `BackendError.isWithinContract(at:)` says. Calls are counted as
    /// they are made; those that are made while there is no network are not counted.
    ///
    /// - Parameters:
    ///   - count: How many calls.
    ///   - calls: Of which kinds.
    ///   - error: How they fail.
    ///   - point: Before their effect, so that the server does nothing, or after it, so that the answer is
    ///     lost.
    public func failNext(
        _ count: Int = 1, of calls: Set<BackendCall> = .all, with error: BackendError,
        at point: CallPoint = .beforeEffect
    ) {
        guard count > 0 else { return }
        script(count, calls, error, point)
    }

    /// Makes all calls of some kinds fail, until ``stopFailing()``.
    ///
    /// - Parameters:
    ///   - calls: Of which kinds.
    ///   - error: How they fail.
    ///   - point: Before their effect, or after it.
    public func failAll(
        of calls: Set<BackendCall> = .all, with error: BackendError,
        at point: CallPoint = .beforeEffect
    ) {
        script(nil, calls, error, point)
    }

    /// Takes back what ``failNext(_:of:with:at:)`` and ``failAll(of:with:at:)`` asked for.
    public func stopFailing() { state.withLock { $0.plan.removeScripted() } }

    private func script(
        _ count: Int?, _ calls: Set<BackendCall>, _ error: BackendError, _ point: CallPoint
    ) {
        let failure = ScriptedFailure(
            count: count, calls: calls, failure: CallFate.Failure(error, point))
        state.withLock { $0.plan.add(failure) }
    }

    // MARK: Expiry by hand

    /// Lets all cursors or tokens expire that were handed out before.
    ///
    /// Whoever comes with one gets `expired`; new ones are good. Within the contract: a server may forget.
    public func expire(_ texts: ExpiringText) {
        state.withLock {
            $0.generations[texts, default: 0] += 1
            $0.note("\(texts) expired")
        }
    }

    // MARK: The log

    /// What was done to which call, line by line, the oldest first.
    ///
    /// A line is "3 send general: answered": the number of the call, its kind, what it is about, and what
    /// happened. The newest 10,000 lines are there, or at least half of them.
    public var log: [String] { state.withLock { $0.log } }

    /// Forgets the log.
    public func clearLog() { state.withLock { $0.clearLog() } }
}
