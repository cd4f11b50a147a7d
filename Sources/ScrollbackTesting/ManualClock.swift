public import Models

/// A clock that stands still until somebody moves it.
public final class ManualClock: Sendable {
    /// Creates a clock.
    public init(at time: Timestamp = 0) {}
}
