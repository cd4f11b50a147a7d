import Models

// Calls that are held back, so that a test decides in which order they go on.
extension ConditionedBackend {
    /// Holds all calls of some kinds from now on.
    ///
    /// - Parameters:
    ///   - calls: Which kinds; none, to hold no more of those to come.
    ///   - point: Whether the requests are held, before the server sees them, or the answers.
    public func hold(_ calls: Set<BackendCall>, at point: CallPoint = .afterEffect) {
        state.withLock { $0.held.points[point] = calls }
    }

    /// Holds no call any more, and releases those that are held, the first one first.
    public func stopHolding() {
        state.withLock {
            $0.held.points = [:]
            $0.held.endAll(.released)
        }
    }

    /// The calls that are held, in the order in which they came to be.
    public var held: [HeldCall] { state.withLock { $0.held.calls } }

    /// Waits until some calls are held.
    ///
    /// - Parameter count: How many at least.
    /// - Returns: The calls that are held; fewer, if the task that waits is canceled.
    public func held(atLeast count: Int) async -> [HeldCall] {
        let id = state.withLock { $0.newWaitNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    // Canceled before there was anything to cancel.
                    if Task.isCancelled { return continuation.resume() }
                    $0.held.wait(for: count, id: id, continuation)
                }
            }
        } onCancel: {
            // Not within `cancel()`, which has locked the task: who has our lock may be waking it.
            Task { state.withLock { $0.held.stopWaiting(id: id) } }
        }
        return held
    }

    /// Lets a held call go on.
    ///
    /// - Precondition: There are more than `index` held calls.
    public func release(at index: Int = 0) { state.withLock { $0.held.end(at: index, .released) } }

    /// Lets all held calls go on, the first one first, and goes on holding.
    public func releaseAll() { state.withLock { $0.held.endAll(.released) } }

    /// Loses a held call: a request without effect is `notConnected`, a lost answer `unanswered`.
    ///
    /// - Precondition: There are more than `index` held calls.
    public func drop(at index: Int = 0) { state.withLock { $0.held.end(at: index, .dropped) } }

    func waitWhileHeld(_ passage: Passage, _ point: CallPoint) async -> HeldCalls.End {
        let call = HeldCall(
            number: passage.number, call: passage.call, subject: passage.subject, point: point)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    guard $0.held.points[point]?.contains(call.call) == true else {
                        return continuation.resume(returning: .released)
                    }
                    // Canceled, or cut off, before there was anything to end.
                    if Task.isCancelled { return continuation.resume(returning: .canceled) }
                    if $0.losses != passage.losses {
                        return continuation.resume(returning: .dropped)
                    }
                    $0.note("\(call): held")
                    $0.held.add(call, continuation)
                }
            }
        } onCancel: {
            Task { state.withLock { $0.held.end(number: call.number, .canceled) } }
        }
    }
}
