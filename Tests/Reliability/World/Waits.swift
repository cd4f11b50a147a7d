import Models
import Store

/// Replaces sleeping.
///
/// It adds up the durations and advances the device's clock, but takes hardly any real time.
final class Waits: Sendable {
    private struct State {
        var total = Duration.zero
        var time: Timestamp = 5_000_000_000_000
    }

    private let state = Locked(State())

    /// The time of the device's clock.
    var now: Timestamp { state.withLock { $0.time } }

    /// Returns the sum of the durations since the last call.
    func take() -> Duration {
        state.withLock { state in
            defer { state.total = .zero }
            return state.total
        }
    }

    func sleep(for duration: Duration) async throws {
        let milliseconds = Int64(duration / .milliseconds(1))
        state.withLock { state in
            state.total += duration
            state.time = Timestamp(milliseconds: state.time.milliseconds + milliseconds)
        }
        // Sleep for a millisecond, so that a task that retries constantly does not prevent other
        // tasks from running.
        try await Task.sleep(for: .milliseconds(1))
    }
}
