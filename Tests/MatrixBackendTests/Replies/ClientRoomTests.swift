import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests receipts, rooms and media in the form in which other clients send them, with prepared
/// replies of Synapse.
@Suite struct MatrixClientRoomTests: ClientEventSuite {
    // MARK: Read receipts

    private func receipts(_ content: String, timeline: String = "") -> String {
        """
        {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {
            "timeline": {"events": [\(timeline)]},
            "ephemeral": {"events": [{"type": "m.receipt", "content": \(content)}]}}}}}
        """
    }

    private func reads(_ events: [FeedEvent]) -> [FeedEvent] {
        events.filter { if case .read = $0 { true } else { false } }
    }

    @Test func receiptMarksTheMessagesUpToItsEvent() async throws {
        let alice = try await FollowingDevice()
        let three = (1...3).map { event("$\($0)", text("\($0)"), at: 2000 + $0) }
        let events = try await alice.feed(
            sync: receipts(
                #"{"$1": {"m.read": {"@bob:example.org": {"ts": 9000}}}}"#,
                timeline: three.joined(separator: ", ")))
        #expect(reads(events) == [.read(by: "@bob:example.org", in: room, at: 2001)])
        let channel = try await alice.device.backend.channel(room)
        #expect(channel.readReceipts == ["@bob:example.org": 2001])
        #expect(channel.members.allSatisfy { $0.readAt == nil })
    }

    /// The sender's server chooses the time of the event.
    @Test func receiptOfAMessageOfTheFutureReadsNoLaterMessages() async throws {
        let alice = try await FollowingDevice()
        let year2100 = 4_102_444_800_000
        let events = try await alice.feed(
            sync: receipts(
                #"{"$1": {"m.read": {"@alice:example.org": {"ts": 9000}}}}"#,
                timeline: event("$1", text("1"), at: year2100)))
        let latest = Timestamp(milliseconds: 9000).advanced(by: .seconds(300))
        #expect(reads(events) == [.read(by: "@alice:example.org", in: room, at: latest)])
    }

    @Test func eventOfAReceiptIsRequestedIfItIsUnknown() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/event/$old", event("$old", text("old"), at: 1600))
        let reply = receipts(#"{"$old": {"m.read": {"@bob:example.org": {"ts": 9000}}}}"#)
        #expect(
            reads(try await alice.feed(sync: reply))
                == [.read(by: "@bob:example.org", in: room, at: 1600)])
    }

    @Test func receiptOfAThreadDoesNotMarkTheRoom() async throws {
        let alice = try await FollowingDevice()
        let reply = receipts(
            """
            {"$1": {"m.read": {"@bob:example.org": {"ts": 9000, "thread_id": "$root"}}},
             "$2": {"m.read.private": {"@alice:example.org": {"ts": 9000, "thread_id": "main"}}}}
            """, timeline: event("$1", text("1"), at: 2001) + "," + event("$2", text("2"), at: 2002)
        )
        #expect(
            reads(try await alice.feed(sync: reply))
                == [.read(by: "@alice:example.org", in: room, at: 2002)])
    }

    /// The Kelvin sign and the letter K are equal as texts, and a decoder keeps one of two keys.
    @Test(arguments: ["\u{212A}", #"\u212a"#], [false, true])
    func receiptOfAnotherIDHidesNoReceipt(kelvin: String, isFirst: Bool) async throws {
        let alice = try await FollowingDevice()
        let all = [
            #""$K": {"m.read": {"@bob:example.org": {"ts": 9000}}}"#,
            #""$\#(kelvin)": {"m.read": {"@eve:example.org": {"ts": 9000}}}"#,
        ]
        let reply = receipts(
            "{\((isFirst ? all.reversed() : all).joined(separator: ", "))}",
            timeline: event("$K", text("1"), at: 2001))
        #expect(
            reads(try await alice.feed(sync: reply))
                == [.read(by: "@bob:example.org", in: room, at: 2001)])
    }

    @Test func readingMovesTheReadMarker() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": [\#(event("$9", text("9")))]}"#)
        alice.device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        try await alice.device.backend.perform(MarkAsRead(room))
        #expect(alice.device.server.bodies.last == ["m.fully_read": "$9", "m.read": "$9"])
    }

    /// In pages, a member can keep an event before all later ones.
    @Test func readingMovesTheReadMarkerToTheNewestMessageOfTheFeed() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        server.reply(
            "\(path)/messages", #"{"chunk": [\#(event("$x", "{}", type: "org.example.x"))]}"#)
        server.reply("POST rooms/!room:example.org/read_markers", "{}")
        _ = try await alice.feed(event("$9", text("9")))
        try await alice.device.backend.perform(MarkAsRead(room))
        // Events of other types may count as unread, too.
        #expect(server.bodies.suffix(2).map { $0["m.read"] } == ["$x", "$9"])
    }

    // MARK: Rooms

    @Test func directChatOfAnotherClientIsReported() async throws {
        let alice = try await FollowingDevice()
        let events = try await alice.feed(
            sync: """
                {"next_batch": "s1", "account_data": {"events": [{"type": "m.direct",
                 "content": {"@bob:example.org": ["!room:example.org"]}}]}}
                """)
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.isDistinct)
    }

    @Test func roomIsJoinedByItsAlias() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "POST join/#general:example.org", #"{"room_id": "!room:example.org"}"#)
        alice.device.server.replace("GET sync", #"{"next_batch": "s2"}"#)
        #expect(
            try await alice.device.backend.perform(JoinChannel("#general:example.org")).url == room)
    }

    @Test func historyOfAnInvitationIsNotRequested() async throws {
        let alice = Device()
        try await alice.connect()
        alice.server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"invite": {"!room:example.org": {
             "invite_state": {"events": [
              {"type": "m.room.name", "state_key": "", "sender": "@bob:example.org",
               "content": {"name": ""}},
              {"type": "m.room.member", "state_key": "@alice:example.org",
               "sender": "@bob:example.org",
               "content": {"membership": "invite", "reason": "Lunch?"}}]}}}}}
            """)
        let channel = try await alice.backend.channel(room)
        #expect(channel.metadata["invitation_reason"] == "Lunch?")
        let error = await #expect(throws: BackendError.self) {
            try await alice.backend.messages(in: room, at: .newest, older: 10, newer: 0)
        }
        #expect(error?.code == .refused && error?.detail == .notMember)
        #expect(!alice.server.requests.contains("\(path)/messages"))
    }

    @Test func topicIsMetadata() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.replace(
            "GET sync",
            PreparedReplies.sync("s2", topic("$t", #"{"topic": "Food"}"#)))
        #expect(try await alice.device.backend.channel(room).metadata["topic"] == "Food")
        for state in ["m.room.topic", "dev.scrollback"] {
            alice.device.server.reply(
                "PUT rooms/!room:example.org/state/\(state)", #"{"event_id": "$s"}"#)
        }
        alice.device.server.replace("GET sync", #"{"next_batch": "s3"}"#)
        var patch = Patch<GroupChannel>()
        patch.set(\.metadata, to: ["topic": "Drinks", "color": "red"])
        _ = try await alice.device.backend.perform(UpdateChannel(room, with: patch))
        let bodies = alice.device.server.bodies
        #expect(bodies.contains(["topic": "Drinks"]))
        #expect(bodies.last?["dev.scrollback"]?["metadata"] == ["color": "red"])
    }

    /// The reply with the list may have been cut.
    @Test func metadataThatTheListLacksStays() async throws {
        let alice = try await FollowingDevice()
        let path = "rooms/!room:example.org/state/dev.scrollback"
        func state(_ metadata: String) -> String {
            #"{"dev.scrollback": {"data": "d", "metadata": \#(metadata)}}"#
        }
        alice.device.server.replace(
            "GET sync",
            PreparedReplies.sync(
                "s2",
                stateEvent("dev.scrollback", "$t", state(#"{"color": "red", "size": "big"}"#))))
        _ = try await alice.device.backend.channel(room)
        alice.device.server.replace("GET sync", #"{"next_batch": "s3"}"#)
        alice.device.server.reply(
            "GET \(path)", state(#"{"color": "red", "size": "big", "hidden": "x"}"#))
        alice.device.server.reply("PUT \(path)", #"{"event_id": "$s"}"#)
        var patch = Patch<GroupChannel>()
        patch.set(\.metadata, to: ["color": "blue", "shape": "round"])
        _ = try await alice.device.backend.perform(UpdateChannel(room, with: patch))
        #expect(
            alice.device.server.bodies.last?["dev.scrollback"] == [
                "data": "d", "metadata": ["color": "blue", "shape": "round", "hidden": "x"],
            ])
    }

    /// Only messages are replaced by a new content.
    @Test func stateWithANewContentIsReadAsItIsWritten() async throws {
        let alice = try await FollowingDevice()
        let content = """
            {"m.relates_to": {"rel_type": "m.replace", "event_id": "$m"},
             "m.new_content": {"dev.scrollback": {"data": "other"}},
             "dev.scrollback": {"data": "d"}}
            """
        alice.device.server.replace(
            "GET sync", PreparedReplies.sync("s2", stateEvent("dev.scrollback", "$t", content)))
        #expect(try await alice.device.backend.channel(room).data == "d")
    }

    /// Another call has already received the return to the room.
    @Test func roomToWhichTheUserHasReturnedStays() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        server.replace("GET sync", #"{"next_batch": "s9"}"#)
        _ = try await alice.device.backend.channel(room)
        server.replace(
            "GET sync", #"{"next_batch": "s2", "rooms": {"leave": {"!room:example.org": {}}}}"#)
        server.reply("GET sync", #"{"next_batch": "s9"}"#)
        let events = try await alice.device.backend.feed(since: alice.cursor).events
        #expect(events == [.channelRemoved(room, ChannelRemoval(.unknown))])
        #expect(try await alice.device.backend.channel(room).name == "General")
    }

    private func topic(_ id: String, _ content: String) -> String {
        stateEvent("m.room.topic", id, content)
    }

    private func stateEvent(_ type: String, _ id: String, _ content: String) -> String {
        """
        {"type": "\(type)", "state_key": "", "event_id": "\(id)",
         "sender": "@bob:example.org", "origin_server_ts": 1500, "content": \(content)}
        """
    }

    @Test(arguments: ["", #", "m.relates_to": {"rel_type": "m.replace", "event_id": "$x"}"#])
    func redactedStateIsNoState(field: String) async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.feed(topic("$t", #"{"topic": "Food"\#(field)}"#))
        let after = topic("$t", "{}")
        alice.device.server.reply("\(path)/event/$t", after)
        alice.device.server.reply("\(path)/state/m.room.topic", after)
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        let events = try await alice.feed(redaction("$d", of: "$t", at: 4000))
        #expect(!alice.device.server.requests.contains("\(path)/state"))
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.name == "General" && channel.metadata["topic"] == nil)
        #expect(!events.contains(.messageDeleted("$t", in: room, at: 4000)))
    }

    @Test func redactedEarlierStateChangesNothing() async throws {
        let alice = try await FollowingDevice()
        let current = topic("$new", #"{"topic": "Food"}"#)
        _ = try await alice.feed(current)
        alice.device.server.reply("\(path)/event/$old", topic("$old", "{}"))
        alice.device.server.reply("\(path)/state/m.room.topic", current)
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        _ = try await alice.feed(redaction("$d", of: "$old", at: 4000))
        #expect(try await alice.device.backend.channel(room).metadata["topic"] == "Food")
    }

    /// Some servers return only the content of a part of the state.
    @Test func stateIsFetchedAgainFromAServerThatReturnsNoEvent() async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.feed(topic("$t", #"{"topic": "Food"}"#))
        let after = topic("$t", "{}")
        alice.device.server.reply("\(path)/event/$t", after)
        alice.device.server.reply("\(path)/state/m.room.topic", "{}")
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        alice.device.server.reply("\(path)/state", "[\(after)]")
        _ = try await alice.feed(redaction("$d", of: "$t", at: 4000))
        #expect(try await alice.device.backend.channel(room).metadata["topic"] == nil)
    }

    @Test func roomThatLosesItsNameIsNamedAfterItsMembers() async throws {
        let alice = try await FollowingDevice()
        let members = PreparedReplies.members.joined(separator: ", ")
        alice.device.server.reply("\(path)/state", "[\(members)]")
        let events = try await alice.feed(
            """
            {"type": "m.room.name", "state_key": "", "event_id": "$n",
             "sender": "@bob:example.org", "origin_server_ts": 1500, "content": {"name": ""}}
            """)
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.name == "Bob")
    }

    @Test func lastMessageIsReportedThoughAnotherCallHasReplacedTheDeletedOne() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        let root = event("$root", text("root"), at: 1500)
        let thread = #"{"rel_type": "m.thread", "event_id": "$root"}"#
        server.reply("\(path)/event/$root", root)
        server.reply("\(path)/messages", #"{"chunk": [\#(root)]}"#)
        _ = try await alice.feed(root, event("$m", text("last", relation: thread), at: 2000))
        server.hold("\(path)/event/$root")
        let deletion = redaction("$d", of: "$m", at: 4000)
        let feed = Task { try await alice.feed(deletion) }
        await server.arrival(of: "\(path)/event/$root")
        server.replace("GET sync", #"{"next_batch": "s2"}"#)
        #expect(try await alice.device.backend.channel(room).lastMessage?.text == "root")
        server.release("\(path)/event/$root", root)
        var channel = GroupChannel()
        for case .channel(let update) in try await feed.value { update.patch.apply(to: &channel) }
        #expect(channel.lastMessage?.text == "root")
    }

    // MARK: Media

    @Test func mediaKeepTheirProperties() async throws {
        let alice = try await FollowingDevice()
        let messages = try await alice.feed(
            event(
                "$1",
                """
                {"msgtype": "m.audio", "body": "voice.ogg", "url": "mxc://example.org/a",
                 "info": {"mimetype": "audio/ogg", "size": 7, "duration": 1500},
                 "org.matrix.msc3245.voice": {}}
                """),
            event(
                "$2",
                """
                {"msgtype": "m.image", "body": "cat.png", "url": "mxc://example.org/b",
                 "info": {"w": 640, "h": 480, "thumbnail_url": "mxc://example.org/t",
                          "thumbnail_info": {"w": 64, "h": 48}}}
                """),
            event(
                "$3",
                """
                {"msgtype": "m.file", "body": "secret.pdf",
                 "file": {"url": "mxc://example.org/c", "v": "v2", "key": {}, "iv": "",
                          "hashes": {}}}
                """),
            event(
                "$4",
                """
                {"msgtype": "m.text", "body": "bold", "format": "org.matrix.custom.html",
                 "formatted_body": "<b>bold</b>"}
                """)
        ).compactMap { event -> Message? in
            if case .messageReceived(let message) = event { message } else { nil }
        }
        try #require(messages.count == 4)
        #expect(messages[0].file?.data == #"{"duration":1500,"is_voice":true}"#)
        #expect(messages[1].file?.data == #"{"height":480,"width":640}"#)
        #expect(messages[1].file?.thumbnails.first?.width == 64)
        let encrypted = try #require(messages[2].file)
        #expect(encrypted.customType == "m.encrypted" && encrypted.url == "mxc://example.org/c")
        await #expect(throws: BackendError.self) {
            try await alice.device.backend.download(encrypted)
        }
        #expect(messages[3].metaArrays.first?.values == ["<b>bold</b>"])
    }

    @Test func typeOfAFileFollowsFromItsName() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("POST upload", #"{"content_uri": "mxc://example.org/abc"}"#)
        var file = UploadableFile()
        file.name = "x.PNG"
        let info = try await alice.device.backend.upload(
            file, from: UploadSource(Data()), requestID: "r1", progress: { _ in })
        #expect(info.mimeType == "image/png")
    }

    @Test func copyOfAFileIsSentWithoutAnUpload() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$n"}"#)
        alice.device.server.reply("\(path)/event/$n", event("$n", text("file")))
        var file = UploadableFile()
        file.url = "mxc://example.org/b"
        file.name = "cat.png"
        file.mimeType = "image/png"
        var item = OutboxItem(
            Message(NewMessage(files: [file]), in: room, by: nil, at: 2000), requestID: "r1")
        item.attempts = 1
        _ = try await alice.device.backend.send(item)
        let body = alice.device.server.bodies.last
        #expect(body?["msgtype"] == "m.image" && body?["url"] == "mxc://example.org/b")
    }

    // MARK: Addresses

    @Test(arguments: [404, 405, 501])
    func addressWithoutAHomeserverIsRefused(status: Int) async throws {
        let device = Device(.password("secret"))
        device.server.reply("POST login", "<html>", status: status)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.connect(as: Credentials("@alice:example.org"))
        }
        #expect(error?.code == .refused)
    }
}
