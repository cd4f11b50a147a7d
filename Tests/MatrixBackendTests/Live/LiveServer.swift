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
    /// Its address; `nil` if the live tests are not asked for.
    static let url = ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX"].flatMap {
        URL(string: $0)
    }

    private static let count = Counter()
    static let run = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    static func number() -> Int { count.next() }

    /// Registers a user with a new name.
    static func register(_ name: String) async throws -> Credentials {
        let user = "\(name)-\(run)-\(number())"
        var request = URLRequest(url: url!.appending(path: "_matrix/client/v3/register"))
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

    struct Refused: Error { let reply: String }

    static let password = "live tests"

    /// Returns a new device of a user.
    static func device(longPoll: Duration, timelineLimit: Int = 50) -> MatrixBackend {
        var options = MatrixBackend.Options()
        options.longPoll = longPoll
        options.timelineLimit = timelineLimit
        return MatrixBackend(
            homeserver: url!, deviceID: "DEVICE\(number())", login: .password(password),
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

/// The homeserver, as the conformance suite asks for it: three new users.
struct LiveSubject: ConformanceSubject {
    let users: [Credentials]
    private let requestIDs = RequestIDs(prefix: "\(LiveServer.run)-")

    init() async throws {
        users = [
            try await LiveServer.register("alice"), try await LiveServer.register("bob"),
            try await LiveServer.register("carol"),
        ]
    }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        LiveServer.device(longPoll: .zero, timelineLimit: 10)
    }

    func makeRequestID() -> RequestID { requestIDs.next() }

    var deadline: Duration? { .seconds(120) }
}
