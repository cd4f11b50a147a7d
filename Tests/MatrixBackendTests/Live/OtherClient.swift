import Foundation
import Models

/// A user who uses a client of other authors: matrix-nio, which `Tests/Tools/matrix-nio` runs.
struct OtherClient {
    /// A Boolean value that indicates whether `make test-matrix` has installed the client.
    static let isInstalled =
        ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX_NIO"] != nil

    let user: UserID

    /// Signs in, does actions, and returns their results; `matrix_nio.py` lists the actions.
    @discardableResult
    func run(_ actions: JSONValue...) async throws -> [JSONValue] {
        let input = try JSONEncoder().encode(JSONValue.array(actions))
        let user = user.rawValue
        return try await Task.detached {
            let process = Process()
            process.executableURL = URL(filePath: "Tests/Tools/matrix-nio")
            process.arguments = [
                "run", LiveServer.url!.absoluteString, user, LiveServer.password,
            ]
            let (words, output) = (Pipe(), Pipe())
            process.standardInput = words
            process.standardOutput = output
            try process.run()
            try words.fileHandleForWriting.write(contentsOf: input)
            try words.fileHandleForWriting.close()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw LiveServer.Refused(reply: "matrix-nio failed")
            }
            return try JSONDecoder().decode([JSONValue].self, from: data)
        }.value
    }

    /// The action that sends a text, with a relation to another event.
    static func send(_ text: String, to room: ChannelURL, relation: JSONValue? = nil) -> JSONValue {
        var content: [String: JSONValue] = ["msgtype": "m.text", "body": .string(text)]
        content["m.relates_to"] = relation
        return ["send", .string(room.rawValue), "m.room.message", .object(content)]
    }

    /// The action that edits the event with an ID.
    static func edit(_ id: JSONValue, to text: String, in room: ChannelURL) -> JSONValue {
        [
            "send", .string(room.rawValue), "m.room.message",
            [
                "msgtype": "m.text", "body": .string("* \(text)"),
                "m.new_content": ["msgtype": "m.text", "body": .string(text)],
                "m.relates_to": ["rel_type": "m.replace", "event_id": id],
            ],
        ]
    }

    static func redact(_ id: JSONValue, in room: ChannelURL) -> JSONValue {
        ["room_redact", .string(room.rawValue), id]
    }

    /// The relation of a reply in a thread, which answers a message of the thread.
    static func thread(_ root: JSONValue, answering id: JSONValue? = nil) -> JSONValue {
        [
            "rel_type": "m.thread", "event_id": root, "is_falling_back": .bool(id == nil),
            "m.in_reply_to": ["event_id": id ?? root],
        ]
    }
}
