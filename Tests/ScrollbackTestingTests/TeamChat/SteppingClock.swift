import Foundation
import Models
import ScrollbackTesting

/// A clock that a server reads: a millisecond passes with each reading, unless it is stopped.
final class SteppingClock: @unchecked Sendable {
    // @unchecked: `stopped` is read and written with the lock alone.
    private let lock = NSLock()
    private var stopped = false
    private let clock = ManualClock()

    var isStopped: Bool {
        get { lock.withLock { stopped } }
        set { lock.withLock { stopped = newValue } }
    }

    func read() -> Timestamp {
        isStopped ? clock.now : clock.advance(by: .milliseconds(1))
    }
}
