import Models

/// The pauses that the server asked for, over all requests.
///
/// After a reply "too many requests", a request of the same kind fails until the pause is over,
/// without reaching the server. The engine and its outbox wait for the rest of the pause.
struct RateLimits {
    /// A kind of request that servers count together.
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
