import Models
import Store

/// A replacement for sleeping: waits are counted and advance the device's clock, but take hardly
/// any time.
final class Waits: Sendable {
    private struct State {
        var total = Duration.zero
        var time: Timestamp = 5_000_000_000_000
    }

    private let state = Locked(State())

    /// The clock of the device.
    var now: Timestamp { state.withLock { $0.time } }

    /// Returns how long the device would have waited since the last call.
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
        // Sleeps for a millisecond, so that a task that retries constantly does not starve the
        // others.
        try await Task.sleep(for: .milliseconds(1))
    }
}
