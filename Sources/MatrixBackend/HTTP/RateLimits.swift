import Models

/// After a reply "too many requests", requests of the same kind fail with `throttled`, without
/// being sent, until the pause that the server requested has ended.
struct RateLimits {
    enum Kind: Hashable {
        case reading, sending, managing, signingIn, creating
        // For these, a homeserver may pass on the reply of the room's or the file's server.
        case membership(action: String, room: String, user: String?)
        case downloading(from: String)
    }

    /// The longest pause, whatever the server has requested.
    static let longestPause = Duration.seconds(15 * 60)

    private var pausedUntil: [Kind: ContinuousClock.Instant] = [:]

    func check(_ kind: Kind, at now: ContinuousClock.Instant) throws(BackendError) {
        guard let end = pausedUntil[kind], now < end else { return }
        throw BackendError(
            .throttled, "the server asked for a pause", detail: .rateLimitExceeded,
            retryAfter: end - now)
    }

    /// Pauses requests; does not shorten a longer pause.
    mutating func pause(_ kind: Kind, for pause: Duration, at now: ContinuousClock.Instant) {
        let end = max(pausedUntil[kind] ?? now, now + pause)
        pausedUntil = pausedUntil.filter { now < $0.value }
        pausedUntil[kind] = end
    }
}
