import Foundation
import MatrixBackend
import Models
import Sync

/// A transport that answers requests with prepared replies, and records the requests.
///
/// Each path has its own replies, which are used in order.
final class PreparedReplies: HTTPTransport {
    private struct State {
        var replies: [String: [HTTPReply]] = [:]
        var requests: [HTTPRequest] = []
        /// The requests that are answered by ``PreparedReplies/release(_:_:)``; the value is `nil`
        /// until the request arrives.
        var held: [String: CheckedContinuation<HTTPReply, Never>?] = [:]
        var arrivals: [String: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    /// The requests, each as its method and its path without the prefix of the API.
    var requests: [String] { state.withLock { $0.requests.map(PreparedReplies.name) } }

    /// Returns the values of a query parameter, in the order of the requests that contain it.
    func parameters(_ name: String) -> [String] {
        state.withLock { $0.requests }.compactMap { request in
            let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            return parts?.queryItems?.first { $0.name == name }?.value
        }
    }

    /// The values of the `Authorization` header, one for each request.
    var authorizations: [String?] {
        state.withLock { $0.requests.map { $0.headers["Authorization"] } }
    }

    /// The bodies of the requests that have JSON.
    var bodies: [JSONValue] {
        state.withLock { $0.requests }.compactMap { request in
            guard case .data(let data) = request.body else { return nil }
            return try? JSONDecoder().decode(JSONValue.self, from: data)
        }
    }

    /// Adds a reply to a request such as `GET account/whoami`.
    ///
    /// The last reply is repeated for all further requests of the same kind.
    func reply(
        _ request: String, _ json: String, status: Int = 200, location: String? = nil
    ) {
        state.withLock {
            $0.replies[request, default: []].append(
                HTTPReply(status: status, body: Data(json.utf8), location: location))
        }
    }

    /// Answers a request as a homeserver does that does not know the path, because a proxy has
    /// decoded a slash in it.
    func replyAsBehindAProxy(_ request: String) {
        reply(request, #"{"errcode": "M_UNRECOGNIZED"}"#, status: 404)
    }

    /// Replaces all replies to a request.
    func replace(_ request: String, _ json: String, status: Int = 200) {
        state.withLock {
            $0.replies[request] = [HTTPReply(status: status, body: Data(json.utf8))]
        }
    }

    /// Delays the reply to the next request of a kind until it is released.
    func hold(_ request: String) {
        state.withLock { $0.held[request] = .some(nil) }
    }

    /// Waits until a held request has arrived.
    func arrival(of request: String) async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if case .some(.some) = state.held[request] { return true }
                state.arrivals[request] = continuation
                return false
            }
            if hasArrived { continuation.resume() }
        }
    }

    /// Answers a held request that has arrived.
    func release(_ request: String, _ json: String, status: Int = 200) {
        let held = state.withLock { $0.held.removeValue(forKey: request) }
        if case .some(let continuation) = held {
            continuation?.resume(returning: HTTPReply(status: status, body: Data(json.utf8)))
        }
    }

    /// Returns the reply to a held request; `nil` if the request is not held.
    private func heldReply(_ name: String, _ request: HTTPRequest) async -> HTTPReply? {
        guard state.withLock({ $0.held.keys.contains(name) }) else { return nil }
        return await withCheckedContinuation { continuation in
            let arrival = state.withLock { state in
                state.requests.append(request)
                state.held.updateValue(continuation, forKey: name)
                return state.arrivals.removeValue(forKey: name)
            }
            arrival?.resume()
        }
    }

    func send(_ request: HTTPRequest) async throws(BackendError) -> HTTPReply {
        let name = PreparedReplies.name(request)
        if let reply = await heldReply(name, request) { return reply }
        let reply = state.withLock { state -> HTTPReply? in
            state.requests.append(request)
            guard var replies = state.replies[name], let reply = replies.first else { return nil }
            if replies.count > 1 { replies.removeFirst() }
            state.replies[name] = replies
            return reply
        }
        return reply ?? HTTPReply(status: 404, body: Data(#"{"errcode": "M_NOT_FOUND"}"#.utf8))
    }

    static func name(_ request: HTTPRequest) -> String {
        let path = request.url.absoluteString.split(separator: "?")[0]
        guard path.contains("/_matrix/") else { return "\(request.method) \(path)" }
        let parts = path.split(separator: "/").drop {
            $0 != "v3" && $0 != "v1" && $0 != "org.matrix.simplified_msc3575"
        }.dropFirst()
        return "\(request.method) \(parts.joined(separator: "/").removingPercentEncoding ?? "")"
    }
}

/// A monotonic clock that only changes when `set` is called.
final class SteppedClock: Sendable {
    private let start = ContinuousClock.now
    private let elapsed = Locked(Duration.zero)

    var instant: ContinuousClock.Instant { start + elapsed.withLock { $0 } }

    func set(_ elapsed: Duration) { self.elapsed.withLock { $0 = elapsed } }
}

/// Alice's device, and a homeserver with prepared replies.
struct Device {
    let server = PreparedReplies()
    let clock = SteppedClock()
    let backend: MatrixBackend

    init(
        _ login: MatrixBackend.Login = .token, longPoll: Duration = .zero,
        pause: @escaping @Sendable (Duration) async -> Void = { _ in }
    ) {
        var options = MatrixBackend.Options()
        options.transport = server
        options.longPoll = longPoll
        options.pause = pause
        options.instant = { [clock] in clock.instant }
        backend = MatrixBackend(
            homeserver: URL(string: "https://example.org")!, deviceID: "PHONE", login: login,
            options: options)
    }

    /// Connects Alice with a token.
    func connect() async throws {
        server.reply("GET account/whoami", #"{"user_id": "@alice:example.org"}"#)
        _ = try await backend.connect(
            as: Credentials("@alice:example.org", accessToken: "token"))
    }

    /// Prepares the first `/sync`, with the room `!room:example.org`.
    func prepareRoom() {
        server.reply("GET sync", PreparedReplies.initialSync)
    }
}

extension PreparedReplies {
    static let initialSync = """
        {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {
            "summary": {"m.joined_member_count": 2},
            "state": {"events": [
                {"type": "m.room.create", "state_key": "", "event_id": "$0",
                 "sender": "@bob:example.org", "origin_server_ts": 1000, "content": {}},
                {"type": "m.room.member", "state_key": "@alice:example.org", "event_id": "$1",
                 "sender": "@alice:example.org", "origin_server_ts": 1001,
                 "content": {"membership": "join", "displayname": "Alice"}},
                {"type": "m.room.member", "state_key": "@bob:example.org", "event_id": "$2",
                 "sender": "@bob:example.org", "origin_server_ts": 1002,
                 "content": {"membership": "join", "displayname": "Bob"}},
                {"type": "m.room.name", "state_key": "", "event_id": "$3",
                 "sender": "@bob:example.org", "origin_server_ts": 1003,
                 "content": {"name": "General"}}]},
            "timeline": {"events": [], "limited": false},
            "unread_notifications": {"notification_count": 2, "highlight_count": 1}}}}}
        """

    /// The membership events of Bob and Alice, as JSON.
    static let members = [("bob", "Bob"), ("alice", "Alice")].map { id, name in
        """
        {"type": "m.room.member", "state_key": "@\(id):example.org", "event_id": "$\(id)",
         "sender": "@\(id):example.org", "origin_server_ts": 1001,
         "content": {"membership": "join", "displayname": "\(name)"}}
        """
    }

    /// Returns a reply of `/sync` with events of the room.
    static func sync(_ token: String, isLimited: Bool = false, _ events: String...) -> String {
        sync(token, isLimited: isLimited, events: events)
    }

    static func sync(_ token: String, isLimited: Bool = false, events: [String]) -> String {
        """
        {"next_batch": "\(token)", "rooms": {"join": {"!room:example.org": {"timeline": {
            "events": [\(events.joined(separator: ", "))], "limited": \(isLimited)}}}}}
        """
    }

    /// Returns the JSON of a message of Bob.
    static func message(_ id: String, _ text: String, at time: Int) -> String {
        """
        {"type": "m.room.message", "event_id": "\(id)", "sender": "@bob:example.org",
         "origin_server_ts": \(time), "content": {"msgtype": "m.text", "body": "\(text)"}}
        """
    }
}
