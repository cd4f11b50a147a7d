import Foundation

/// How long to wait before connecting again.
///
/// The first attempt follows at once, the second after ``interval``, and each later one after
/// ``multiplier`` times the wait before it, up to ``maximum``:
///
/// ```swift
/// let backoff = Backoff(interval: .seconds(3), multiplier: 2, maximum: .seconds(24))
/// (1...6).map { backoff.delay(beforeAttempt: $0, jitter: 0) }  // 0, 3, 6, 12, 24, 24 s
/// ```
///
/// A server may send these values, so none of them is misuse: those that make no sense are moved
/// to the nearest that does.
public struct Backoff: Hashable, Sendable {
    /// The wait before the second attempt; not negative.
    public let interval: Duration

    /// By how much each wait is longer than the one before; at least 1.
    public let multiplier: Double

    /// The longest wait; not negative.
    public let maximum: Duration

    /// How many attempts there are in all, or `nil` for no end of them.
    public let retries: Int?

    /// Creates a backoff.
    ///
    /// - Parameters:
    ///   - interval: The wait before the second attempt. A negative one counts as zero.
    ///   - multiplier: The growth from wait to wait. Less than 1, or not a number, counts as 1.
    ///   - maximum: The longest wait. A negative one counts as zero.
    ///   - retries: How many attempts there are. The default, `nil`, and the −1 of servers mean
    ///     no end of them.
    public init(interval: Duration, multiplier: Double, maximum: Duration, retries: Int? = nil) {
        self.interval = max(interval, .zero)
        self.multiplier = multiplier >= 1 ? multiplier : 1
        self.maximum = max(maximum, .zero)
        self.retries = retries.flatMap { $0 < 0 ? nil : $0 }
    }

    /// The wait before an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt since the connection was lost. The first is 1.
    ///   - jitter: A random number from 0 to 1 that shortens the wait by up to a half, so that
    ///     the devices a server lost together do not return together. 0 takes nothing away.
    /// - Returns: The wait, or `nil` after the last of the ``retries``.
    /// - Complexity: O(1), also for the billionth attempt.
    public func delay(beforeAttempt attempt: Int, jitter: Double) -> Duration? {
        precondition(attempt >= 1, "Attempts count from 1: there is no attempt \(attempt).")
        precondition((0...1).contains(jitter), "Jitter goes from 0 to 1: \(jitter) does not.")
        if let retries, attempt > retries { return nil }
        guard attempt > 1, interval > .zero else { return .zero }
        // Compared before it is multiplied: far attempts are infinite as numbers, not as waits.
        let growth = pow(multiplier, Double(attempt - 2))
        let wait = growth < maximum / interval ? interval * growth : maximum
        return jitter == 0 ? wait : wait * (1 - jitter / 2)
    }
}
