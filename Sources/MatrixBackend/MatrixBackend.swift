public import Foundation
public import Models
public import Sync

/// The connection of a user's device to a Matrix homeserver.
///
/// ```swift
/// let backend = MatrixBackend(
///     homeserver: URL(string: "https://matrix.example.org")!, deviceID: "PHONE",
///     login: .password("secret"))
/// let client = try await ChatClient.open(backend: backend)
/// try await client.connect(as: Credentials("@alice:example.org"))
/// ```
///
/// A channel is an unencrypted room, and its URL is the ID of the room. The ID of a message is the
/// ID of its event. An encrypted message has the text "This message is encrypted."
public actor MatrixBackend: Backend {
    /// The source of a session's tokens.
    public enum Login: Sendable {
        /// The access token in the credentials, which the app has obtained.
        case token
        /// The access token in the credentials, and the given refresh token, which renews it.
        case refreshToken(String)
        /// The given password of the user.
        ///
        /// Each process signs in with it once, as the same device.
        case password(String)
    }

    /// The tokens of a session.
    ///
    /// The app stores them for its next start.
    public struct Tokens: Hashable, Sendable {
        /// The token that authorizes requests.
        public let accessToken: String
        /// The token that renews the access token; `nil` if the access token does not expire.
        public let refreshToken: String?
        /// The ID of the device that the tokens belong to.
        public let deviceID: String?
    }

    /// The options of a backend.
    public struct Options: Sendable {
        /// The time for which the server delays its reply to a feed request if there are no events.
        public var longPoll = Duration.seconds(30)

        /// The maximum number of messages of a channel that the feed reports after the device was
        /// offline.
        ///
        /// If more messages were sent, the feed reports a truncation of the channel.
        public var timelineLimit = 50

        /// The transport that sends the requests.
        public var transport: any HTTPTransport = URLSessionTransport()

        /// A Boolean value that indicates whether the homeserver may have an address with `http`
        /// that is not a loopback address; `false` by default.
        ///
        /// Everybody between the device and the homeserver can then read the password, the tokens
        /// and the messages. Set it only in a test network.
        public var allowsUnencryptedHTTP = false

        /// The maximum size in bytes of a reply that is not a file; 64 MiB by default.
        ///
        /// A longer reply counts as no reply. The first `/sync` of an account with thousands of
        /// rooms has some megabytes.
        public var maximumReplyByteCount = 64 << 20

        /// The maximum size in bytes of a file to download; 100 MiB by default.
        ///
        /// If the message says how large the file is, the file may not be larger than that either.
        public var maximumFileByteCount = 100 << 20

        /// A closure that receives new tokens after each login and each renewal.
        public var onTokens: @Sendable (Tokens) -> Void = { _ in }

        /// A closure that returns the current time.
        ///
        /// The time decides whether the server may have forgotten the first request of a message
        /// that is sent again.
        package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

        /// A closure that returns a number that it has not returned before, in this process or in
        /// earlier ones.
        ///
        /// The numbers make `/sync` requests different from each other.
        package var uniqueNumber: @Sendable () -> Int = { Int.random(in: 1..<1 << 53) }

        /// A closure that returns the monotonic time, for the pauses that the server requests.
        package var instant: @Sendable () -> ContinuousClock.Instant = { .now }

        /// A closure that waits for a time, or until its task is canceled.
        package var pause: @Sendable (Duration) async -> Void = {
            // Ignore the error of a canceled task.
            try? await Task.sleep(for: $0)
        }

        /// Creates the default options.
        public init() {}
    }

    /// The features of unencrypted Matrix rooms.
    public nonisolated let capabilities: BackendCapabilities = [
        .deduplicatesRequests, .messageChangelogByTime, .reactions, .threads, .files, .readReceipts,
        .typing,
        .unreadCounts, .channelManagement, .invitations, .moderation,
        .messageSearch,
        .separateReactions, .kindFilter, .mentionList,
    ]

    /// The epoch of all servers.
    ///
    /// Matrix has no epochs, so the engine does not notice that a homeserver was restored from a
    /// backup. Calls ignore the epoch of the message that they name: an event ID is a hash of its
    /// event, so it never belongs to another message.
    static let epoch = ServerEpoch("matrix")

    let homeserver: URL
    let deviceID: String?
    let login: Login
    let options: Options

    var session: Session?
    /// The user whose rooms are in `list`.
    var lastUser: UserID?
    /// The tokens of the last login of this process, and the user to whom they belong.
    var tokens: (user: UserID, tokens: Tokens)?
    var calls: [Int: Task<Result<HTTPReply, BackendError>, Never>] = [:]
    var callCount = 0
    var limits = RateLimits()
    var renewal: Task<Result<String, BackendError>, Never>?

    var list = RoomList()
    var listUpdate: Task<Result<Void, BackendError>, Never>?
    /// The token of the last batch of the feed; `nil` before the first one.
    var feedToken: String?
    /// The rooms that were not encrypted when the server was asked, during this connection.
    var unencrypted: Set<String> = []
    /// The last known members of rooms, by the IDs of the rooms and of the users.
    var people: [String: [String: User]] = [:]
    var seen = SeenEvents()
    var known = KnownMessages()
    /// The times of the events that this process has received.
    var eventTimes = RecentEntries<Timestamp>(capacity: 20_000)
    /// The user's reactions that this process has received: the IDs of their events, by message and
    /// key.
    var ownReactions = RecentEntries<String>(capacity: 1_000)
    /// The newest messages of rooms that the feed has reported during this connection.
    var newestMessages: [String: (id: String, time: Timestamp)] = [:]
    /// The number of `/sync` requests in flight that the server may delay.
    var longPolls = 0
    /// The calls that wait until the feed reports an event.
    var echoWaits: [Int: CheckedContinuation<Void, Never>] = [:]
    /// The number of replies of `/sync` with events of rooms.
    var timelineCount = 0
    /// The channels whose readers the feed still has to report.
    var unreportedReaders: [String] = []
    /// How often the events of rooms could not be read at a cursor of the feed.
    var failedRooms: (cursor: FeedCursor?, counts: [String: Int]) = (nil, [:])
    var pageTokens = PageTokens()
    /// A Boolean value that indicates whether the known rooms still have to be compared with those
    /// of the server, which happens once for each session.
    var mayHaveLostRooms = true
    /// A Boolean value that indicates whether the feed still has to report events that happened
    /// before the connection.
    var isCatchingUp = true

    /// A session of a user, from ``connect(as:)`` to the end of the connection.
    struct Session {
        let number: Int
        let user: UserID
        var accessToken: String
        var refreshToken: String?
    }

    /// Creates a backend, which is not connected yet.
    ///
    /// - Parameters:
    ///   - homeserver: The base URL of the homeserver; see ``homeserver(of:transport:)``.
    ///   - deviceID: The ID of this device. The app chooses it and never changes it, because the
    ///     server recognizes a repeated request only if it comes from the same device. If the ID is
    ///     `nil`, the server chooses one at each login by password.
    ///   - login: The source of the tokens; by default, the credentials.
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

    /// Returns the base URL of a user's homeserver.
    ///
    /// The server publishes it in the document `/.well-known/matrix/client`.
    ///
    /// - Parameters:
    ///   - userID: A user ID, such as `@alice:example.org`.
    ///   - transport: The transport that sends the request.
    /// - Returns: The published URL; if there is none, `https://` and the server name.
    /// - Throws: `refused` if the ID has no valid server name, if the published document cannot be
    ///   read, or if the published URL is not a plain `https` URL of a host.
    public static func homeserver(
        of userID: UserID, transport: any HTTPTransport = URLSessionTransport()
    ) async throws(BackendError) -> URL {
        guard let name = ServerName(ofUser: userID.rawValue),
            let server = URL(string: "https://\(name.text)")
        else {
            throw BackendError(
                .refused, "\(userID) is not a user ID of the form @name:server",
                detail: .invalidParameter)
        }
        let policy = AddressPolicy(allowsLoopback: false)
        let url = server.appending(path: ".well-known/matrix/client")
        let request = HTTPRequest("GET", url, maximumByteCount: 64 << 10)
        let reply = try await transport.reply(to: request, leavesOrigin: true, policy)
        guard reply.status != 404 else { return server }
        guard let found = try? JSONDecoder().decode(WellKnownReply.self, from: reply.body),
            let homeserver = URL(string: found.homeserver.base_url)
        else {
            throw BackendError(
                .refused, "\(url) does not name a homeserver", detail: .malformedData)
        }
        try policy.check(homeserver, isBase: true)
        return homeserver
    }
}
