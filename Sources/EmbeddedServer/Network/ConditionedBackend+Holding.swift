import Models
package import Sync

// Holding calls, so that a test can decide in which order they continue.
extension ConditionedBackend {
    /// Holds all calls of some kinds from now on.
    ///
    /// - Parameters:
    ///   - calls: The kinds of calls; an empty set stops holding new calls.
    ///   - point: The point at which calls are held: requests before their effect, or responses.
    public func hold(_ calls: CallSet, at point: CallPoint = .afterEffect) {
        state.withLock { $0.held.points[point] = calls }
    }

    /// Stops holding calls, and releases the held ones in order.
    public func stopHolding() {
        state.withLock {
            $0.held.points = [:]
            $0.held.endAll(.released)
        }
    }

    /// The held calls, in the order in which they were held.
    public var held: [HeldCall] { state.withLock { $0.held.calls } }

    /// The calls in flight: those that are neither delayed nor held, and the numbers of the others.
    package var callsInFlight: (moving: [CallName], delayedCount: Int, heldCount: Int) {
        state.withLock { state in
            let held = Set(state.held.calls.map(\.number))
            let moving = state.calls.filter { !$0.value.isDelayed && !held.contains($0.key) }
            let delayedCount = state.calls.values.count { $0.isDelayed }
            return (moving.values.map(\.name), delayedCount, held.count)
        }
    }

    /// Waits until at least a given number of calls are held.
    ///
    /// - Parameter count: The minimum number of held calls.
    /// - Returns: The held calls; fewer than `count` if the task is canceled.
    public func held(atLeast count: Int) async -> [HeldCall] {
        let id = state.withLock { $0.newWaitNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    // The task was canceled before the wait was registered.
                    if Task.isCancelled { return continuation.resume() }
                    $0.held.wait(for: count, id: id, continuation)
                }
            }
        } onCancel: {
            // Do not acquire the lock here: `cancel()` calls this closure while the waiting task is
            // locked, and the thread that holds the lock may be resuming that task.
            Task { state.withLock { $0.held.stopWaiting(id: id) } }
        }
        return held
    }

    /// Releases a held call.
    ///
    /// - Parameter index: The index of the call in ``held``.
    /// - Returns: `false` if no held call has the index.
    @discardableResult
    public func release(at index: Int = 0) -> Bool {
        state.withLock { $0.held.end(at: index, .released) }
    }

    /// Releases all held calls in order; new calls are still held.
    public func releaseAll() { state.withLock { $0.held.endAll(.released) } }

    /// Makes a held call fail: with `notConnected` if it is held before its effect, or with
    /// `unanswered` if it is held after its effect.
    ///
    /// - Parameter index: The index of the call in ``held``.
    /// - Returns: `false` if no held call has the index.
    @discardableResult
    public func drop(at index: Int = 0) -> Bool {
        state.withLock { $0.held.end(at: index, .dropped) }
    }

    func waitWhileHeld(_ passage: Passage, _ point: CallPoint) async -> HeldCalls.End {
        let call = HeldCall(
            number: passage.number, call: passage.call.name, subject: passage.subject, point: point)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    guard $0.held.points[point]?.contains(passage.call) == true else {
                        return continuation.resume(returning: .released)
                    }
                    // The call was canceled or disconnected before it was registered as held.
                    if Task.isCancelled { return continuation.resume(returning: .canceled) }
                    if $0.losses != passage.losses {
                        return continuation.resume(returning: .dropped)
                    }
                    $0.appendToLog("\(call): held")
                    $0.held.add(call, continuation)
                }
            }
        } onCancel: {
            Task { state.withLock { $0.held.end(number: call.number, .canceled) } }
        }
    }
}
