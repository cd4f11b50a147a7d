import MatrixBackend
import Models
import Sync
import Testing

/// Tests that nothing is sent to encrypted rooms, with replies in the form of those of Synapse.
@Suite struct MatrixEncryptionTests {
    private let room = ChannelURL("!room:example.org")
    private let encryption = """
        {"type": "m.room.encryption", "state_key": "", "event_id": "$c",
         "sender": "@bob:example.org", "origin_server_ts": 1500,
         "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
        """

    /// Returns Alice's device after the first `/sync`.
    private func device() async throws -> (Device, FeedCursor) {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        device.server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$m"}"#)
        device.server.reply(
            "GET rooms/!room:example.org/event/$m", PreparedReplies.message("$m", "hi", at: 2000))
        return (device, try await device.backend.feed(since: nil).cursor)
    }

    private var item: OutboxItem {
        let message = Message(NewMessage("hi"), in: room, by: nil, at: 2000)
        var item = OutboxItem(message, requestID: "r1")
        item.attempts = 1
        return item
    }

    private func puts(_ device: Device) -> [String] {
        device.server.requests.filter { $0.hasPrefix("PUT") }
    }

    @Test func messagesAndEditsAreRefusedAfterTheRoomWasEncrypted() async throws {
        let (device, cursor) = try await device()
        _ = try await device.backend.send(item)
        #expect(puts(device).count == 1)
        device.server.replace("GET sync", PreparedReplies.sync("s2", encryption))
        _ = try await device.backend.feed(since: cursor)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.send(item)
        }
        #expect(error?.code == .refused && error?.detail == .sendNotAllowed)
        #expect(error?.message.contains("encrypted") == true)
        var params = UserMessageUpdateParams()
        params.text = "new"
        let edit = await #expect(throws: BackendError.self) {
            try await device.backend.update("$m", in: room, with: .text(params), requestID: "r2")
        }
        #expect(edit?.code == .refused)
        #expect(puts(device).count == 1)
    }

    /// Expects that a call sends nothing if the feed reports the encryption during its request.
    private func expectRefusal(
        _ device: Device, _ cursor: FeedCursor, during request: String, answered json: String,
        status: Int = 200, of call: @escaping @Sendable () async throws -> Message
    ) async throws {
        device.server.hold(request)
        let message = Task { try await call() }
        await device.server.arrival(of: request)
        device.server.replace("GET sync", PreparedReplies.sync("s2", encryption))
        _ = try await device.backend.feed(since: cursor)
        device.server.release(request, json, status: status)
        let error = await #expect(throws: BackendError.self) { try await message.value }
        #expect(error?.detail == .sendNotAllowed)
        #expect(puts(device) == [])
    }

    @Test func replyIsRefusedIfTheRoomWasEncryptedMeanwhile() async throws {
        let (device, cursor) = try await device()
        var new = NewMessage("hi")
        new.parentMessageID = "$root"
        var item = OutboxItem(Message(new, in: room, by: nil, at: 2000), requestID: "r1")
        item.attempts = 1
        try await expectRefusal(
            device, cursor, during: "GET rooms/!room:example.org/event/$root",
            answered: PreparedReplies.message("$root", "root", at: 1000)
        ) { [item] in try await device.backend.send(item) }
    }

    /// The answer is older than the feed's batch.
    @Test func messageIsRefusedIfTheRoomWasEncryptedDuringTheCheck() async throws {
        let (device, cursor) = try await device()
        try await device.connect()
        try await expectRefusal(
            device, cursor, during: "GET rooms/!room:example.org/state/m.room.encryption",
            answered: #"{"errcode": "M_NOT_FOUND"}"#, status: 404
        ) { [item] in try await device.backend.send(item) }
    }

    @Test func editIsRefusedIfTheRoomWasEncryptedMeanwhile() async throws {
        let (device, cursor) = try await device()
        var params = UserMessageUpdateParams()
        params.text = "new"
        let old = PreparedReplies.message("$old", "old", at: 1000)
        try await expectRefusal(
            device, cursor, during: "GET rooms/!room:example.org/event/$old",
            answered: old.replacing("@bob:example.org", with: "@alice:example.org")
        ) { [params, room] in
            try await device.backend.update(
                "$old", in: room, with: .text(params), requestID: "r2")
        }
    }

    /// Another server invites Alice to a room that she has joined, with a state that it invents.
    ///
    /// Her own server then reports messages of the room without its state.
    @Test(arguments: ["", #", "type": "m.space""#])
    func invitationToAJoinedRoomHidesNeitherItsEncryptionNorItsMessages(type: String) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"invite": {"!room:example.org": {"invite_state": {"events": [
             {"type": "m.room.create", "state_key": "", "sender": "@eve:evil.org",
              "content": {"creator": "@eve:evil.org"\(type)}},
             {"type": "m.room.member", "state_key": "@alice:example.org", "sender": "@eve:evil.org",
              "content": {"membership": "invite"}}]}}}}}
            """)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        let cursor = try await device.backend.feed(since: nil).cursor
        device.server.reply("GET rooms/!room:example.org/state", "[\(encryption)]")
        device.server.reply(
            "GET rooms/!room:example.org/state/m.room.encryption",
            #"{"algorithm": "m.megolm.v1.aes-sha2"}"#)
        device.server.replace(
            "GET sync", PreparedReplies.sync("s2", PreparedReplies.message("$n", "x", at: 3000)))
        let batch = try await device.backend.feed(since: cursor)
        var channel = GroupChannel()
        for case .channel(let update) in batch.events { update.patch.apply(to: &channel) }
        #expect(device.backend.sendingRefusal(in: channel) != nil)
        #expect(batch.events.contains { if case .truncation = $0 { true } else { false } })
        #expect(batch.events.contains { if case .messageReceived = $0 { true } else { false } })
        await #expect(throws: BackendError.self) { try await device.backend.send(item) }
        #expect(puts(device).isEmpty)
    }

    /// The feed may be late, or fail.
    @Test func eachMessageAndEditAsksForTheEncryption() async throws {
        let (device, _) = try await device()
        device.server.reply(
            "GET rooms/!room:example.org/event/$old",
            PreparedReplies.message("$old", "old", at: 1000)
                .replacing("@bob:example.org", with: "@alice:example.org"))
        _ = try await device.backend.send(item)
        #expect(puts(device).count == 1)
        device.server.reply(
            "GET rooms/!room:example.org/state/m.room.encryption",
            #"{"algorithm": "m.megolm.v1.aes-sha2"}"#)
        let send = await #expect(throws: BackendError.self) {
            try await device.backend.send(item)
        }
        let edit = await #expect(throws: BackendError.self) {
            try await device.backend.update(
                "$old", in: room, with: .text("new"), requestID: "r2", epoch: nil)
        }
        #expect(send?.detail == .sendNotAllowed && edit?.detail == .sendNotAllowed)
        #expect(puts(device).count == 1)
    }

    @Test func pauseOfOtherRequestsDoesNotDelaySends() async throws {
        let (device, cursor) = try await device()
        device.server.replace(
            "GET sync", #"{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 60000}"#, status: 429)
        await #expect(throws: BackendError.self) { try await device.backend.feed(since: cursor) }
        // The request for the sent message waits.
        _ = try? await device.backend.send(item)
        #expect(puts(device).count == 1)
    }

    /// A moderator can add events, so that the one of the encryption is not read.
    @Test func encryptionIsRequestedIfTheStateHasTooManyEvents() async throws {
        let device = Device()
        try await device.connect()
        let state = (0..<100_000).map { #"{"type":"x","sender":"@e:e","state_key":"\#($0)"}"# }
        device.server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"join": {"!room:example.org":
             {"state": {"events": [\(state.joined(separator: ",")),\(encryption)]}}}}}
            """)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        let cursor = try await device.backend.feed(since: nil).cursor
        device.server.replace("GET sync", #"{"next_batch": "s1"}"#)
        _ = try await device.backend.feed(since: cursor)
        device.server.reply(
            "GET rooms/!room:example.org/state/m.room.encryption",
            #"{"algorithm": "m.megolm.v1.aes-sha2"}"#)
        await #expect(throws: BackendError.self) { try await device.backend.send(item) }
        #expect(puts(device).isEmpty)
    }

    @Test func channelOfAnEncryptedRoomRefusesMessages() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {
                "state": {"events": [\(encryption)]}}}}}
            """)
        let channel = try await device.backend.channel(room)
        #expect(channel.metadata["encryption"] == "m.megolm.v1.aes-sha2")
        #expect(device.backend.sendingRefusal(in: channel)?.code == .refused)
        #expect(device.backend.sendingRefusal(in: GroupChannel(url: room, createdAt: 0)) == nil)
    }
}
