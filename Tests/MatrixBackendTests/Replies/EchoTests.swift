import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests that calls wait for the long poll of the feed instead of requesting what they have sent.
@Suite struct MatrixEchoTests {
    private let room = ChannelURL("!room:example.org")
    private let path = "GET rooms/!room:example.org"
    private let me = "@alice:example.org"

    /// A device whose feed waits for events.
    private func followingDevice(
        pause: @escaping @Sendable (Duration) async -> Void
    ) async throws -> (Device, Task<FeedBatch, any Error>) {
        let device = Device(longPoll: .seconds(30), pause: pause)
        try await device.connect()
        device.prepareRoom()
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        let cursor = try await device.backend.feed(since: nil).cursor
        device.server.hold("GET sync")
        let feed = Task { try await device.backend.feed(since: cursor) }
        await device.server.arrival(of: "GET sync")
        return (device, feed)
    }

    private static let never: @Sendable (Duration) async -> Void = { _ in
        let (stream, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
    }

    private func event(
        _ id: String, _ content: String, type: String = "m.room.message", at time: Int = 2000
    ) -> String {
        """
        {"type": "\(type)", "event_id": "\(id)", "sender": "\(me)", "origin_server_ts": \(time),
         "content": \(content)}
        """
    }

    private func text(_ text: String) -> String { #"{"msgtype": "m.text", "body": "\#(text)"}"# }

    /// The paths of the requests after the first `count`, without those of the feed.
    private func requests(_ device: Device, since count: Int) -> [String] {
        device.server.requests.dropFirst(count).filter { $0 != "GET sync" }
    }

    private func item() -> OutboxItem {
        var item = OutboxItem(
            Message(NewMessage("hi"), in: room, by: nil, at: 2000), requestID: "r1")
        item.attempts = 1
        return item
    }

    @Test func sentMessageIsTheOneThatTheFeedReports() async throws {
        let (device, feed) = try await followingDevice(pause: Self.never)
        let send = "PUT rooms/!room:example.org/send/m.room.message/r1"
        device.server.reply("\(path)/state/m.room.encryption/", "{}", status: 404)
        device.server.hold(send)
        let count = device.server.requests.count
        let sent = Task { try await device.backend.send(item()) }
        await device.server.arrival(of: send)
        // The feed may be first.
        device.server.release(
            "GET sync", PreparedReplies.sync("s2", event("$n", text("hi"), at: 3000)))
        _ = try await feed.value
        device.server.release(send, #"{"event_id": "$n"}"#)
        let message = try await sent.value
        #expect(message.messageID == "$n" && message.createdAt == 3000)
        #expect(requests(device, since: count).filter { $0.contains("event/") } == [])
    }

    @Test func changesOfOlderMessagesNeedTwoOrThreeRequests() async throws {
        let old = event("$m", text("old"))
        let target = #""m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "+1"}"#
        let reaction = event("$e", "{\(target)}", type: "m.reaction", at: 3000)
        let edit = event(
            "$e",
            """
            {"msgtype": "m.text", "body": "* new",
             "m.new_content": {"msgtype": "m.text", "body": "new"},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}
            """, at: 3000)
        let redaction = event("$e", #"{"redacts": "$r"}"#, type: "m.room.redaction", at: 3000)
        let cases = [
            ("update", "send/m.room.message/r1", edit), ("add", "send/m.reaction/r1", reaction),
            ("remove", "redact/$r/r1", redaction),
        ]
        for (step, put, echo) in cases {
            let (device, feed) = try await followingDevice(pause: Self.never)
            device.server.reply("\(path)/event/$m", old)
            device.server.reply(
                "\(path)/relations/$m/m.annotation/m.reaction",
                #"{"chunk": [\#(reaction.replacing("$e", with: "$r"))]}"#)
            device.server.reply("\(path)/state/m.room.encryption/", "{}", status: 404)
            device.server.reply("\(path)/messages", #"{"chunk": []}"#)
            let send = "PUT rooms/!room:example.org/\(put)"
            device.server.hold(send)
            let count = device.server.requests.count
            let done = Task {
                switch step {
                case "update":
                    let message = try await device.backend.update(
                        "$m", in: room, with: .text("new"), requestID: "r1", epoch: nil)
                    #expect(message.text == "new" && message.updatedAt == 3000)
                default:
                    let change = try await device.backend.react(
                        step == "add" ? .add : .delete, with: "+1", to: "$m", in: room,
                        requestID: "r1", epoch: nil)
                    #expect(change.updatedAt == 3000)
                }
            }
            await device.server.arrival(of: send)
            let mine = requests(device, since: count)
            #expect(mine.count == (step == "update" ? 3 : 2), "\(step): \(mine)")
            device.server.release(send, #"{"event_id": "$e"}"#)
            device.server.release("GET sync", PreparedReplies.sync("s2", echo))
            try await done.value
            _ = try await feed.value
        }
    }

    @Test func callRequestsTheMessageIfTheFeedDoesNotReportItInTime() async throws {
        let (device, feed) = try await followingDevice(pause: { _ in })
        device.server.reply("\(path)/state/m.room.encryption/", "{}", status: 404)
        device.server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$n"}"#)
        device.server.reply("\(path)/event/$n", event("$n", text("hi"), at: 3000))
        let message = try await device.backend.send(item())
        #expect(message.createdAt == 3000)
        #expect(device.server.requests.last == "\(path)/event/$n")
        device.server.release("GET sync", #"{"next_batch": "s2"}"#)
        _ = try await feed.value
    }

    @Test func canceledCallDoesNotWaitForTheFeed() async throws {
        let (device, feed) = try await followingDevice(pause: Self.never)
        device.server.reply("\(path)/state/m.room.encryption/", "{}", status: 404)
        device.server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$n"}"#)
        let sent = Task { try await device.backend.send(item()) }
        sent.cancel()
        await #expect(throws: BackendError.self) { try await sent.value }
        device.server.release("GET sync", #"{"next_batch": "s2"}"#)
        _ = try await feed.value
    }
}
