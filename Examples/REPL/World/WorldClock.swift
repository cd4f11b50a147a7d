import Foundation
import Scrollback

/// The clock of the server and of all devices: the system's, or a manual one that a script
/// advances, so that a simulated day takes no time.
final class WorldClock: Sendable {
    private struct State {
        var manualTime: Timestamp?
        var offset = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0

        var now: Timestamp { manualTime ?? Timestamp.now.advanced(by: offset) }
    }

    private struct Sleeper {
        let name: String
        let end: Timestamp
        /// The sleeping task's continuation; `nil` if the system's clock resumes it.
        let continuation: CheckedContinuation<Void, any Error>?
    }

    private let state: Locked<State>

    /// Creates a clock that stays at `start` until it is advanced; `nil` for the system's clock.
    init(manualTime start: Timestamp? = nil) {
        state = Locked(State(manualTime: start))
    }

    var isRunning: Bool { state.withLock { $0.manualTime == nil } }

    var now: Timestamp { state.withLock { $0.now } }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            if let time = state.manualTime {
                state.manualTime = time.advanced(by: duration)
            } else {
                state.offset += duration
            }
            let now = state.now
            let due = state.sleepers.filter { $0.value.continuation != nil && $0.value.end <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation?.resume() }
    }

    /// The earliest end of the sleeps that end when the clock is advanced.
    var nextEnd: Timestamp? {
        state.withLock { $0.sleepers.values.filter { $0.continuation != nil }.map(\.end).min() }
    }

    /// Sleeps, counted by ``sleeperCount(of:)`` under `name`, and throws if the task is canceled.
    func sleep(_ duration: Duration, of name: String) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let end = now.advanced(by: duration)
        guard !isRunning else {
            let sleeper = Sleeper(name: name, end: end, continuation: nil)
            state.withLock { $0.sleepers[number] = sleeper }
            return try await withTaskCancellationHandler {
                defer { state.withLock { $0.sleepers[number] = nil } }
                try await Task.sleep(for: duration)
            } onCancel: {
                state.withLock { $0.sleepers[number] = nil }
            }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(name: name, end: end, continuation: continuation)
                let isOver = state.withLock { state in
                    if Task.isCancelled || end <= state.now { return true }
                    state.sleepers[number] = sleeper
                    return false
                }
                guard isOver else { return }
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    continuation.resume()
                }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation?.resume(throwing: CancellationError())
        }
    }

    func sleeperCount(of name: String) -> Int {
        state.withLock { state in state.sleepers.values.count { $0.name == name } }
    }
}
