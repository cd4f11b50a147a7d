/// The ID of a user, and the token that proves the user's identity.
public struct Credentials: Hashable, Sendable {
    /// The user's ID.
    public var userID: UserID

    /// The token; `nil` if the backend needs none.
    public var accessToken: String?

    /// Creates credentials.
    public init(_ userID: UserID, accessToken: String? = nil) {
        self.userID = userID
        self.accessToken = accessToken
    }
}

extension Credentials: ExpressibleByStringLiteral {
    /// Creates credentials without a token.
    public init(stringLiteral userID: String) { self.init(UserID(userID)) }
}

extension Credentials: CustomStringConvertible {
    /// The user's ID; the token must not appear in logs.
    public var description: String { userID.rawValue }
}

/// The response to a successful connection.
public struct BackendSession: Hashable, Sendable {
    /// The connected user.
    public var user: User

    /// The server's current epoch.
    public var epoch: ServerEpoch

    /// The server's information about the application.
    public var appInfo: AppInfo?

    /// Creates a session.
    public init(user: User, epoch: ServerEpoch, appInfo: AppInfo? = nil) {
        self.user = user
        self.epoch = epoch
        self.appInfo = appInfo
    }
}
