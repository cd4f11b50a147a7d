import Foundation
import MatrixBackend
import Models
import Sync

/// The replies of a homeserver that a new device of Alice received for the rooms of all kinds.
struct KindRecording {
    struct Reply: Codable {
        /// The request in the form of `PreparedReplies`.
        let request: String
        let status: Int
        let body: JSONValue
    }

    private struct Names: Codable {
        let users: [String: String]
        let rooms: [String: [String: String]]
    }

    /// The IDs of the users, by their names in the steps of kinds.
    let users: [String: String]
    /// The IDs of each room, by the name of its kind.
    let rooms: [String: [String: String]]
    let replies: [Reply]

    private static let file = URL(filePath: "Tests/MatrixBackendTests/Recorded/kinds.jsonl")

    init(users: [String: String], rooms: [String: [String: String]], replies: [Reply]) {
        (self.users, self.rooms, self.replies) = (users, rooms, replies)
    }

    /// Reads the file, whose first line has the names.
    init() throws {
        let lines = try Data(contentsOf: Self.file).split(separator: UInt8(ascii: "\n"))
        let names = try JSONDecoder().decode(Names.self, from: lines[0])
        (users, rooms) = (names.users, names.rooms)
        replies = try lines.dropFirst().map { try JSONDecoder().decode(Reply.self, from: $0) }
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines = [try encoder.encode(Names(users: users, rooms: rooms))]
        for reply in replies { lines.append(try encoder.encode(reply)) }
        try Data(lines.joined(separator: Data("\n".utf8))).write(to: Self.file)
    }
}

/// Records replies, except those with tokens.
final class RecordingTransport: HTTPTransport {
    private let base = URLSessionTransport()
    private let recorded = Locked<[KindRecording.Reply]>([])

    var replies: [KindRecording.Reply] { recorded.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(BackendError) -> HTTPReply {
        let reply = try await base.send(request)
        let name = PreparedReplies.name(request)
        guard name != "POST login",
            let body = try? JSONDecoder().decode(
                JSONValue.self, from: reply.body)
        else { return reply }
        recorded.withLock {
            $0.append(KindRecording.Reply(request: name, status: reply.status, body: body))
        }
        return reply
    }
}
