public import Foundation
public import Models
public import Sync

/// The connection of one user on one device to a Matrix homeserver.
///
/// ```swift
/// let backend = MatrixBackend(
///     homeserver: URL(string: "https://matrix.example.org")!, deviceID: "PHONE",
///     login: .password("secret"))
/// let client = ChatClient(backend: backend, credentials: Credentials("@alice:example.org"))
/// ```
///
/// A channel is an unencrypted room. The channel's URL is the room's ID, and a message's ID is the
/// ID of its event. An encrypted message has the text "This message is encrypted."
public actor MatrixBackend: Backend {
    /// The origin of a session's tokens.
    public enum Login: Sendable {
        /// The access token in the credentials, which the app has obtained.
        case token
        /// The access token in the credentials, and the refresh token that renews it.
        case refreshToken(String)
        /// The user's password. Each process signs in once, with the same device.
        case password(String)
    }

    /// The tokens of a session, to be stored by the app until the next start.
    public struct Tokens: Hashable, Sendable {
        /// The token that authorizes requests.
        public let accessToken: String
        /// The token that renews the access token; `nil` if it does not expire.
        public let refreshToken: String?
        /// The device that the tokens belong to.
        public let deviceID: String?
    }

    /// The options of a backend.
    public struct Options: Sendable {
        /// The time for which the server delays its reply to a feed request if there are no events.
        public var longPoll = Duration.seconds(30)

        /// The maximum number of messages of a channel that the feed reports after the device was
        /// offline.
        ///
        /// If there are more, the feed reports a truncation of the channel.
        public var timelineLimit = 50

        /// The transport of requests.
        public var transport: any HTTPTransport = URLSessionTransport()

        /// A closure that receives new tokens after each login and each renewal.
        public var onTokens: @Sendable (Tokens) -> Void = { _ in }

        /// The current time, to detect whether the server may have forgotten the first request of a
        /// message that is sent again.
        package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

        /// The monotonic time, for the pauses that the server requests.
        package var instant: @Sendable () -> ContinuousClock.Instant = { .now }

        /// Creates the default options.
        public init() {}
    }

    /// The features that unencrypted Matrix rooms support.
    public nonisolated let capabilities: BackendCapabilities = [
        .deduplicatesRequests, .messageChangelogByTime, .reactions, .threads, .files, .readReceipts,
        .typing,
        .unreadCounts, .channelManagement, .invitations, .moderation,
    ]

    /// The constant epoch of all servers: Matrix has none, so a homeserver that was restored from a
    /// backup is not detected.
    static let epoch = ServerEpoch("matrix")

    let homeserver: URL
    let deviceID: String?
    let login: Login
    let options: Options

    var session: Session?
    /// The user whose rooms are in `list`.
    var lastUser: UserID?
    /// The tokens of the last login in this process, and the user to whom they belong.
    var tokens: (user: UserID, tokens: Tokens)?
    var calls: [Int: Task<Result<HTTPReply, BackendError>, Never>] = [:]
    var callCount = 0
    var limits = RateLimits()
    var renewal: Task<Result<String, BackendError>, Never>?

    var list = RoomList()
    var listUpdate: Task<Result<Void, BackendError>, Never>?
    /// The number of `/sync` requests.
    var syncCount = 0
    /// The members of rooms by their IDs, as last seen.
    var people: [String: [String: User]] = [:]
    var seen = SeenEvents()
    /// A Boolean value that indicates whether the rooms have to be compared with those of the
    /// server, because that was not done yet in this session.
    var mayHaveLostRooms = true
    /// A Boolean value that indicates whether the feed still has to report the events that happened
    /// before the connection.
    var isCatchingUp = true

    /// The identity of a connection.
    struct Session {
        let number: Int
        let user: UserID
        var accessToken: String
        var refreshToken: String?
    }

    /// Creates a backend, not yet connected.
    ///
    /// - Parameters:
    ///   - homeserver: The base URL of the homeserver; see ``homeserver(of:transport:)``.
    ///   - deviceID: The ID of this device, chosen by the app and never changed, because the server
    ///     recognizes repeated requests of the same device. `nil` lets the server choose one at
    ///     each login by password.
    ///   - login: The origin of the tokens; by default, the credentials.
    ///   - options: Further options.
    public init(
        homeserver: URL, deviceID: String? = nil, login: Login = .token,
        options: Options = Options()
    ) {
        self.homeserver = homeserver
        self.deviceID = deviceID
        self.login = login
        self.options = options
    }

    /// Returns the base URL of a user's homeserver, which is published at
    /// `/.well-known/matrix/client` of the server name.
    ///
    /// - Parameters:
    ///   - userID: A user ID, such as `@alice:example.org`.
    ///   - transport: The transport of the request.
    /// - Returns: The published URL; if there is none, `https://` and the server name.
    /// - Throws: `refused` if the ID has no server name, or the published document cannot be read.
    public static func homeserver(
        of userID: UserID, transport: any HTTPTransport = URLSessionTransport()
    ) async throws(BackendError) -> URL {
        let parts = userID.rawValue.split(separator: ":", maxSplits: 1)
        guard userID.rawValue.hasPrefix("@"), parts.count == 2,
            let server = URL(string: "https://\(parts[1])")
        else {
            throw BackendError(
                .refused, "\(userID) is not a user ID of the form @name:server",
                detail: .invalidParameter)
        }
        let url = server.appending(path: ".well-known/matrix/client")
        let reply = try await transport.send(HTTPRequest("GET", url))
        guard reply.status != 404 else { return server }
        guard let found = try? JSONDecoder().decode(WellKnownReply.self, from: reply.body),
            let homeserver = URL(string: found.homeserver.base_url), homeserver.scheme != nil
        else {
            throw BackendError(
                .refused, "\(url) does not name a homeserver", detail: .malformedData)
        }
        return homeserver
    }
}
