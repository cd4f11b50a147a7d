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
/// The URL of a channel is the ID of an unencrypted room, and the ID of a message is that of its
/// event. An encrypted message has the text "This message is encrypted."
public actor MatrixBackend: Backend {
    /// The source of a session's tokens.
    public enum Login: Sendable {
        /// The access token in the credentials, which the app has obtained.
        case token
        /// The access token in the credentials, and a refresh token, which renews it.
        case refreshToken(String)
        /// The password of the user, with which each process signs in once, as the same device.
        case password(String)
    }

    /// The tokens of a session, which the app stores for its next start.
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
        /// The time for which the server delays its reply to a feed request without events.
        public var longPoll = Duration.seconds(30)

        /// The maximum number of messages of a channel that the feed reports after the device was
        /// offline, before it reports a truncation.
        public var timelineLimit = 50

        /// The transport that sends the requests.
        public var transport: any HTTPTransport = URLSessionTransport()

        /// Whether the homeserver may have an address with `http` that is not a loopback address;
        /// `false` by default.
        ///
        /// Everybody between the device and the homeserver can then read the password, the tokens
        /// and the messages: set it only in a test network.
        public var allowsUnencryptedHTTP = false

        /// The maximum size in bytes of a reply that is not a file; 64 MiB by default.
        ///
        /// A longer reply counts as no reply. The first `/sync` with thousands of rooms has some
        /// megabytes.
        public var maximumReplyByteCount = 64 << 20

        /// The maximum size in bytes of a file to download; 100 MiB by default.
        ///
        /// The size in the message is a limit, too.
        public var maximumFileByteCount = 100 << 20

        /// A closure that receives new tokens after each login and renewal.
        public var onTokens: @Sendable (Tokens) -> Void = { _ in }

        /// The time for deciding whether the server may have forgotten a message's first request.
        package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

        /// Returns numbers that make `/sync` requests differ, even from those of earlier processes.
        package var uniqueNumber: @Sendable () -> Int = { Int.random(in: 1..<1 << 53) }

        package var instant: @Sendable () -> ContinuousClock.Instant = { .now }

        package var pause: @Sendable (Duration) async -> Void = {
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

    /// The epoch of all servers: Matrix has none, so the engine does not notice that a homeserver
    /// was restored from a backup.
    ///
    /// Calls ignore the epoch of the message that they name, because an event ID is a hash of its
    /// event.
    static let epoch = ServerEpoch("matrix")

    let homeserver: URL
    let deviceID: String?
    let login: Login
    let options: Options

    var session: Session?
    var lastUser: UserID?
    var tokens: (user: UserID, tokens: Tokens)?
    var calls: [Int: Task<Result<HTTPReply, BackendError>, Never>] = [:]
    var callCount = 0
    var limits = RateLimits()
    var renewal: Task<Result<String, BackendError>, Never>?

    var list = RoomList()
    var listUpdate: Task<Result<Void, BackendError>, Never>?
    /// The known members, by the IDs of the rooms and of the users.
    var people: [String: [UserID: User]] = [:]
    var seen = SeenEvents()
    var known = KnownMessages()
    var eventTimes = RecentEntries<Timestamp>(capacity: 20_000)
    /// The IDs of the user's reaction events, by message and key.
    var ownReactions = RecentEntries<String>(capacity: 1_000)
    var newestMessages: [String: (id: String, time: Timestamp)] = [:]
    /// The number of `/sync` requests in flight that the server may delay.
    var longPolls = 0
    var echoWaits: [Int: CheckedContinuation<Void, Never>] = [:]
    var timelineCount = 0
    var unreportedReaders: [String] = []
    /// The number of batches that have failed because of a room since its last success.
    var failedRooms: [String: Int] = [:]
    /// The number of requests for the state of a room in succession that were not answered.
    var unansweredCounts: [String: Int] = [:]
    /// The rooms whose state or events could not be fetched, and when they are requested again.
    var unansweredRooms: [String: ContinuousClock.Instant] = [:]
    /// The rooms whose last message could not be fetched, and when it is requested again.
    var staleRooms: [String: ContinuousClock.Instant] = [:]
    /// The rooms whose last message was deleted or is unknown, and which the feed reports once it
    /// has fetched them.
    var roomsWithoutLastMessage: Set<String> = []
    /// The rooms whose last message was fetched later than the event that changed it.
    var lateLastMessages: Set<String> = []
    var pageTokens = PageTokens()
    /// The oldest messages of pages, by the points at which the pages start.
    var pageStarts = RecentEntries<[Arrival]>(capacity: 100)
    var refetched = RefetchedState()
    var reportedOnce: ReportedOnce?
    /// The newest event of each room that the feed has reported.
    var newestEvents: [String: String] = [:]
    /// True until the known rooms were compared with those of the server.
    var mayHaveLostRooms = true
    var isCatchingUp = true

    struct Session {
        let number: Int
        let user: UserID
        var accessToken: String
        var refreshToken: String?
        /// True if the homeserver has issued the refresh token in a session of the user; that of a
        /// ``Login`` may be another user's.
        var isRefreshTokenOwn = false
    }

    /// Creates a backend, which is not connected yet.
    ///
    /// - Parameters:
    ///   - homeserver: The base URL of the homeserver; see ``homeserver(of:transport:)``.
    ///   - deviceID: The ID of this device, which the app chooses and never changes: the server
    ///     recognizes a repeated request only from the same device. If it is `nil`, the server
    ///     chooses one at each login by password.
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

    /// Returns the base URL of a user's homeserver from the server's document
    /// `/.well-known/matrix/client`; if there is none, `https://` and the server name.
    ///
    /// `userID` is a user ID, such as `@alice:example.org`.
    ///
    /// - Throws: `refused` if the ID has no valid server name, the document cannot be read, or the
    ///   published URL is not a plain `https` URL of a host.
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
        guard let found = try? JSONDecoder.decode(WellKnownReply.self, ofReply: reply.body),
            let homeserver = URL(string: found.homeserver.base_url)
        else {
            throw BackendError(
                .refused, "\(url) does not name a homeserver", detail: .malformedData)
        }
        try policy.check(homeserver, isBase: true)
        return homeserver
    }
}

/// The contents of the last batch of the feed that no event of `/sync` reports.
struct ReportedOnce {
    /// The cursor of the request.
    let cursor: FeedCursor
    /// The cursor of the batch; `nil` if there was none because of an error.
    var next: FeedCursor?
    var completedRooms: Set<String> = []
    var hasComparedRooms = false
    var lastMessages: Set<String> = []
}
