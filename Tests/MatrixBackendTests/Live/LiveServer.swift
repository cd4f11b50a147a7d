import Foundation
import MatrixBackend
import Models
import ScrollbackTesting
import Sync

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The homeserver that `make test-matrix` has started.
enum LiveServer {
    /// The address of the homeserver, or `nil` if the live tests are not enabled.
    static let url = ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX"].flatMap {
        URL(string: $0)
    }

    /// The address of a second homeserver that federates with the first one, or `nil` if there is
    /// none.
    static let peer = ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX_PEER"].flatMap {
        URL(string: $0)
    }

    private static let count = Counter()
    static let run = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    static func number() -> Int { count.next() }

    /// Registers a user with a new name.
    static func register(_ name: String, on server: URL = url!) async throws -> Credentials {
        let user = "\(name)-\(run)-\(number())"
        var request = URLRequest(url: server.appending(path: "_matrix/client/v3/register"))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(
            JSONValue.object([
                "auth": ["type": "m.login.dummy"], "username": .string(user),
                "password": .string(password), "inhibit_login": true,
            ]))
        let (data, _) = try await URLSession.shared.data(for: request)
        let reply = try JSONDecoder().decode(JSONValue.self, from: data)
        guard let id = reply["user_id"]?.string else { throw Refused(reply: "\(reply)") }
        return Credentials(UserID(id))
    }

    /// Returns the address of a user's homeserver.
    ///
    /// The number at the end of a user's id is one above the port in the address.
    private static func homeserver(of user: UserID?) -> URL {
        guard let peer, let user, user.rawValue.hasSuffix(":\((peer.port ?? 0) + 1)") else {
            return url!
        }
        return peer
    }

    /// Stops and restarts the homeserver.
    ///
    /// - Parameter limits: The rate limits: `off`, or `default` for Synapse's own.
    /// - Throws: `Refused` if the homeserver does not restart.
    static func restart(limits: String = "off") throws {
        let process = Process()
        process.executableURL = URL(filePath: "Tests/Tools/matrix-server")
        process.arguments = ["restart"]
        process.environment = ProcessInfo.processInfo.environment.merging(["MATRIX_LIMITS": limits])
        { $1 }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused(reply: "it does not restart") }
    }

    /// Sends a request as the application service `late`, and returns the reply.
    ///
    /// The users of this service choose the times of their messages.
    @discardableResult
    static func callAsService(
        _ method: String, _ path: String, _ query: [URLQueryItem] = [], _ body: JSONValue?
    ) async throws -> JSONValue {
        let url = url!.appending(path: "_matrix/client/v3/\(path)").appending(queryItems: query)
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue("Bearer late", forHTTPHeaderField: "Authorization")
        request.httpBody = try body.map { try JSONEncoder().encode($0) }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw Refused(reply: "\(path): \(String(decoding: data, as: UTF8.self))")
        }
        return try JSONDecoder().decode(JSONValue.self, from: data)
    }

    struct Refused: Error { let reply: String }

    static let password = "live tests"

    /// Returns a new device of a user.
    ///
    /// Without a user, the device belongs to the first homeserver.
    static func device(
        of user: UserID? = nil, longPoll: Duration, timelineLimit: Int = 50,
        transport: any HTTPTransport = URLSessionTransport()
    ) -> MatrixBackend {
        var options = MatrixBackend.Options()
        options.transport = transport
        options.longPoll = longPoll
        options.timelineLimit = timelineLimit
        return MatrixBackend(
            homeserver: homeserver(of: user), deviceID: "DEVICE\(number())",
            login: .password(password),
            options: options)
    }
}

private final class Counter: Sendable {
    private let value = Locked(0)
    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}

/// The live homeserver as the subject of the conformance suite, with three new users.
struct LiveSubject: ConformanceSubject {
    /// The time that the feed waits for events; by default, it returns at once, so that the checks
    /// do not wait.
    var longPoll = Duration.zero
    let users: [Credentials] = []
    private let requestIDs = RequestIDs(prefix: "\(LiveServer.run)-")

    func users(for check: ConformanceCheck) async throws -> [Credentials] {
        var users: [Credentials] = []
        for name in ["alice", "bob", "carol"] { users.append(try await LiveServer.register(name)) }
        return users
    }

    /// Sends a message with an old time.
    ///
    /// The application service does this after it has joined the channel, on behalf of the
    /// message's sender.
    func deliverLate(_ message: Message) async throws -> Bool {
        guard let sender = message.sender else { return false }
        let member = LiveServer.device(longPoll: .zero)
        _ = try await member.connect(as: Credentials(sender.userID))
        let service = try await LateService.userID
        try await member.perform(InviteUsers([service], to: message.channelURL))
        let late = LateService(room: message.channelURL)
        try await late.join()
        try await late.send(message.text, at: message.createdAt.milliseconds)
        await member.disconnect()
        return true
    }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        LiveServer.device(longPoll: longPoll, timelineLimit: 10)
    }

    var answersFeedAtOnce: Bool { longPoll == .zero }

    func makeRequestID() -> RequestID { requestIDs.next() }

    let unsupportedFields: Set = ["translation_target_languages"]

    var deadline: Duration? { .seconds(120) }
}
