import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests events and receipts in the form in which other clients send them, with prepared replies of
/// Synapse.
@Suite struct MatrixClientEventTests {
    private let room = ChannelURL("!room:example.org")
    private let path = "GET rooms/!room:example.org"

    /// Returns the JSON of an event of Bob.
    private func event(
        _ id: String, _ content: String, type: String = "m.room.message", at time: Int = 2000,
        unsigned: String = "{}", by sender: String = "@bob:example.org"
    ) -> String {
        """
        {"type": "\(type)", "event_id": "\(id)", "sender": "\(sender)",
         "origin_server_ts": \(time), "content": \(content), "unsigned": \(unsigned)}
        """
    }

    private func text(_ text: String, relation: String? = nil) -> String {
        let relation = relation.map { #", "m.relates_to": \#($0)"# } ?? ""
        return #"{"msgtype": "m.text", "body": "\#(text)"\#(relation)}"#
    }

    private func edit(_ id: String, of target: String, _ text: String, at time: Int) -> String {
        event(
            id,
            """
            {"msgtype": "m.text", "body": "* \(text)",
             "m.new_content": {"msgtype": "m.text", "body": "\(text)"},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "\(target)"}}
            """, at: time)
    }

    private func redaction(_ id: String, of target: String, at time: Int) -> String {
        event(id, #"{"redacts": "\#(target)"}"#, type: "m.room.redaction", at: time)
    }

    /// Alice's device, whose feed has reported the first `/sync`.
    private struct FollowingDevice {
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

    private func requests(_ device: FollowingDevice, since count: Int) -> [String] {
        Array(device.device.server.requests.dropFirst(count))
    }

    // MARK: Edits

    @Test func redactedEditRestoresTheTextBefore() async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.feed(event("$m", text("old")), edit("$e", of: "$m", "new", at: 3000))
        alice.device.server.reply("\(path)/event/$m", event("$m", text("old")))
        alice.device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(event("$m", text("old")))]}"#)
        let events = try await alice.feed(redaction("$d", of: "$e", at: 4000))
        #expect(events.contains(.messageChanged("$m", in: room)))
        let updated = events.compactMap { event -> Message? in
            if case .messageUpdated(let message) = event { message } else { nil }
        }
        #expect(updated.map(\.text) == ["old"] && updated.first?.updatedAt == nil)
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.lastMessage?.text == "old")
    }

    /// After a restart, the process does not know what a deleted event was, and the server has
    /// removed the relation from it.
    @Test func deletionOfAnUnknownEventIsReportedWithItsTime() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "\(path)/event/$e",
            event("$e", "{}", at: 3000, unsigned: #"{"redacted_because": {}}"#))
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        let events = try await alice.feed(redaction("$d", of: "$e", at: 4000))
        #expect(
            events.contains(
                .messageOrEditDeleted("$e", in: room, createdAt: 3000, at: 4000)))
    }

    /// If the changelog has expired, the engine fetches the cached messages again.
    @Test func changelogWithAnUnknownDeletionExpiresExceptSinceATime() async throws {
        let alice = try await FollowingDevice()
        let deletion = redaction("$d", of: "$e", at: 4000)
        alice.device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(deletion)], "end": "t2"}"#)
        alice.device.server.reply(
            "\(path)/event/$e",
            event("$e", "{}", at: 3000, unsigned: #"{"redacted_because": {}}"#))
        alice.device.server.reply("\(path)/timestamp_to_event", #"{"event_id": "$d"}"#)
        alice.device.server.reply(
            "\(path)/context/$d", #"{"event": \#(deletion), "end": "t1"}"#)
        let backend = alice.device.backend
        for point in [ChangelogPoint.feed("s1"), .token("t1")] {
            let error = await #expect(throws: BackendError.self) {
                try await backend.messageChanges(in: room, since: point, params: nil)
            }
            #expect(error?.code == .expired)
        }
        var point = ChangelogPoint.time(3500)
        for _ in 0..<2 {
            let page = try await backend.messageChanges(in: room, since: point, params: nil)
            #expect(page.deleted.map(\.messageID) == ["$e"])
            point = .token(try #require(page.next))
        }
    }

    @Test func editsNeedNoRequestWhileTheFeedReportsThem() async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.feed(event("$m", text("old")))
        let count = alice.device.server.requests.count
        let events = try await alice.feed(edit("$e", of: "$m", "new", at: 3000))
        #expect(requests(alice, since: count) == ["GET sync"])
        let updated = events.compactMap { event -> Message? in
            if case .messageUpdated(let message) = event { message } else { nil }
        }
        #expect(updated.map(\.text) == ["new"] && updated.first?.updatedAt == 3000)
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.lastMessage?.text == "new")
    }

    @Test func editOfAnotherUserChangesNothing() async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.feed(event("$m", text("old"), by: "@alice:example.org"))
        let events = try await alice.feed(edit("$e", of: "$m", "new", at: 3000))
        let updated = events.compactMap { event -> Message? in
            if case .messageUpdated(let message) = event { message } else { nil }
        }
        #expect(updated.map(\.text) == ["old"])
    }

    @Test func ownChangesOfAKnownMessageNeedTwoRequests() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        let own = "@alice:example.org"
        _ = try await alice.feed(
            event(
                "$m",
                """
                {"msgtype": "m.text", "body": "old", "format": "org.matrix.custom.html",
                 "formatted_body": "<b>old</b>", "org.example": 7}
                """, by: own))
        server.reply("\(path)/event/$m", event("$m", text("new"), by: own))
        for path in [
            "send/m.room.message/r1", "send/m.reaction/r2", "redact/$r/r3", "redact/$m/r4",
        ] {
            server.reply("PUT rooms/!room:example.org/\(path)", #"{"event_id": "$r"}"#)
        }
        server.reply(
            "\(path)/event/$r",
            event(
                "$r",
                """
                {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "+1"}}
                """, type: "m.reaction", by: own))
        var params = UserMessageUpdateParams()
        params.text = "new"
        let steps: [(String, Int)] = [("update", 2), ("add", 2), ("remove", 2), ("delete", 1)]
        for (step, expected) in steps {
            let count = server.requests.count
            switch step {
            case "update":
                _ = try await alice.device.backend.update(
                    "$m", in: room, with: .user(params), requestID: "r1")
                let content = server.bodies.last?["m.new_content"]
                #expect(content?["body"]?.string == "new" && content?["formatted_body"] == nil)
                #expect(content?["org.example"] == 7)
            case "delete":
                try await alice.device.backend.delete("$m", in: room, requestID: "r4")
            default:
                _ = try await alice.device.backend.react(
                    step == "add" ? .add : .delete, with: "+1", to: "$m", in: room,
                    requestID: step == "add" ? "r2" : "r3")
            }
            #expect(requests(alice, since: count).count == expected, "\(step)")
        }
    }

    // MARK: Threads and replies

    private func message(_ relation: String) async throws -> Message? {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/event/$root", event("$root", text("root"), at: 1500))
        return try await alice.feed(event("$m", text("hi", relation: relation)))
            .compactMap { event -> Message? in
                if case .messageReceived(let message) = event { message } else { nil }
            }.first
    }

    @Test func replyInsideAThreadBelongsToTheThread() async throws {
        let message = try await message(
            """
            {"rel_type": "m.thread", "event_id": "$root", "is_falling_back": false,
             "m.in_reply_to": {"event_id": "$other"}}
            """)
        #expect(message?.parentMessageID == "$root" && message?.isReplyToChannel == false)
        #expect(message?.metaArrays.first?.key == "m.in_reply_to")
        #expect(message?.metaArrays.first?.values == ["$other"])
    }

    @Test func fallbackOfAThreadIsNoAnswer() async throws {
        let message = try await message(
            """
            {"rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
             "m.in_reply_to": {"event_id": "$other"}}
            """)
        #expect(message?.parentMessageID == "$root" && message?.metaArrays == [])
    }

    @Test func pageOfAThreadHasAnswersToItsMessages() async throws {
        let alice = try await FollowingDevice()
        let answer = #"""
            {"rel_type": "m.thread", "event_id": "$root", "is_falling_back": false,
             "m.in_reply_to": {"event_id": "$a"}}
            """#
        let first = #"{"rel_type": "m.thread", "event_id": "$root", "is_falling_back": true}"#
        alice.device.server.reply(
            "\(path)/relations/$root/m.thread",
            """
            {"chunk": [\(event("$b", text("b", relation: answer), at: 2001)),
                       \(event("$a", text("a", relation: first)))]}
            """)
        let page = try await alice.device.backend.replies(
            to: "$root", in: room, at: .newest, older: 10, newer: 0)
        #expect(page.messages.map(\.text) == ["a", "b"])
    }

    /// Sends a reply, and returns its relation.
    private func relation(
        _ params: UserMessageCreateParams, prepare: (PreparedReplies) -> Void = { _ in }
    ) async throws -> JSONValue? {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$n"}"#)
        alice.device.server.reply("\(path)/event/$n", event("$n", text("reply")))
        prepare(alice.device.server)
        var item = OutboxItem(Message(params, in: room, by: nil, at: 2000), requestID: "r1")
        item.attempts = 1
        _ = try await alice.device.backend.send(item)
        return alice.device.server.bodies.last?["m.relates_to"]
    }

    private func reply(isReplyToChannel: Bool) -> UserMessageCreateParams {
        var params = UserMessageCreateParams("reply")
        params.parentMessageID = "$p"
        params.isReplyToChannel = isReplyToChannel
        return params
    }

    @Test func replyToTheChannelIsNoThread() async throws {
        let relation = try await relation(reply(isReplyToChannel: true))
        #expect(relation == ["m.in_reply_to": ["event_id": "$p"]])
    }

    @Test func replyIsAThreadWithAFallback() async throws {
        let relation = try await relation(reply(isReplyToChannel: false)) { server in
            server.reply("\(path)/event/$p", event("$p", text("parent")))
        }
        #expect(relation?["rel_type"] == "m.thread" && relation?["event_id"] == "$p")
        #expect(relation?["is_falling_back"] == true)
    }

    @Test func replyToAMessageOfAThreadAnswersItInTheThread() async throws {
        let relation = try await relation(reply(isReplyToChannel: false)) { server in
            server.reply(
                "\(path)/event/$p",
                event(
                    "$p",
                    text(
                        "parent",
                        relation: #"{"rel_type": "m.thread", "event_id": "$root"}"#)))
        }
        #expect(relation?["event_id"] == "$root" && relation?["is_falling_back"] == false)
        #expect(relation?["m.in_reply_to"]?["event_id"] == "$p")
    }

    /// A homeserver refuses threads that start with such a message.
    @Test func replyToAMessageWithAReferenceIsNoThread() async throws {
        let relation = try await relation(reply(isReplyToChannel: false)) { server in
            server.reply(
                "\(path)/event/$p",
                event(
                    "$p",
                    text(
                        "parent",
                        relation: #"{"rel_type": "m.reference", "event_id": "$x"}"#)))
        }
        #expect(relation == ["m.in_reply_to": ["event_id": "$p"]])
    }

    @Test func redactedReplyLeavesTheCountOfTheServer() async throws {
        let alice = try await FollowingDevice()
        let thread = #"{"rel_type": "m.thread", "event_id": "$root", "is_falling_back": true}"#
        alice.device.server.reply(
            "\(path)/event/$root",
            event(
                "$root", text("root"), at: 1500,
                unsigned: """
                    {"m.relations": {"m.thread": {"count": 1,
                     "latest_event": {"origin_server_ts": 2000}}}}
                    """))
        alice.device.server.reply("\(path)/event/$root", event("$root", text("root"), at: 1500))
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        let added = try await alice.feed(event("$m", text("hi", relation: thread)))
        let info = added.compactMap { event -> ThreadInfo? in
            if case .threadInfo(let update) = event { update.threadInfo } else { nil }
        }
        // A page of the history contains the same.
        #expect(info == [ThreadInfo(replyCount: 1, lastRepliedAt: 2000, updatedAt: 2000)])
        let removed = try await alice.feed(redaction("$d", of: "$m", at: 4000))
        #expect(removed.contains(.messageDeleted("$m", in: room, at: 4000)))
        #expect(removed.contains(.messageChanged("$root", in: room)))
        let roots = removed.compactMap { event -> Message? in
            if case .messageUpdated(let message) = event { message } else { nil }
        }
        #expect(roots.count == 1 && roots.first?.threadInfo == nil)
    }

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

    @Test func readingMovesTheReadMarker() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": [\#(event("$9", text("9")))]}"#)
        alice.device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        try await alice.device.backend.markAsRead(room)
        #expect(alice.device.server.bodies.last == ["m.fully_read": "$9", "m.read": "$9"])
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
        #expect(try await alice.device.backend.join("#general:example.org").url == room)
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
            PreparedReplies.sync(
                "s2",
                """
                {"type": "m.room.topic", "state_key": "", "event_id": "$t",
                 "sender": "@bob:example.org", "origin_server_ts": 1500,
                 "content": {"topic": "Food"}}
                """))
        #expect(try await alice.device.backend.channel(room).metadata["topic"] == "Food")
        for state in ["m.room.topic", "dev.scrollback"] {
            alice.device.server.reply(
                "PUT rooms/!room:example.org/state/\(state)", #"{"event_id": "$s"}"#)
        }
        alice.device.server.replace("GET sync", #"{"next_batch": "s3"}"#)
        var patch = Patch<GroupChannel>()
        patch.set(\.metadata, to: ["topic": "Drinks", "color": "red"])
        _ = try await alice.device.backend.updateChannel(room, with: patch)
        let bodies = alice.device.server.bodies
        #expect(bodies.contains(["topic": "Drinks"]))
        #expect(bodies.last?["dev.scrollback"]?["metadata"] == ["color": "red"])
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
            Message(FileMessageCreateParams(file), in: room, by: nil, at: 2000), requestID: "r1")
        item.attempts = 1
        _ = try await alice.device.backend.send(item)
        let body = alice.device.server.bodies.last
        #expect(body?["msgtype"] == "m.image" && body?["url"] == "mxc://example.org/b")
    }

    // MARK: Addresses

    @Test func addressWithoutAHomeserverIsRefused() async throws {
        let device = Device(.password("secret"))
        device.server.reply("POST login", "<html>", status: 404)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.connect(as: Credentials("@alice:example.org"))
        }
        #expect(error?.code == .refused)
    }
}
