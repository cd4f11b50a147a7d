import Models

/// How a connection is made, kept and made again.
struct Connector: Hashable {
    enum Phase: Hashable {
        /// Nobody wants a connection.
        case off
        /// One is being made; the number of the attempt since the last one that succeeded.
        case connecting(attempt: Int)
        /// One is to be made after a while.
        case waiting(attempt: Int)
        case on
        /// New credentials are being asked for, to be tried at this attempt.
        case renewing(attempt: Int)
        /// The user is let in no more.
        case revoked
    }

    private(set) var phase = Phase.off
    private(set) var credentials: Credentials?
    /// Tells this connection from those before.
    private(set) var number = 0
    /// How many connections were lost, one after the other, before anything was told.
    private var fruitless = 0
    /// Whether the credentials were renewed, and nothing was told since.
    private var isRenewed = false

    enum Step: Hashable {
        case connect(Credentials, number: Int)
        case wait(attempt: Int, number: Int)
        case renew
        case disconnect
        case nothing
    }

    var isOn: Bool { phase == .on }

    /// Somebody wants a connection.
    mutating func begin(as credentials: Credentials) -> Step {
        self.credentials = credentials
        isRenewed = false
        return attempt(1)
    }

    /// Nobody wants one any more.
    mutating func end() {
        number += 1
        phase = .off
        credentials = nil
    }

    /// The server has let the user in.
    mutating func succeed() { phase = .on }

    /// The feed has told something.
    mutating func noteProgress() {
        fruitless = 0
        isRenewed = false
    }

    /// A connection was not made, or was lost.
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
        // Renewed in vain, it is renewed again after a while.
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

    /// The wait is over, or somebody knows that the network is back.
    mutating func retry() -> Step {
        guard case .waiting(let attempt) = phase else { return .nothing }
        return self.attempt(attempt)
    }

    /// Somebody knows that it is worth trying at once.
    mutating func retryAnew() -> Step {
        switch phase {
        case .waiting: attempt(1)
        default: .nothing
        }
    }

    /// The user has new credentials, or none.
    ///
    /// Those of another user are none: all that is held is of this one.
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
