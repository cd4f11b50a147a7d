public import Models
import Store

extension ConditionedBackend {
    // MARK: Conditions

    /// The conditions of the network; a call uses those at its beginning.
    ///
    /// Going offline ends all calls in flight.
    public var conditions: NetworkConditions {
        get { state.withLock { $0.plan.conditions } }
        set { state.withLock { $0.set(newValue) }.cancel() }
    }

    /// Changes the conditions atomically.
    public func update(_ change: (inout NetworkConditions) -> Void) {
        state.withLock {
            var conditions = $0.plan.conditions
            change(&conditions)
            return $0.set(conditions)
        }.cancel()
    }

    /// Disconnects the network: held and feed calls fail at once, other calls in flight with
    /// `unanswered`.
    public func goOffline() { update { $0.isOnline = false } }

    /// Reconnects the network.
    public func goOnline() { update { $0.isOnline = true } }

    // MARK: Requested failures

    /// Makes the next calls of some kinds fail, before their effect or after it.
    ///
    /// `BackendError.isWithinContract(at:)` returns whether a correct backend may fail in this way.
    /// Calls while the network is offline do not count.
    public func failNext(
        _ count: Int = 1, of calls: CallSet = .all, with error: BackendError,
        at point: CallPoint = .beforeEffect
    ) {
        guard count > 0 else { return }
        script(count, of: calls, error, at: point)
    }

    /// Makes all calls of some kinds fail until ``stopFailing()``.
    public func failAll(
        of calls: CallSet = .all, with error: BackendError,
        at point: CallPoint = .beforeEffect
    ) {
        script(nil, of: calls, error, at: point)
    }

    /// Ends the failures that ``failNext(_:of:with:at:)`` and ``failAll(of:with:at:)`` requested.
    public func stopFailing() { state.withLock { $0.plan.scripted = [] } }

    private func script(
        _ count: Int?, of calls: CallSet, _ error: BackendError, at point: CallPoint
    ) {
        let failure = ScriptedFailure(
            count: count, calls: calls, failure: CallOutcome.Failure(error, point))
        state.withLock { $0.plan.scripted.append(failure) }
    }

    // MARK: Requested expiry

    /// Makes all earlier cursors or tokens of a kind expire: calls with them throw `expired`.
    public func expire(_ texts: ExpiringText) {
        state.withLock {
            $0.generations[texts, default: 0] += 1
            $0.appendToLog("\(texts) expired")
        }
    }

    // MARK: The log

    /// The log of all calls and their results, oldest first.
    ///
    /// A line has the call's number, kind, subject and event, such as "3 send general: answered".
    /// Of more than 10,000 lines, the older half is removed.
    public var log: [String] { state.withLock { $0.log } }

    /// Removes all lines of the log.
    public func clearLog() { state.withLock { $0.log = [] } }
}
