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
/// Servers may send these values. Invalid values therefore do not trap, but are replaced by the
/// nearest valid ones.
public struct Backoff: Hashable, Sendable {
    /// The delay before the second attempt, from zero to a day.
    public let interval: Duration

    /// The factor between consecutive delays; at least 1.
    public let multiplier: Double

    /// The maximum delay, from zero to a day.
    public let maximum: Duration

    /// The maximum number of attempts; `nil` for no limit.
    public let retries: Int?

    /// Creates a backoff.
    ///
    /// - Parameters:
    ///   - interval: The delay before the second attempt, from zero to a day.
    ///   - multiplier: The factor between consecutive delays. A value below 1 or NaN is replaced by
    ///     1.
    ///   - maximum: The maximum delay, from zero to a day.
    ///   - retries: The maximum number of attempts. The default `nil`, and the −1 that servers
    ///     send, mean no limit.
    public init(interval: Duration, multiplier: Double, maximum: Duration, retries: Int? = nil) {
        self.interval = min(max(interval, .zero), Backoff.longestDelay)
        self.multiplier = multiplier >= 1 ? multiplier : 1
        self.maximum = min(max(maximum, .zero), Backoff.longestDelay)
        self.retries = retries.flatMap { $0 < 0 ? nil : $0 }
    }

    /// The longest delay that the engine waits: a day.
    ///
    /// `Task.sleep` traps on durations of centuries.
    package static let longestDelay = Duration.seconds(24 * 60 * 60)

    /// Returns the delay before an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt since the connection was lost, starting at 1. A
    ///     smaller number is replaced by 1.
    ///   - jitter: A random number from 0 to 1 that reduces the delay: 0 does not change it, and
    ///     1 halves it. Devices that lose their server at the same time therefore do not
    ///     all reconnect at the same time. A value outside this range is replaced by the nearest
    ///     value in the range, and NaN by 0.
    /// - Returns: The delay; `nil` if the attempt exceeds the number of ``retries``.
    /// - Complexity: O(1).
    public func delay(beforeAttempt attempt: Int, jitter: Double) -> Duration? {
        let attempt = max(attempt, 1)
        let jitter = jitter > 0 ? min(jitter, 1) : 0
        if let retries, attempt > retries { return nil }
        guard attempt > 1, interval > .zero else { return .zero }
        // Compare the growth with its maximum before multiplying, because the growth is infinite
        // for high attempt numbers.
        let growth = pow(multiplier, Double(attempt - 2))
        let wait = growth < maximum / interval ? interval * growth : maximum
        return jitter == 0 ? wait : wait * (1 - jitter / 2)
    }
}
