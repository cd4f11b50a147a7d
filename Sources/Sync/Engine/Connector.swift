import Models

/// The state machine that establishes a connection, and reconnects.
struct Connector: Hashable {
    enum Phase: Hashable {
        /// No connection is wanted.
        case off
        /// A connection attempt is in progress. The number counts attempts since the last success.
        case connecting(attempt: Int)
        /// The next attempt is scheduled.
        case waiting(attempt: Int)
        case on
        /// New credentials were requested, for this attempt.
        case renewing(attempt: Int)
        /// The server has revoked the session.
        case revoked
    }

    private(set) var phase = Phase.off
    private(set) var credentials: Credentials?
    /// The generation of the connection: timers and calls of earlier connections are ignored.
    private(set) var number = 0
    /// The number of consecutive connections that were lost before the feed reported anything.
    private var fruitless = 0
    /// A Boolean value that indicates whether the credentials were renewed, with no report of the
    /// feed since.
    private var isRenewed = false

    enum Step: Hashable {
        case connect(Credentials, number: Int)
        case wait(attempt: Int, number: Int)
        case renew
        case disconnect
        case nothing
    }

    var isOn: Bool { phase == .on }

    /// Starts to connect, at the request of the app.
    mutating func begin(as credentials: Credentials) -> Step {
        self.credentials = credentials
        isRenewed = false
        return attempt(1)
    }

    /// Ends the connection, at the request of the app.
    mutating func end() {
        number += 1
        phase = .off
        credentials = nil
    }

    /// The server has accepted the connection.
    mutating func succeed() { phase = .on }

    /// The feed has reported something.
    mutating func recordProgress() {
        fruitless = 0
        isRenewed = false
    }

    /// A connection attempt failed, or the connection was lost.
    mutating func fail(_ error: BackendError) -> Step {
        number += 1
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
        // The renewed credentials have expired too: renew them again after a delay.
        case .sessionExpired: isRenewed = false
        default: break
        }
        let next: Int
        switch phase {
        case .connecting(let attempt), .waiting(let attempt): next = attempt + 1
        case .on:
            fruitless += 1
            next = fruitless
        case .off, .renewing, .revoked: return .nothing
        }
        guard next > 1 || error.retryAfter != nil else { return attempt(1) }
        phase = .waiting(attempt: next)
        return .wait(attempt: next, number: number)
    }

    /// The delay is over, or the network is available again.
    mutating func retry() -> Step {
        guard case .waiting(let attempt) = phase else { return .nothing }
        return self.attempt(attempt)
    }

    /// The app has a reason to retry immediately.
    mutating func retryAnew() -> Step {
        switch phase {
        case .waiting: attempt(1)
        default: .nothing
        }
    }

    /// Receives the renewed credentials; `nil` if there are none.
    ///
    /// Credentials of another user are ignored, because the cached data belongs to this user.
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
        number += 1
        phase = .connecting(attempt: attempt)
        return .connect(credentials, number: number)
    }
}
