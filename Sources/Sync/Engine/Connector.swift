import Models

struct Connector: Hashable {
    enum Phase: Hashable {
        case off
        /// An attempt is in flight; attempts are counted from 1 after each success.
        case connecting(attempt: Int)
        case waiting(attempt: Int)
        case on
        /// The app was asked for new credentials, with which this attempt continues.
        case renewing(attempt: Int)
        case revoked
    }

    private(set) var phase = Phase.off
    private(set) var credentials: Credentials?
    /// Waits of earlier generations of the connection are ignored.
    private(set) var generation = 0
    /// The number of consecutive connections that were lost before the feed reported a batch.
    private var unproductive = 0
    /// True if the credentials were renewed since the feed last reported a batch.
    private var isRenewed = false

    enum Step: Hashable {
        case connect(Credentials)
        case wait(attempt: Int)
        case renew
        case disconnect
        case nothing
    }

    var isOn: Bool { phase == .on }

    mutating func begin(as credentials: Credentials) -> Step {
        self.credentials = credentials
        isRenewed = false
        return attempt(1)
    }

    @discardableResult
    mutating func end() -> Bool {
        let wasStarted = phase != .off
        generation += 1
        (phase, credentials) = (.off, nil)
        return wasStarted
    }

    mutating func succeed() { phase = .on }

    mutating func recordProgress() {
        unproductive = 0
        isRenewed = false
    }

    mutating func fail(_ error: BackendError) -> Step {
        generation += 1
        switch error.code {
        case .sessionRevoked:
            phase = .revoked
            return .nothing
        case .sessionExpired where !isRenewed:
            isRenewed = true
            if case .connecting(let attempt) = phase {
                phase = .renewing(attempt: attempt)
            } else {
                phase = .renewing(attempt: 1)
            }
            return .renew
        case .refused, .notFound, .unsupported:
            // A retry has the same result. The app may connect again.
            if case .connecting = phase {
                phase = .off
                return .nothing
            }
        // Renewed credentials have expired, too: connect again, with growing delays, and renew them
        // when they are refused again.
        case .sessionExpired: isRenewed = false
        default: break
        }
        let next: Int
        switch phase {
        case .connecting(let attempt), .waiting(let attempt): next = attempt + 1
        case .on:
            unproductive += 1
            next = unproductive
        case .off, .renewing, .revoked: return .nothing
        }
        guard next > 1 || error.retryAfter != nil else { return attempt(1) }
        phase = .waiting(attempt: next)
        return .wait(attempt: next)
    }

    mutating func retry() -> Step {
        guard case .waiting(let attempt) = phase else { return .nothing }
        return self.attempt(attempt)
    }

    mutating func retryNow() -> Step {
        if case .waiting = phase { attempt(1) } else { .nothing }
    }

    mutating func renew(_ credentials: Credentials?) -> Step {
        guard case .renewing(let attempt) = phase else { return .nothing }
        guard let credentials, credentials.userID == self.credentials?.userID else {
            phase = .off
            return .disconnect
        }
        self.credentials = credentials
        return self.attempt(attempt)
    }

    private mutating func attempt(_ attempt: Int) -> Step {
        guard let credentials else { return .nothing }
        generation += 1
        phase = .connecting(attempt: attempt)
        return .connect(credentials)
    }
}
