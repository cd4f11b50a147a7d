import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests events of a member or a homeserver that attacks the client.
@Suite(.timeLimit(.minutes(10))) struct MatrixHostileEventTests: ClientEventSuite {
    // MARK: Members

    private func deletions(_ events: [FeedEvent]) -> [MessageID] {
        events.compactMap { event in
            switch event {
            case .messageDeleted(let id, _, _), .messageOrEditDeleted(let id, _, _, _): id
            default: nil
            }
        }
    }

    /// Homeservers check who may redact a message only for events of the type `m.room.redaction`.
    @Test func onlyARedactionDeletesAMessage() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        _ = try await alice.feed(event("$m", text("hello")))
        let member = """
            {"type": "m.room.member", "event_id": "$b", "sender": "@eve:example.org",
             "state_key": "@eve:example.org", "origin_server_ts": 3000,
             "content": {"membership": "join", "redacts": "$m"}}
            """
        let redacts = #"{"redacts": "$m"}"#
        for forged in [
            event("$a", redacts, type: "m.reaction", by: "@eve:example.org"), member,
            event("$c", #"{"msgtype": "m.text", "body": "x", "redacts": "$m"}"#),
            event("$d", redacts, type: "m.sticker"),
        ] {
            #expect(deletions(try await alice.feed(forged)) == [])
            alice.device.server.replace("\(path)/messages", #"{"chunk": [\#(forged)]}"#)
            let changes = try await alice.device.backend.messageChanges(
                in: room, since: .token("t"), params: nil)
            #expect(changes.deleted == [])
        }
        alice.device.server.replace("\(path)/messages", #"{"chunk": []}"#)
        #expect(deletions(try await alice.feed(redaction("$e", of: "$m", at: 4000))) == ["$m"])
    }

    /// In rooms of old versions, homeservers check only the outer field.
    @Test func redactionOfTwoEventsDeletesNone() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        _ = try await alice.feed(event("$m", text("hello")), event("$own", text("x")))
        let forged = """
            {"type": "m.room.redaction", "event_id": "$r", "sender": "@eve:example.org",
             "origin_server_ts": 3000, "redacts": "$own", "content": {"redacts": "$m"}}
            """
        #expect(deletions(try await alice.feed(forged)) == [])
        let both = forged.replacing(#"{"redacts": "$m"}"#, with: #"{"redacts": "$own"}"#)
        #expect(deletions(try await alice.feed(both)) == ["$own"])
    }

    /// Homeservers check only the outer content.
    @Test(arguments: [
        #"{"membership": "join", "displayname": "Eve", "msgtype": "m.text"}"#,
        """
        {"membership": "join", "displayname": "Eve", "m.new_content": {"membership": "leave"},
         "m.relates_to": {"rel_type": "m.replace", "event_id": "$v"}}
        """,
    ])
    func memberWithFieldsOfAMessageIsAMember(content: String) async throws {
        let alice = try await FollowingDevice()
        let events = try await alice.feed(
            """
            {"type": "m.room.member", "event_id": "$b", "sender": "@eve:example.org",
             "state_key": "@eve:example.org", "origin_server_ts": 3000, "content": \(content)}
            """)
        var channel = GroupChannel()
        var sources: [CollectionEventSource] = []
        for case .channel(let update) in events {
            update.patch.apply(to: &channel)
            sources += [update.source].compactMap(\.self)
        }
        #expect(channel.members.contains { $0.userID == "@eve:example.org" })
        #expect(sources.contains(.eventUserJoined))
    }

    /// Homeservers check only the outer content.
    @Test func newContentRedactsNothing() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        _ = try await alice.feed(event("$m", text("hello")), event("$own", text("x")))
        let forged = """
            {"type": "m.room.redaction", "event_id": "$r", "sender": "@eve:example.org",
             "origin_server_ts": 3000, "content": {"redacts": "$own",
             "m.new_content": {"redacts": "$m"},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "$own"}}}
            """
        #expect(deletions(try await alice.feed(forged)) == ["$own"])
    }

    /// The message is one of another member, who wrote it in a room that the attacker is in.
    @Test func editDoesNotMoveAMessageIntoAnotherRoom() async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.feed(event("$m", text("I agree")))
        let edit = edit("$e", of: "$m", "I disagree", at: 3000)
        let events = try await alice.feed(
            sync: PreparedReplies.sync("s1", edit).replacing("!room:", with: "!other:"))
        #expect(
            !events.contains { event in
                if case .messageUpdated = event { true } else { false }
            })
    }

    /// In rooms of old versions, 255 characters with more bytes are permitted.
    @Test func feedContinuesAfterAChangeOfAnEventThatCannotBeDecoded() async throws {
        let odd = event("$odd", "{}", type: String(repeating: "\u{E9}", count: 255))
        let reply = #"{"rel_type": "m.thread", "event_id": "$odd"}"#
        for change in [
            edit("$e", of: "$odd", "x", at: 3000), redaction("$r", of: "$odd", at: 3000),
            event("$t", text("x", relation: reply), at: 3000),
        ] {
            let alice = try await FollowingDevice()
            alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
            alice.device.server.reply("\(path)/event/$odd", odd)
            let events = try await alice.feed(change, event("$m", text("hello"), at: 4000))
            #expect(
                events.contains { event in
                    if case .messageReceived(let message) = event {
                        message.messageID == "$m"
                    } else {
                        false
                    }
                }, "\(change)")
        }
    }

    @Test func roomWhoseEventsCannotBeReadIsFetchedAgain() async throws {
        for change in [
            edit("$e", of: "$old", "x", at: 3000), redaction("$r", of: "$old", at: 3000),
            event("$t", text("x", relation: #"{"rel_type": "m.thread", "event_id": "$old"}"#)),
        ] {
            let alice = try await FollowingDevice()
            alice.device.server.reply("\(path)/event/$old", "{}", status: 500)
            for _ in 0..<2 {
                await #expect(throws: BackendError.self) { try await alice.feed(change) }
            }
            let events = try await alice.feed(change)
            #expect(events.contains(.truncation(in: room)))
            #expect(events.contains(.historyChanged(in: room, from: nil, through: nil)))
        }
    }

    /// In rooms of old versions, the sender's homeserver chooses the ID.
    @Test func messageThatNoRequestCanNameIsNotDeletedInSilence() async throws {
        let alice = try await FollowingDevice()
        let error = await #expect(throws: BackendError.self) {
            try await alice.device.backend.delete("$\u{1}", in: room, requestID: "r")
        }
        #expect(error?.code == .refused)
        // The event itself must not vanish: it could be the membership of a member.
        let member = """
            {"type": "m.room.member", "event_id": "$\\u0001", "sender": "@eve:example.org",
             "state_key": "@eve:example.org", "origin_server_ts": 3000,
             "content": {"membership": "join"}}
            """
        _ = try await alice.feed(member)
        let channel = try await alice.device.backend.channel(room)
        #expect(channel.members.contains { $0.userID == "@eve:example.org" })
    }

    @Test func eventsWithLongIDsAreNotRequested() async throws {
        let alice = try await FollowingDevice()
        let long = "$" + String(repeating: "x", count: 255)
        let count = alice.device.server.requests.count
        let reply = #"{"rel_type": "m.thread", "event_id": "\#(long)"}"#
        let edits = ["\(long)", "$\\u0000", "$\\r\\nX: y"].map {
            edit("$e\($0.count)", of: $0, "x", at: 3000)
        }
        _ = try await alice.feed(
            sync: PreparedReplies.sync(
                "s1",
                events: edits + [
                    redaction("$r", of: long, at: 3000),
                    event("$t", text("x", relation: reply), at: 3000),
                ]))
        let new = requests(alice, since: count)
        #expect(!new.contains { $0.contains("/event/") }, "\(new)")
    }

    /// Comparing long keys with many marks would take hours.
    @Test func longKeyIsNoReaction() async throws {
        let alice = try await FollowingDevice()
        for (count, isReaction) in [(127, true), (128, false)] {
            let key = "a" + String(repeating: "\u{301}", count: count)
            let content = """
                {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "\(key)"}}
                """
            let events = try await alice.feed(event("$q", content, type: "m.reaction"))
            #expect(
                events.contains { if case .reaction = $0 { true } else { false } } == isReaction)
        }
    }

    // MARK: Numbers

    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "9007199254740992", "-1", "1e99",
    ])
    func numbersOutsideOfTheRangeDoNotTrap(number: String) async throws {
        let device = Device()
        try await device.connect()
        let event = event(
            "$m",
            """
            {"msgtype": "m.video", "body": "x", "url": "mxc://example.org/a",
             "info": {"size": \(number), "w": \(number), "h": \(number), "duration": \(number),
              "thumbnail_url": "mxc://example.org/b", "thumbnail_info": {"w": \(number), "h": \(number)}}}
            """,
            unsigned: """
                {"m.relations": {"m.thread": {"count": \(number), "latest_event": {"origin_server_ts": \(number)}}}}
                """)
        let sync = """
            {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {
                "summary": {"m.joined_member_count": \(number), "m.invited_member_count": \(number),
                 "m.heroes": ["@bob:example.org"]},
                "state": {"events": [
                    {"type": "m.room.power_levels", "state_key": "", "event_id": "$p",
                     "sender": "@bob:example.org", "origin_server_ts": \(number),
                     "content": {"users": {"@bob:example.org": \(number)},
                      "users_default": \(number), "events_default": \(number)}}]},
                "timeline": {"events": [\(event.replacing("2000", with: number))]},
                "ephemeral": {"events": [{"type": "m.receipt", "content": {"$m": {"m.read": {
                    "@bob:example.org": {"ts": \(number)}}}}}]},
                "unread_notifications": {"notification_count": \(number), "highlight_count": \(number)}}}}}
            """
        device.server.reply("GET sync", sync)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        let first = try await device.backend.feed(since: nil)
        _ = try await device.backend.feed(since: first.cursor)
        let channel = try await device.backend.channel(room)
        #expect((0...1 << 54).contains(channel.memberCount))
    }

    // MARK: Numbers of values

    /// A homeserver may ignore the limit of the request.
    ///
    /// Looking up thousands of edited messages would take hours.
    @Test func longTimelineIsTruncated() async throws {
        let alice = try await FollowingDevice()
        let name = """
            {"type": "m.room.name", "state_key": "", "event_id": "$n", "sender": "@bob:example.org",
             "origin_server_ts": 2000, "content": {"name": "Renamed"}}
            """
        let messages = (0..<1500).map { event("$\($0)", text("\($0)"), at: 3000 + $0) }
        let events = try await alice.feed(
            sync: PreparedReplies.sync("s1", events: [name] + messages))
        #expect(events.contains(.truncation(in: room)))
        let texts = events.compactMap { event -> String? in
            if case .messageReceived(let message) = event { message.text } else { nil }
        }
        #expect(texts == (500..<1500).map(String.init))
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.name == "Renamed")
    }

    @Test func receiptForAnEventThatCannotBeReadDoesNotStopTheFeed() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/event/$long", "{")
        let receipts =
            #"{"$long": {"m.read": {"@eve:example.org": {"ts": 9000}}}}"#
        let events = try await alice.feed(
            sync: """
                {"next_batch": "s2", "rooms": {"join": {"!room:example.org": {
                 "timeline": {"events": [\(event("$m", text("hi")))]},
                 "ephemeral": {"events": [{"type": "m.receipt", "content": \(receipts)}]}}}}}
                """)
        #expect(events.contains { if case .messageReceived = $0 { true } else { false } })
    }

    /// A receipt may name an event that does not exist.
    @Test func receiptForAnEventThatIsNotAnsweredDelaysNothing() async throws {
        let device = Device()
        try await device.connect()
        let server = device.server
        let request = "\(path)/event/$r"
        server.reply(request, "{}", status: 504)
        server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {
             "state": {"events": [\(PreparedReplies.members.joined(separator: ","))]},
             "ephemeral": {"events": [{"type": "m.receipt", "content":
              {"$r": {"m.read": {"@bob:example.org": {"ts": 9000}}}}}]}}}}}
            """)
        server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        let cursor = try await device.backend.feed(since: nil).cursor
        server.replace("GET sync", #"{"next_batch": "s1"}"#)
        for _ in 0..<4 { _ = try await device.backend.channel(room) }
        #expect(server.requests.count { $0 == request } == 3)
        server.replace(request, event("$r", text("x"), at: 8000))
        let during = try await device.backend.feed(since: cursor).events
        #expect(during == [])
        device.clock.set(.seconds(301))
        let events = try await device.backend.feed(since: cursor).events
        #expect(events.contains(.read(by: "@bob:example.org", in: room, at: 8000)))
    }

    /// The sender's homeserver chooses the event of a receipt.
    @Test func receiptThatIsNotAnsweredHidesNoOther() async throws {
        let alice = try await FollowingDevice()
        _ = try await alice.device.backend.channel(room)
        let server = alice.device.server
        server.reply("\(path)/event/$r", "{}", status: 504)
        server.reply("\(path)/event/$old", event("$old", text("old"), at: 1500))
        func feed(_ receipts: String) async throws -> [FeedEvent] {
            try await alice.feed(
                sync: """
                    {"next_batch": "s2", "rooms": {"join": {"!room:example.org": {"ephemeral":
                     {"events": [{"type": "m.receipt", "content": \(receipts)}]}}}}}
                    """)
        }
        let first = try await feed(
            """
            {"$r": {"m.read": {"@eve:example.org": {"ts": 9000}}},
             "$old": {"m.read": {"@bob:example.org": {"ts": 9000}}}}
            """)
        #expect(first.contains(.read(by: "@bob:example.org", in: room, at: 1500)))
    }

    @Test func idWithASlashBehindAProxyFailsNoPage() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        let member = "\(path)/state/m.room.member/@a/b:evil.org"
        server.replyAsBehindAProxy(member)
        let message = event("$m", text("hi"), by: "@a/b:evil.org")
        server.reply("\(path)/messages", #"{"chunk": [\#(message)]}"#)
        let page = try await alice.device.backend.messages(
            in: room, at: .newest, older: 10, newer: 0)
        #expect(page.messages.map(\.sender?.userID) == ["@a/b:evil.org"])
        #expect(server.requests.contains(member), "\(server.requests)")
    }

    /// U+212A is canonically equivalent to K, so that the IDs are equal as `String` values.
    @Test func membershipOfAnEquivalentUserHidesNoMember() async throws {
        let device = Device()
        try await device.connect()
        let members =
            [("join", "@K:example.org"), ("leave", "@\u{212A}:example.org")].map {
                """
                {"type": "m.room.member", "state_key": "\($1)", "event_id": "$\($0)",
                 "sender": "@bob:example.org", "origin_server_ts": 1500,
                 "content": {"membership": "\($0)", "displayname": "\($0)"}}
                """
            } + PreparedReplies.members
        device.server.reply("GET sync", PreparedReplies.sync("s1", events: members))
        let channel = try await device.backend.channel(room)
        let names = channel.members.map { "\($0.userID) \($0.nickname)" }
        #expect(names.contains("@K:example.org join"), "\(names)")
    }

    @Test func manyReceiptsAndDirectRoomsTakeLinearTime() async throws {
        let alice = try await FollowingDevice()
        let receipts = (0..<50_000).map {
            #""$\#($0)": {"m.read": {"@u\#($0):example.org": {"ts": \#($0)}}}"#
        }
        let rooms = (0..<500).map { #""!r\#($0):example.org": {"timeline": {"events": []}}"# }
        let direct = (0..<100_000).map { #""!d\#($0):example.org""# }
        _ = try await alice.feed(
            sync: """
                {"next_batch": "s1",
                 "account_data": {"events": [{"type": "m.direct", "content": {
                    "@bob:example.org": [\(direct.joined(separator: ","))]}}]},
                 "rooms": {"join": {\(rooms.joined(separator: ",")),
                  "!room:example.org": {"ephemeral": {"events": [{"type": "m.receipt",
                    "content": {\(receipts.joined(separator: ","))}}]}}}}}
                """)
    }

    @Test func endlessPagesOfReactionsEnd() async throws {
        let alice = try await FollowingDevice()
        let path = "\(path)/relations/$m/m.annotation/m.reaction"
        alice.device.server.reply(path, #"{"chunk": [], "next_batch": "next"}"#)
        let found = try await alice.device.backend.reactions(of: ["$m"], in: room)
        #expect(found == [:])
        #expect(alice.device.server.requests.count { $0 == path } == 20)
    }
}
