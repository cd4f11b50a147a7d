import Models
package import Sync

extension ConditionedBackend {
    /// Holds all calls of some kinds from now on: requests before their effect, or responses.
    ///
    /// An empty set stops holding new calls.
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

    /// The held calls, oldest first.
    public var held: [HeldCall] { state.withLock { $0.held.calls } }

    package var callsInFlight: (moving: [CallName], delayedCount: Int, heldCount: Int) {
        state.withLock { state in
            let held = Set(state.held.calls.map(\.number))
            let moving = state.calls.filter { !$0.value.isDelayed && !held.contains($0.key) }
            let delayedCount = state.calls.values.count { $0.isDelayed }
            return (moving.values.map(\.name), delayedCount, held.count)
        }
    }

    /// Waits until at least `count` calls are held, and returns them; fewer if the task is
    /// canceled.
    public func held(atLeast count: Int) async -> [HeldCall] {
        let id = state.withLock { $0.newWaitNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    if Task.isCancelled { return continuation.resume() }
                    $0.held.wait(for: count, id: id, continuation)
                }
            }
        } onCancel: {
            // Do not acquire the lock here: `cancel()` calls this closure with the waiting task
            // locked, and the holder of the lock may be resuming that task.
            Task { state.withLock { $0.held.stopWaiting(id: id) } }
        }
        return held
    }

    /// Releases the call at an index of ``held``; returns `false` if there is none.
    @discardableResult
    public func release(at index: Int = 0) -> Bool {
        state.withLock { $0.held.end(at: index, .released) }
    }

    /// Releases all held calls in order; new calls are still held.
    public func releaseAll() { state.withLock { $0.held.endAll(.released) } }

    /// Makes the call at an index of ``held`` fail: before its effect with `notConnected`, after it
    /// with `unanswered`.
    ///
    /// Returns `false` if there is none.
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
