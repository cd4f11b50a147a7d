public import Models
import Store
import Sync

/// A clock that stands still until somebody moves it.
///
/// What takes the time as a parameter takes this one's:
///
/// ```swift
/// let clock = ManualClock(at: 1_700_000_000_000)
/// let session = Session(now: { clock.now })  // whatever of yours asks for the time
/// clock.advance(by: .seconds(3))
/// ```
///
/// Safe for several threads.
public final class ManualClock: Sendable {
    private let time: Locked<Timestamp>

    /// Creates a clock.
    ///
    /// - Parameter time: What it shows. The default is 14 November 2023, 22:13:20 UTC.
    public init(at time: Timestamp = 1_700_000_000_000) {
        self.time = Locked(time)
    }

    /// What the clock shows; it may be set to any time, earlier ones too.
    public var now: Timestamp {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    /// Moves the clock, back if the duration is negative, and stops at the ends of time.
    ///
    /// - Parameter duration: By how much; less than a millisecond is nothing.
    /// - Returns: What the clock shows then.
    @discardableResult
    public func advance(by duration: Duration) -> Timestamp {
        let milliseconds = duration.milliseconds
        return time.withLock { time in
            let (moved, overflows) = time.milliseconds.addingReportingOverflow(milliseconds)
            let end: Int64 = milliseconds < 0 ? .min : .max
            time = Timestamp(milliseconds: overflows ? end : moved)
            return time
        }
    }
}
