import Models

/// The pauses that the server has requested, for each kind of request.
///
/// After a reply "too many requests", requests of the same kind fail with `throttled` until the
/// pause has ended, without being sent. The engine retries them after the rest of the pause.
struct RateLimits {
    /// A kind of request, with its own rate limit.
    enum Kind: Hashable { case reading, sending, managing }

    /// The longest pause.
    ///
    /// After it, the backend asks again, even if the server has requested a longer pause.
    static let longestPause = Duration.seconds(15 * 60)

    private var pausedUntil: [Kind: ContinuousClock.Instant] = [:]

    /// Throws `throttled` if requests of a kind are paused.
    func check(_ kind: Kind, at now: ContinuousClock.Instant) throws(BackendError) {
        guard let end = pausedUntil[kind], now < end else { return }
        throw BackendError(
            .throttled, "the server asked for a pause", detail: .rateLimitExceeded,
            retryAfter: end - now)
    }

    /// Pauses requests of a kind for at least the duration `pause`.
    mutating func pause(_ kind: Kind, for pause: Duration, at now: ContinuousClock.Instant) {
        pausedUntil[kind] = max(pausedUntil[kind] ?? now, now + pause)
    }
}
