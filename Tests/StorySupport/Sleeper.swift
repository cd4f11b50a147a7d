import Models

/// Replaces sleeping in tests, and records the durations.
package final class Sleeper: Sendable {
    fileprivate struct State {
        var durations: [Duration] = []
        var lastNumber = 0
        var isHolding = false
        var sleeping: [Int: CheckedContinuation<Void, Never>] = [:]
        var watching: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// The callers that wait until no wait is left.
        var ending: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    package init() {}

    /// The durations of all waits so far.
    package var durations: [Duration] { state.withLock { $0.durations } }

    /// The number of current waits.
    package var count: Int { state.withLock { $0.sleeping.count } }

    /// Makes future waits last until `wake()` is called.
    ///
    /// Without this call, a wait ends immediately.
    package func hold() { state.withLock { $0.isHolding = true } }

    package func wake() {
        let sleeping = state.withLock { state in
            defer { (state.sleeping, state.ending) = ([:], []) }
            return Array(state.sleeping.values) + state.ending
        }
        for continuation in sleeping { continuation.resume() }
    }

    /// Ends the current waits and lets all later ones end immediately.
    package func stopHolding() {
        state.withLock { $0.isHolding = false }
        wake()
    }

    package func sleep(for duration: Duration) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (goesOn, watching) = state.withLock { state in
                    // Record the duration and add the wait in one critical section, so that a
                    // caller that sees the duration can wake the wait.
                    state.durations.append(duration)
                    if !state.isHolding || Task.isCancelled {
                        return (true, state.drainWatchers())
                    }
                    state.sleeping[number] = continuation
                    return (false, state.drainWatchers())
                }
                for watcher in watching { watcher.resume() }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let (sleeping, ending) = state.withLock { state in
                (state.sleeping.removeValue(forKey: number), state.drainEnding())
            }
            sleeping?.resume()
            for caller in ending { caller.resume() }
        }
        try Task.checkCancellation()
    }

    /// Waits until no wait is left.
    ///
    /// The engine cancels its waits on another thread.
    package func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.sleeping.isEmpty { state.ending.append(continuation) }
                return state.sleeping.isEmpty
            }
            if isOver { continuation.resume() }
        }
    }

    /// Waits until a total of `count` waits have started.
    package func begun(_ count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.durations.count >= count || Task.isCancelled { return true }
                    state.watching.append((count, continuation))
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            let watching = state.withLock { state in
                defer { state.watching = [] }
                return state.watching
            }
            for watcher in watching { watcher.continuation.resume() }
        }
    }
}

extension Sleeper.State {
    fileprivate mutating func drainEnding() -> [CheckedContinuation<Void, Never>] {
        guard sleeping.isEmpty else { return [] }
        defer { ending = [] }
        return ending
    }

    fileprivate mutating func drainWatchers() -> [CheckedContinuation<Void, Never>] {
        let count = durations.count
        let done = watching.filter { $0.count <= count }
        watching.removeAll { $0.count <= count }
        return done.map(\.continuation)
    }
}
