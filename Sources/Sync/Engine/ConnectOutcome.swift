public import Models

/// The outcome of connecting a user.
public enum ConnectOutcome: Hashable, Sendable {
    /// The user is connected.
    case online(User)

    /// There is no connection yet, and the engine keeps trying; the app can show the user's stored
    /// data.
    case offline(User, reason: BackendError)

    /// The user.
    public var user: User {
        switch self {
        case .online(let user), .offline(let user, _): user
        }
    }

    /// The reason why there is no connection; `nil` if there is one.
    public var reason: BackendError? {
        if case .offline(_, let reason) = self { reason } else { nil }
    }
}
