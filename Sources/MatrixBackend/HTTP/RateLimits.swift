import Models

/// The pauses that the server has requested, for each kind of request.
///
/// After a reply "too many requests", requests of the same kind fail with `throttled` until the
/// pause is over, without being sent. The engine and its outbox wait for the rest of the pause.
struct RateLimits {
    /// The kinds of requests, each with a rate limit of its own.
    enum Kind: Hashable { case reading, sending, managing }

    private var pausedUntil: [Kind: ContinuousClock.Instant] = [:]

    /// Throws `throttled` during a pause.
    func check(_ kind: Kind, at now: ContinuousClock.Instant) throws(BackendError) {
        guard let end = pausedUntil[kind], now < end else { return }
        throw BackendError(
            .throttled, "the server asked for a pause", detail: .rateLimitExceeded,
            retryAfter: end - now)
    }

    /// Begins a pause.
    mutating func pause(_ kind: Kind, for pause: Duration, at now: ContinuousClock.Instant) {
        pausedUntil[kind] = max(pausedUntil[kind] ?? now, now + pause)
    }
}
