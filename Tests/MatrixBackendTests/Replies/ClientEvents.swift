import Foundation
import MatrixBackend
import Models
import Sync

/// Alice's device, whose feed has reported the first `/sync`.
struct FollowingDevice {
    let device = Device()
    let cursor: FeedCursor

    init() async throws {
        try await device.connect()
        device.prepareRoom()
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        cursor = try await device.backend.feed(since: nil).cursor
    }

    /// Returns the events of a batch with a timeline.
    func feed(_ timeline: String...) async throws -> [FeedEvent] {
        try await feed(sync: PreparedReplies.sync("s1", events: timeline))
    }

    /// Returns the events of a batch with a reply of `/sync`, whose token is `s1`.
    func feed(sync reply: String) async throws -> [FeedEvent] {
        device.server.replace("GET sync", reply)
        return try await device.backend.feed(since: cursor).events
    }
}

/// A suite of tests with events of Bob in the form in which other clients send them.
protocol ClientEventSuite {}

extension ClientEventSuite {
    var room: ChannelURL { "!room:example.org" }
    var path: String { "GET rooms/!room:example.org" }

    /// Returns the JSON of an event of Bob.
    func event(
        _ id: String, _ content: String, type: String = "m.room.message", at time: Int = 2000,
        unsigned: String = "{}", by sender: String = "@bob:example.org"
    ) -> String {
        """
        {"type": "\(type)", "event_id": "\(id)", "sender": "\(sender)",
         "origin_server_ts": \(time), "content": \(content), "unsigned": \(unsigned)}
        """
    }

    func text(_ text: String, relation: String? = nil) -> String {
        let relation = relation.map { #", "m.relates_to": \#($0)"# } ?? ""
        return #"{"msgtype": "m.text", "body": "\#(text)"\#(relation)}"#
    }

    func edit(
        _ id: String, of target: String, _ text: String, at time: Int,
        by sender: String = "@bob:example.org"
    ) -> String {
        event(
            id,
            """
            {"msgtype": "m.text", "body": "* \(text)",
             "m.new_content": {"msgtype": "m.text", "body": "\(text)"},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "\(target)"}}
            """, at: time, by: sender)
    }

    func redaction(_ id: String, of target: String, at time: Int) -> String {
        event(id, #"{"redacts": "\#(target)"}"#, type: "m.room.redaction", at: time)
    }

    func requests(_ device: FollowingDevice, since count: Int) -> [String] {
        Array(device.device.server.requests.dropFirst(count))
    }
}
