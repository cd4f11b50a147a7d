import Models
import ScrollbackTesting
import Store

/// A clock that a server reads: a millisecond passes with each reading, unless it is stopped.
final class SteppingClock: Sendable {
    private let clock = ManualClock()
    private let stopped = Locked(false)

    var isStopped: Bool {
        get { stopped.withLock { $0 } }
        set { stopped.withLock { $0 = newValue } }
    }

    func read() -> Timestamp {
        isStopped ? clock.now : clock.advance(by: .milliseconds(1))
    }
}
