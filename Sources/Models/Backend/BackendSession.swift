/// Who connects, and how a backend knows that it is they.
public struct Credentials: Hashable, Sendable {
    /// The user.
    public var userID: UserID

    /// What proves it, where the backend asks for that.
    public var accessToken: String?

    /// Creates credentials.
    public init(_ userID: UserID, accessToken: String? = nil) {
        self.userID = userID
        self.accessToken = accessToken
    }
}

extension Credentials: CustomStringConvertible {
    /// The user's name, without the token.
    public var description: String { userID.rawValue }
}

/// What a backend says when a user has connected.
public struct BackendSession: Hashable, Sendable {
    /// The user.
    public var user: User

    /// Which history of the server this is.
    public var epoch: ServerEpoch

    /// What the server says of the application.
    public var appInfo: AppInfo?

    /// Creates what a backend says.
    public init(user: User, epoch: ServerEpoch, appInfo: AppInfo? = nil) {
        self.user = user
        self.epoch = epoch
        self.appInfo = appInfo
    }
}
