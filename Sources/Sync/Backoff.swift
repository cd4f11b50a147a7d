import Foundation

/// The delays between attempts to connect, to send an item or to fetch a page.
///
/// The first attempt is made immediately, the second after ``interval``. Each later delay is
/// ``multiplier`` times the previous one, up to ``maximum``:
///
/// ```swift
/// let backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))
/// (1...6).map { backoff.delay(beforeAttempt: $0, jitter: 0) }  // 0, 3, 6, 12, 24, 24 s
/// ```
///
/// Invalid values, which servers may send, are replaced by the nearest valid ones.
public struct Backoff: Hashable, Sendable {
    /// The delay before the second attempt, from zero to a day.
    public let interval: Duration

    /// The factor between consecutive delays; at least 1.
    public let multiplier: Double

    /// The maximum delay, from zero to a day.
    public let maximum: Duration

    /// The maximum number of attempts; `nil` for no limit.
    public let maximumAttempts: Int?

    /// Creates a backoff.
    ///
    /// `maximumAttempts` is at least 1; `nil`, and the −1 that servers send, mean no limit.
    public init(
        interval: Duration, multiplier: Double, maximum: Duration, maximumAttempts: Int? = nil
    ) {
        self.interval = min(max(interval, .zero), Backoff.longestDelay)
        self.multiplier = multiplier >= 1 ? multiplier : 1
        self.maximum = min(max(maximum, .zero), Backoff.longestDelay)
        self.maximumAttempts = maximumAttempts.flatMap { $0 < 0 ? nil : max(1, $0) }
    }

    /// The longest delay that the engine waits: `Task.sleep` traps on durations of centuries.
    package static let longestDelay = Duration.seconds(24 * 60 * 60)

    /// Returns the delay before an attempt, counted from 1; `nil` after ``maximumAttempts``.
    ///
    /// `jitter`, a random number clamped to 0...1, reduces the delay, at 1 to its half, so that
    /// devices that lose their server together do not reconnect together.
    public func delay(beforeAttempt attempt: Int, jitter: Double) -> Duration? {
        let attempt = max(attempt, 1)
        let jitter = jitter > 0 ? min(jitter, 1) : 0
        if let maximumAttempts, attempt > maximumAttempts { return nil }
        guard attempt > 1, interval > .zero else { return .zero }
        // The growth is infinite for high attempt numbers, so compare it with its maximum before
        // multiplying.
        let growth = pow(multiplier, Double(attempt - 2))
        let wait = growth < maximum / interval ? interval * growth : maximum
        return jitter == 0 ? wait : wait * (1 - jitter / 2)
    }
}
