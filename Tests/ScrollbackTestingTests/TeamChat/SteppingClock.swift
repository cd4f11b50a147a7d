import Foundation
import Models
import ScrollbackTesting

/// A server's clock.
///
/// A millisecond passes at each reading, unless the clock is stopped.
final class SteppingClock: @unchecked Sendable {
    // @unchecked: `stopped` is read and written only while the lock is held.
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
