import Models
import ScrollbackTesting
import Sync

/// The team chat, as the conformance suite asks for it.
struct TeamChatSubject: ConformanceSubject {
    let server: TeamChatServer
    let clock: SteppingClock
    let requestIDs = RequestIDs()
    let users: [Credentials] = ["alice", "bob", "carol"].map { Credentials($0) }
    /// Wraps the backend in a backend with a mistake, if a test needs one.
    var wrap: @Sendable (any Backend) -> any Backend = { $0 }

    init(pageLimit: Int = 100, pagesByID: Bool = false) {
        self.pagesByID = pagesByID
        let clock = SteppingClock()
        self.clock = clock
        server = TeamChatServer(
            users: ["alice", "bob", "carol"], pageLimit: pageLimit, now: { clock.read() })
    }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        wrap(TeamChatBackend(server, waits: false, pagesByID: pagesByID))
    }

    private let pagesByID: Bool

    var answersFeedAtOnce = true

    func makeRequestID() -> RequestID { requestIDs.next() }

    let unsupportedFields: Set = [
        "mentioned_user_ids", "mentioned_message_template", "translation_target_languages",
    ]

    func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? {
        ChannelURL(await server.makeRoom(name, members: users.map(\.userID.rawValue)))
    }

    var hooks: Set<ConformanceHook> { Set(ConformanceHook.allCases) }

    func perform(_ hook: ConformanceHook) async throws {
        switch hook {
        case .restartServer: await server.restart()
        case .discardLog: await server.discardLog()
        case .breakHistory: await server.restoreBackup()
        case .openTruncations: await server.skipDetails()
        case .stopTime: clock.isStopped = true
        case .startTime: clock.isStopped = false
        }
    }
}
