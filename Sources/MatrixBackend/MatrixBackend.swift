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
/// A channel is an unencrypted room: its URL is the room's ID, and the ID of a message is that of
/// its event. Encrypted messages appear as messages that say so.
public actor MatrixBackend: Backend {
    /// Where the tokens of a session come from.
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
        /// The token that requests carry.
        public let accessToken: String
        /// The token that renews the access token; `nil` if it does not expire.
        public let refreshToken: String?
        /// The device that the tokens belong to.
        public let deviceID: String?
    }

    /// The options of a backend.
    public struct Options: Sendable {
        /// The time that the server holds a request of the feed while nothing happens.
        public var longPoll = Duration.seconds(30)

        /// The maximum number of messages that the feed reports of a channel after an absence.
        ///
        /// The feed reports a truncation for channels with more.
        public var timelineLimit = 50

        /// The transport of requests.
        public var transport: any HTTPTransport = URLSessionTransport()

        /// A closure that receives new tokens after each login and each renewal.
        public var onTokens: @Sendable (Tokens) -> Void = { _ in }

        /// The current time, to detect a repeated message whose first request the server may have
        /// forgotten.
        package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

        /// The monotonic time, for the pauses that the server asks for.
        package var instant: @Sendable () -> ContinuousClock.Instant = { .now }

        /// Creates the default options.
        public init() {}
    }

    /// What unencrypted Matrix rooms support.
    public nonisolated let capabilities: BackendCapabilities = [
        .deduplicatesRequests, .messageChangelogByTime, .reactions, .threads, .files, .readReceipts,
        .typing,
        .unreadCounts, .channelManagement, .invitations, .moderation,
    ]

    /// Matrix has no epoch: a homeserver that was restored from a backup is not noticed.
    static let epoch = ServerEpoch("matrix")

    let homeserver: URL
    let deviceID: String?
    let login: Login
    let options: Options

    var session: Session?
    /// The user whose rooms are in `list`.
    var lastUser: UserID?
    /// The tokens of the last login of this process, with the user whom they belong to.
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
    /// True until a feed request of the session has compared the rooms with those of the server.
    var mayHaveLostRooms = true
    /// True until the feed has reported what happened before the connection.
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
    ///   - deviceID: The ID of this device, chosen by the app and kept for ever: the server
    ///     recognizes repeated requests of the same device. `nil` lets the server choose one at
    ///     each login by password.
    ///   - login: Where the tokens come from. By default, from the credentials.
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

    /// Returns the base URL of the homeserver of a user, which its server name announces under
    /// `/.well-known/matrix/client`.
    ///
    /// - Parameters:
    ///   - userID: A user ID, such as `@alice:example.org`.
    ///   - transport: The transport of the request.
    /// - Returns: The announced URL; `https://` and the server name if it announces none.
    /// - Throws: `refused` if the ID has no server name or the announcement cannot be read.
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
