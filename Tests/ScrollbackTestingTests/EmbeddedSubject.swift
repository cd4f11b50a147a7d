import EmbeddedServer
import Models
import ScrollbackTesting
import Sync

/// A server in memory that has all capabilities.
struct EmbeddedSubject: ConformanceSubject {
    let server: EmbeddedServer
    let requestIDs = RequestIDs()
    let users: [Credentials] = ["alice", "bob", "carol"].map { Credentials($0) }
    /// Wraps the backend in a backend with a mistake, if a test needs one.
    var wrap: @Sendable (any Backend) -> any Backend = { $0 }

    init(_ conditions: ServerConditions = ServerConditions()) throws {
        let clock = SteppingClock()
        server = try EmbeddedServer.inMemory { clock.read() }
        server.conditions = conditions
        for user in users {
            let nickname = "\(user.userID), called so"
            try server.addUser(User(id: user.userID, nickname: nickname))
        }
    }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        wrap(server.client(waits: feedWaits))
    }

    var answersFeedAtOnce = true
    var feedWaits = false

    func makeRequestID() -> RequestID { requestIDs.next() }

    func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? {
        let params = GroupChannelCreateParams(name, userIDs: users.dropFirst().map(\.userID))
        return try server.createChannel(params, by: users[0].userID).url
    }

    var hooks: Set<ConformanceHook> { [.breakHistory] }

    func perform(_ hook: ConformanceHook) async throws { try server.restore(server.backup()) }

    func importMessages(_ messages: [Message]) async throws -> Bool {
        try server.importMessages(messages)
        return true
    }

    func deliverLate(_ message: Message) async throws -> Bool {
        guard server.conditions.federationDelay > .zero else { return false }
        try server.importMessages([message], isReported: true)
        return true
    }

    func deleteMessages(of user: Credentials, in url: ChannelURL?) async throws -> Bool {
        try server.deleteMessages(ofSender: user.userID, in: url)
        return true
    }

    func expireMessages(before time: Timestamp) async throws -> Bool {
        try server.expireMessages(before: time)
        return true
    }
}
