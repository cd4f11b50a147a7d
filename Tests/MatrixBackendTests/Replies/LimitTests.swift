import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// The limits of what a homeserver may send.
@Suite struct MatrixLimitTests {
    private let device = Device()
    private let room = ChannelURL("!room:example.org")

    private func connect() async throws {
        try await device.connect()
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
    }

    private func feed(_ reply: String) async throws -> FeedBatch {
        try await connect()
        device.server.replace("GET sync", reply)
        return try await device.backend.feed(since: "s1")
    }

    @Test func eventWithALongIDIsSkipped() async throws {
        let long = "$" + String(repeating: "x", count: 255)
        let batch = try await feed(
            PreparedReplies.sync(
                "s2", PreparedReplies.message(long, "long", at: 1),
                PreparedReplies.message(String(long.dropLast()), "short", at: 2)))
        let texts = batch.events.compactMap { event -> String? in
            if case .messageReceived(let message) = event { message.text } else { nil }
        }
        #expect(texts == ["short"])
    }

    @Test func textThatIsLongerThanAnEventIsOmitted() async throws {
        let texts = [65_536, 65_537].map { String(repeating: "x", count: $0) }
        let batch = try await feed(
            PreparedReplies.sync(
                "s2", PreparedReplies.message("$a", texts[0], at: 1),
                PreparedReplies.message("$b", texts[1], at: 2)))
        let counts = batch.events.compactMap { event -> Int? in
            if case .messageReceived(let message) = event { message.text.count } else { nil }
        }
        #expect(counts == [65_536, 0])
    }

    /// Servers of members can send receipts of any size, which stay in the room.
    @Test func receiptsThatAreTooLongDoNotStopTheFeed() async throws {
        try await connect()
        let sent = device.server.parameters("filter").count
        device.server.replace("GET sync", "too long")
        for _ in 0..<2 { device.server.reply("GET sync", "too long") }
        device.server.reply(
            "GET sync", PreparedReplies.sync("s2", PreparedReplies.message("$m", "hello", at: 1)))
        let batch = try await device.backend.feed(since: "s1")
        #expect(
            batch.events.contains { event in
                if case .messageReceived = event { true } else { false }
            })
        let filters = device.server.parameters("filter").dropFirst(sent)
        let empty = #""ephemeral":{"types":[]}"#
        #expect(filters.map { $0.contains(empty) } == [false, false, false, true])
    }

    @Test func longCursorIsNotAccepted() async throws {
        let error = await #expect(throws: BackendError.self) {
            try await feed(#"{"next_batch": "\#(String(repeating: "s", count: 4097))"}"#)
        }
        #expect(error?.code == .unanswered && error?.detail == .malformedData)
    }

    @Test func pageWithTooManyEventsIsNotAccepted() async throws {
        try await connect()
        let events = (0...1000).map { PreparedReplies.message("$\($0)", "x", at: $0) }
        device.server.reply(
            "GET rooms/!room:example.org/messages",
            #"{"chunk": [\#(events.joined(separator: ","))]}"#)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.messages(in: room, at: .newest, older: 9, newer: 0)
        }
        #expect(error?.code == .unanswered)
    }

    @Test func channelHasAtMostAThousandMembers() async throws {
        let members = (0..<2000).map { number in
            """
            {"type": "m.room.member", "state_key": "@u\(number):example.org", "event_id": "$u\(number)",
             "sender": "@u\(number):example.org", "origin_server_ts": 1001,
             "content": {"membership": "join"}}
            """
        }
        let batch = try await feed(PreparedReplies.sync("s2", events: members))
        var channel = GroupChannel()
        for case .channel(let update) in batch.events { update.patch.apply(to: &channel) }
        #expect(channel.members.count == 1000)
    }

    /// In another encoding, the values could not be counted.
    @Test func replyThatIsNotInUTF8IsNotDecoded() async throws {
        let reply = String(#"{"next_batch": "s2"}"#.flatMap { [$0, "\0"] })
        let error = await #expect(throws: BackendError.self) { try await feed(reply) }
        #expect(error?.code == .unanswered && error?.detail == .malformedData)
    }

    @Test func elementsThatAreNoEventsAreSkipped() async throws {
        let batch = try await feed(
            PreparedReplies.sync(
                "s2", events: ["0", "[]", PreparedReplies.message("$a", "x", at: 1), "null"]))
        let count = batch.events.count { if case .messageReceived = $0 { true } else { false } }
        #expect(count == 1)
    }

    @Test(arguments: ["a/b\r\nX: y", "a/b\nX: y", "a/b\u{0}", "a/b\u{85}"])
    func mediaTypeWithControlCharactersIsNotSent(type: String) async throws {
        try await connect()
        device.server.reply("POST upload", #"{"content_uri": "mxc://example.org/abc"}"#)
        let before = device.server.requests
        var file = UploadableFile()
        (file.name, file.mimeType) = ("x\r\nY: z", type)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.upload(
                file, from: UploadSource(Data("x".utf8)), requestID: "1", progress: { _ in })
        }
        #expect(error?.code == .refused && error?.detail == .invalidParameter)
        #expect(device.server.requests == before)
    }

    @Test func longIDsOfUsersAreOmitted() async throws {
        let long = "@" + String(repeating: "x", count: 255)
        let reply = """
            {"next_batch": "s2", "rooms": {"join": {"!room:example.org": {"ephemeral": {"events": [
                {"type": "m.typing", "content": {"user_ids": ["\(long)", "@bob:example.org"]}},
                {"type": "m.receipt", "content": {"$0": {"m.read": {
                    "\(long)": {"ts": 1}, "@bob:example.org": {"ts": 2}}}}}]}}}}}
            """
        let batch = try await feed(reply)
        var (typing, readers): ([UserID], [UserID]) = ([], [])
        for event in batch.events {
            switch event {
            case .typing(let users, _): typing += users.map(\.userID)
            case .read(let user, _, _): readers.append(user)
            default: break
            }
        }
        #expect(typing == ["@bob:example.org"])
        #expect(readers.allSatisfy { $0 == "@bob:example.org" })
    }
}
