import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests edits, reactions, threads and replies in the form in which other clients send them, with
/// prepared replies of Synapse.
@Suite struct MatrixClientEventTests: ClientEventSuite {
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

    /// The server had bundled the edit with its message, so the process has not seen the edit.
    @Test func messageWithADeletedBundledEditIsRequestedAgain() async throws {
        let alice = try await FollowingDevice()
        let bundled = """
            {"m.relations": {"m.replace": {"event_id": "$e", "origin_server_ts": 3000,
             "content": {"m.new_content": {"msgtype": "m.text", "body": "secret"},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}}}}
            """
        _ = try await alice.feed(event("$m", text("old"), unsigned: bundled))
        let server = alice.device.server
        server.reply(
            "\(path)/event/$e",
            event("$e", "{}", at: 3000, unsigned: #"{"redacted_because": {}}"#))
        server.reply("\(path)/event/$m", event("$m", text("old")))
        server.reply("\(path)/messages", #"{"chunk": [\#(event("$m", text("old")))]}"#)
        let events = try await alice.feed(
            redaction("$d", of: "$e", at: 4000),
            edit("$f", of: "$m", "false", at: 5000, by: "@eve:example.org"))
        let texts = events.compactMap { event -> String? in
            if case .messageUpdated(let message) = event { message.text } else { nil }
        }
        #expect(texts == ["old"])
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

    /// A deleted event no longer shows whether it was an edit.
    ///
    /// A page that was stored meanwhile may contain the edit.
    @Test func deletionInTheRangeOfAChangelogHasTheTimeOfTheDeletedEvent() async throws {
        let alice = try await FollowingDevice()
        let deleted = event("$e", "{}", at: 3000, unsigned: #"{"redacted_because": {}}"#)
        alice.device.server.reply(
            "\(path)/messages",
            #"{"chunk": [\#(deleted), \#(redaction("$d", of: "$e", at: 4000))], "end": "t2"}"#)
        let page = try await alice.device.backend.messageChanges(
            in: room, since: .feed("s1"), params: nil)
        #expect(page.deleted.map(\.messageID) == ["$e"])
        #expect(page.deleted.map(\.createdAt) == [3000])
        #expect(page.deleted.map(\.deletedAt) == [4000])
    }

    /// Another homeserver can send any number of reactions, which precede the user's own.
    @Test func removalOfAReactionThatIsNotFoundFails() async throws {
        let alice = try await FollowingDevice()
        let others = (0..<1_000).map { number in
            event(
                "$r\(number)",
                #"{"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "\#(number)"}}"#,
                type: "m.reaction", by: "@eve:example.org")
        }
        alice.device.server.reply(
            "\(path)/relations/$m/m.annotation/m.reaction",
            #"{"chunk": [\#(others.joined(separator: ","))], "next_batch": "next"}"#)
        let error = await #expect(throws: BackendError.self) {
            try await alice.device.backend.react(
                .delete, with: "own", to: "$m", in: room, requestID: "r", epoch: nil)
        }
        #expect(error?.code == .refused)
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

    /// After a start, the backend does not know the last messages of the rooms.
    @Test func deletionOfAnOlderMessageDoesNotRequestTheLastOne() async throws {
        let device = Device()
        let (server, backend) = (device.server, device.backend)
        try await device.connect()
        server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        server.reply("\(path)/event/$old", event("$old", text("old"), at: 2000))
        server.reply("PUT rooms/!room:example.org/redact/$old/r1", #"{"event_id": "$d"}"#)
        server.reply("\(path)/messages", #"{"chunk": []}"#)
        func feed(_ token: String, _ timeline: String...) async throws -> [String] {
            server.replace("GET sync", PreparedReplies.sync("s1", events: timeline))
            let count = server.requests.count
            _ = try await backend.feed(since: FeedCursor(token))
            return server.requests.dropFirst(count).filter { $0.hasSuffix("/messages") }
        }
        #expect(try await feed("s0", event("$new", text("new"), at: 3000)) == [])
        let count = server.requests.count
        try await backend.delete("$old", in: room, requestID: "r1", epoch: nil)
        #expect(server.requests.count - count == 2)
        #expect(try await feed("s1", redaction("$d", of: "$old", at: 4000)) == [])
        #expect(try await feed("s1", redaction("$e", of: "$new", at: 5000)) == ["\(path)/messages"])
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

    /// Synapse bundles such an edit with its message.
    @Test func editWithoutANewContentChangesNothing() async throws {
        let alice = try await FollowingDevice()
        let edit = #"{"rel_type": "m.replace", "event_id": "$m"}"#
        let wrong = event("$e", text("* new", relation: edit), at: 3000)
        let events = try await alice.feed(event("$m", text("old")), wrong)
        alice.device.server.reply(
            "\(path)/event/$m",
            event("$m", text("old"), unsigned: #"{"m.relations": {"m.replace": \#(wrong)}}"#))
        let found = try await alice.device.backend.lookup(["$m"], in: room).found
        let updated = events.compactMap { event -> Message? in
            if case .messageUpdated(let message) = event { message } else { nil }
        }
        #expect((found + updated).map(\.text) == ["old", "old"])
        #expect((found + updated).allSatisfy { $0.updatedAt == nil })
    }

    @Test func ownChangesOfAKnownMessageNeedFewRequests() async throws {
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
        for (path, id) in [
            ("send/m.room.message/r1", "$e"), ("send/m.reaction/r2", "$r"),
            ("redact/$r/r3", "$d"), ("redact/$m/r4", "$d"),
        ] {
            server.reply("PUT rooms/!room:example.org/\(path)", #"{"event_id": "\#(id)"}"#)
        }
        server.reply("\(path)/event/$d", redaction("$d", of: "$r", at: 4000))
        server.reply(
            "\(path)/event/$r",
            event(
                "$r",
                """
                {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "+1"}}
                """, type: "m.reaction", by: own))
        var params = UserMessageUpdateParams()
        params.text = "new"
        let steps: [(String, Int)] = [("update", 3), ("add", 2), ("remove", 2), ("delete", 1)]
        for (step, expected) in steps {
            let count = server.requests.count
            switch step {
            case "update":
                _ = try await alice.device.backend.update(
                    "$m", in: room, with: .text(params), requestID: "r1")
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

    /// A proxy may decode the slashes of an ID, and request the thread of another room.
    @Test func pageOfAThreadHasNoRepliesInAnotherThread() async throws {
        let alice = try await FollowingDevice()
        let reply = #"{"rel_type": "m.thread", "event_id": "$other", "is_falling_back": true}"#
        alice.device.server.reply(
            "\(path)/relations/$root/m.thread",
            #"{"chunk": [\#(event("$a", text("a", relation: reply)))]}"#)
        let page = try await alice.device.backend.replies(
            to: "$root", in: room, at: .newest, older: 10, newer: 0)
        #expect(page.messages == [])
    }

    /// Sends a reply, and returns its relation.
    private func relation(
        _ params: NewMessage, prepare: (PreparedReplies) -> Void = { _ in }
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

    private func reply(isReplyToChannel: Bool) -> NewMessage {
        var params = NewMessage("reply")
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

    /// Another homeserver may have let the thread start with a reply.
    @Test func replyToAMessageOfAnInvalidThreadIsNoThread() async throws {
        let thread = { (root: String) in #"{"rel_type": "m.thread", "event_id": "\#(root)"}"# }
        let relation = try await relation(reply(isReplyToChannel: false)) { server in
            let events = [("$p", "$root"), ("$root", "$other")]
            for (id, root) in events {
                server.reply("\(path)/event/\(id)", event(id, text("x", relation: thread(root))))
            }
            let send = "PUT rooms/!room:example.org/send/m.room.message/r1"
            server.replace(
                send,
                """
                {"errcode": "M_UNKNOWN",
                 "error": "Cannot start threads from an event with a relation"}
                """, status: 400)
            server.reply(send, #"{"event_id": "$n"}"#)
        }
        #expect(relation == ["m.in_reply_to": ["event_id": "$p"]])
    }

    /// Another homeserver may have let the thread start with an event of another room.
    @Test func replyToAMessageOfAThreadInAnotherRoomIsNoThread() async throws {
        let relation = try await relation(reply(isReplyToChannel: false)) { server in
            let thread = #"{"rel_type": "m.thread", "event_id": "$root"}"#
            server.reply("\(path)/event/$p", event("$p", text("x", relation: thread)))
            server.reply("\(path)/event/$root", #"{"errcode": "M_NOT_FOUND"}"#, status: 404)
            let send = "PUT rooms/!room:example.org/send/m.room.message/r1"
            server.replace(
                send,
                #"{"errcode": "M_UNKNOWN", "error": "Relations must be in the same room"}"#,
                status: 400)
            server.reply(send, #"{"event_id": "$n"}"#)
        }
        #expect(relation == ["m.in_reply_to": ["event_id": "$p"]])
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
}
