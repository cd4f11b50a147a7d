public import Models
import Store
import Sync

/// A thread-safe clock that changes only when a test sets or advances it.
///
/// Pass it to code that takes the time as a parameter:
///
/// ```swift
/// let clock = ManualClock(at: 1_700_000_000_000)
/// let session = Session(now: { clock.now })  // whatever of yours asks for the time
/// clock.advance(by: .seconds(3))
/// ```
public final class ManualClock: Sendable {
    private let time: Locked<Timestamp>

    /// Creates a clock, by default at 14 November 2023, 22:13:20 UTC.
    public init(at time: Timestamp = 1_700_000_000_000) {
        self.time = Locked(time)
    }

    /// The current time, which may be set to any time.
    public var now: Timestamp {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Advances the clock, or sets it back by a negative duration, and returns the new time.
    ///
    /// Fractions of a millisecond are ignored, and the time stays within the range of `Timestamp`.
    @discardableResult
    public func advance(by duration: Duration) -> Timestamp {
        time.withLock { time in
            time = time.advanced(by: duration)
            return time
        }
    }
}
