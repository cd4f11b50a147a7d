import Foundation
import Models
import Sync
import Testing

@testable import MatrixBackend

/// Tests replies with events that would keep the rest of the reply from being read.
@Suite(.timeLimit(.minutes(10))) struct MatrixHostileReplyTests: ClientEventSuite {
    // MARK: A member

    /// Fifty messages of less than 64 KiB, each with an edit that the homeserver bundles.
    private func manyValues(_ count: Int = 50) -> [String] {
        let zeros = "[" + String(repeating: "0,", count: 22_000) + "0]"
        return (0..<count).map { number in
            event(
                "$big\(number)", #"{"msgtype": "m.text", "body": "x", "x": \#(zeros)}"#,
                at: 3000 + number,
                unsigned: """
                    {"m.relations": {"m.replace": {"type": "m.room.message", "event_id": "$e\(number)",
                     "sender": "@bob:example.org", "origin_server_ts": 4000, "content":
                     {"msgtype": "m.text", "body": "* y", "x": \(zeros),
                      "m.new_content": {"msgtype": "m.text", "body": "y"},
                      "m.relates_to": {"rel_type": "m.replace", "event_id": "$big\(number)"}}}}}
                    """, by: "@eve:example.org")
        }
    }

    private func deep(_ depth: Int) -> String {
        let nested =
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        return event(
            "$deep", #"{"msgtype": "m.text", "body": "x", "x": \#(nested)}"#, at: 3000,
            by: "@eve:example.org")
    }

    /// Returns the errors of reading the feed six times.
    private func failures(_ events: [String]) async throws -> [String] {
        let alice = try await FollowingDevice()
        // Another room has a new message, too.
        let other =
            #""!other:example.org": {"timeline": {"events": [\#(event("$m", text("hi")))]}}"#
        let sync = """
            {"next_batch": "s2", "rooms": {"join": {\(other), "!room:example.org": {"timeline": {
                "events": [\(events.joined(separator: ", "))], "limited": true}}}}}
            """
        var failures: [String] = []
        for _ in 0..<6 {
            do { _ = try await alice.feed(sync: sync) } catch {
                failures.append(String("\(error)".prefix(200)))
            }
        }
        return failures
    }

    @Test func manySmallValuesDoNotStopTheFeed() async throws {
        #expect(try await failures(manyValues()) == [])
    }

    @Test func deepValueDoesNotStopTheFeed() async throws {
        #expect(try await failures([deep(700)]) == [])
    }

    @Test func deepValueDoesNotStopThePages() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(event("$m", text("hi"))), \#(deep(700))]}"#)
        let page = try await alice.device.backend.messages(
            in: room, at: .newest, older: 20, newer: 0)
        #expect(page.messages.map(\.text).contains("hi"))
    }

    @Test func manySmallValuesDoNotStopThePages() async throws {
        let alice = try await FollowingDevice()
        let events = manyValues() + [event("$m", text("hi"))]
        alice.device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(events.joined(separator: ","))]}"#)
        let page = try await alice.device.backend.messages(
            in: room, at: .newest, older: 60, newer: 0)
        #expect(page.messages.map(\.text).contains("hi"))
    }

    @Test func deepValueDoesNotStopTheSearch() async throws {
        let alice = try await FollowingDevice()
        let results = [event("$m", text("hi")), deep(700)].map {
            #"{"result": \#($0.replacing(#"{"type""#, with: #"{"room_id": "!room:example.org", "type""#))}"#
        }
        alice.device.server.reply(
            "POST search",
            #"{"search_categories": {"room_events": {"results": [\#(results.joined(separator: ","))]}}}"#
        )
        let page = try await alice.device.backend.perform(
            SearchMessages(matching: MessageSearchParams("hi"), after: nil, limit: 20))
        #expect(page.elements.map(\.text).contains("hi"))
    }

    /// The edit would write back what is left of the content.
    @Test(arguments: [false, true])
    func cutContentIsRequestedBeforeAnEdit(isCut: Bool) async throws {
        let alice = try await FollowingDevice()
        let (server, backend) = (alice.device.server, alice.device.backend)
        let own = event(
            "$m", #"{"msgtype": "m.text", "body": "hi", "other": [1, 2]}"#,
            by: "@alice:example.org")
        let events = (isCut ? [deep(700)] : []) + [own]
        server.reply("\(path)/messages", #"{"chunk": [\#(events.joined(separator: ","))]}"#)
        server.reply("\(path)/event/$m", own)
        _ = try await backend.messages(in: room, at: .newest, older: 20, newer: 0)
        server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$e"}"#)
        var params = UserMessageUpdateParams()
        params.text = "new"
        let before = server.requests.count
        _ = try await backend.update(
            "$m", in: room, with: .text(params), requestID: "r1", epoch: nil)
        let requests = server.requests.dropFirst(before).prefix { !$0.hasPrefix("PUT") }
        #expect(requests.contains("\(path)/event/$m") == isCut)
        let content = server.bodies.last { $0["m.new_content"] != nil }?["m.new_content"]
        #expect(content?["other"] == [1, 2] && content?["body"] == "new")
    }

    @Test func contentThatCannotBeReadIsNotEdited() async throws {
        let alice = try await FollowingDevice()
        let (server, backend) = (alice.device.server, alice.device.backend)
        let deep = deep(700).replacing("@eve:", with: "@alice:")
        server.reply("\(path)/messages", #"{"chunk": [\#(deep)]}"#)
        server.reply("\(path)/event/$deep", deep)
        _ = try await backend.messages(in: room, at: .newest, older: 20, newer: 0)
        let error = await #expect(throws: BackendError.self) {
            try await backend.update(
                "$deep", in: room, with: .text(UserMessageUpdateParams()), requestID: "r1",
                epoch: nil)
        }
        #expect(error?.code == .refused)
        #expect(!server.requests.contains { $0.hasPrefix("PUT") })
    }

    /// U+212A is canonically equivalent to K, so that the IDs are equal as `String` values.
    @Test func redactionOfAnEquivalentIDRemovesNoReaction() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        let reaction = event(
            "$reactionK",
            #"{"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "x"}}"#,
            type: "m.reaction", by: "@carol:example.org")
        _ = try await alice.feed(event("$m", text("hi")), reaction)
        let redaction = """
            {"type": "m.room.redaction", "event_id": "$r", "sender": "@eve:example.org",
             "origin_server_ts": 3000, "redacts": "$reaction\u{212A}", "content": {}}
            """
        let events = try await alice.feed(redaction)
        #expect(
            !events.contains { if case .reaction = $0 { true } else { false } }, "\(events)")
    }

    /// The ID of a room of an old version has up to 255 characters, and more bytes.
    @Test func longIDOfAJoinedRoomDoesNotStopTheFeed() async throws {
        let alice = try await FollowingDevice()
        await alice.device.backend.disconnect()
        let long = "!" + String(repeating: "\u{E9}", count: 200) + ":evil.org"
        alice.device.server.replace(
            "GET joined_rooms", #"{"joined_rooms": ["!room:example.org", "\#(long)"]}"#)
        _ = try await alice.device.backend.connect(
            as: Credentials("@alice:example.org", accessToken: "token"))
        var failures: [String] = []
        for _ in 0..<6 {
            do { _ = try await alice.feed(event("$m", text("hi"))) } catch {
                failures.append(String("\(error)".prefix(200)))
            }
        }
        #expect(failures == [])
    }

    /// Returns the events of a batch, and the numbers of requests for the state and for the list.
    private func requestsOfFeed(
        _ alice: FollowingDevice, _ timeline: [String]
    ) async throws -> (events: [FeedEvent], state: Int, syncs: Int) {
        let before = alice.device.server.requests.count
        let events = try await alice.feed(sync: PreparedReplies.sync("s1", events: timeline))
        let requests = alice.device.server.requests.dropFirst(before)
        return (
            events, requests.count { $0.hasPrefix("\(path)/state") },
            requests.count { $0 == "GET sync" }
        )
    }

    /// Users may redact their own changes of their names.
    @Test func redactionsOfStateDoNotRepeatRequests() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/state", "[]")
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        var redactions: [String] = []
        for number in 0..<50 {
            alice.device.server.reply(
                "\(path)/event/$s\(number)",
                """
                {"type": "m.room.member", "event_id": "$s\(number)", "sender": "@eve:example.org",
                 "state_key": "@eve:example.org", "origin_server_ts": 2000, "content": {}}
                """)
            redactions.append(redaction("$r\(number)", of: "$s\(number)", at: 3000))
        }
        let (_, state, syncs) = try await requestsOfFeed(alice, redactions)
        #expect(state <= 2 && syncs <= 2, "\(state) requests for the state, \(syncs) for the list")
    }

    /// Each account may redact its own membership.
    @Test func redactionsOfManyMembershipsDoNotMultiplyRequests() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "\(path)/state",
            """
            [{"type": "m.room.name", "event_id": "$n", "sender": "@eve:example.org",
             "state_key": "", "origin_server_ts": 2000, "content": {"name": "Refetched"}}]
            """)
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        var redactions: [String] = []
        for number in 0..<50 {
            let user = "@eve\(number):example.org"
            let membership = """
                {"type": "m.room.member", "event_id": "$s\(number)", "sender": "\(user)",
                 "state_key": "\(user)", "origin_server_ts": 2000, "content": {}}
                """
            alice.device.server.reply("\(path)/event/$s\(number)", membership)
            alice.device.server.reply("\(path)/state/m.room.member/\(user)", membership)
            redactions.append(redaction("$r\(number)", of: "$s\(number)", at: 3000))
        }
        let (events, state, syncs) = try await requestsOfFeed(alice, redactions)
        #expect(state <= 5 && syncs <= 2, "\(state) requests for the state, \(syncs) for the list")
        let names = events.compactMap { event -> String? in
            guard case .channel(let update) = event else { return nil }
            var channel = GroupChannel()
            update.patch.apply(to: &channel)
            return channel.name
        }
        #expect(names.contains("Refetched"))
    }

    /// A path with such a part cannot be requested.
    @Test func redactedStateWithTheKeyOfAParentDirectoryDoesNotStopTheFeed() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        alice.device.server.reply(
            "\(path)/event/$s",
            """
            {"type": "org.example.x", "event_id": "$s", "sender": "@eve:example.org",
             "state_key": "..", "origin_server_ts": 2000, "content": {}}
            """)
        let events = try await alice.feed(
            redaction("$r", of: "$s", at: 3000), event("$m", text("hi")))
        let texts = events.compactMap { event -> String? in
            if case .messageReceived(let message) = event { message.text } else { nil }
        }
        #expect(texts == ["hi"])
    }

    // MARK: A homeserver

    /// A list of such events would use a hundred times its size in memory.
    @Test func eventsWithoutTypeOrSenderAreOmitted() async throws {
        let json = Data(#"[{"type": ""}, {"type": "a"}, {"type": "a", "sender": "@b:c"}]"#.utf8)
        let events = try JSONDecoder().decode([Lenient<RoomEvent>].self, from: json)
        #expect(events.compactMap(\.value).count == 1)
        #expect(MemoryLayout<RoomEvent>.stride < 512)
    }

    @Test(arguments: [(length: 1024, isKept: true), (length: 1025, isKept: false)])
    func longNameIsIgnored(length: Int, isKept: Bool) throws {
        let name = String(repeating: "x", count: length)
        let json = #"{"displayname": "\#(name)", "avatar_url": "\#(name)", "name": "\#(name)"}"#
        let content = try JSONDecoder().decode(EventContent.self, from: Data(json.utf8))
        let expected = isKept ? name : nil
        #expect(content.displayName == expected && content.avatarURL == expected)
        #expect(content.name == expected)
    }

    /// The message of an error also contains the ID of the room, which another homeserver chooses.
    @Test(arguments: [("M_FORBIDDEN", false), ("M_DUPLICATE_ANNOTATION", true)])
    func onlyTheCodeOfAnErrorTellsThatAReactionExists(code: String, exists: Bool) async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        let reaction = event(
            "$r",
            #"{"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "x"}}"#,
            type: "m.reaction", at: 2000, by: "@alice:example.org")
        server.reply("\(path)/event/$m", event("$m", text("hi")))
        server.reply("\(path)/event/$r", reaction)
        server.reply(
            "\(path)/relations/$m/m.annotation/m.reaction", #"{"chunk": [\#(reaction)]}"#)
        server.reply(
            "PUT rooms/!room:example.org/send/m.reaction/q",
            #"{"errcode": "\#(code)", "error": "M_DUPLICATE_ANNOTATION"}"#, status: 400)
        let accepted = try? await alice.device.backend.react(
            .add, with: "x", to: "$m", in: room, requestID: "q", epoch: nil)
        #expect(accepted?.updatedAt == (exists ? 2000 : nil))
    }

    // MARK: An earlier user

    /// Alice uses the app before the list of her rooms is loaded; then Bob connects.
    @Test func reactionsOfAnEarlierUserAreForgotten() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "\(path)/relations/$m/m.annotation/m.reaction",
            """
            {"chunk": [{"type": "m.reaction", "event_id": "$alices", "sender": "@alice:example.org",
             "origin_server_ts": 2000, "content": {"m.relates_to":
             {"rel_type": "m.annotation", "event_id": "$m", "key": "x"}}}]}
            """)
        _ = try await device.backend.reactions(of: ["$m"], in: room)
        await device.backend.disconnect()
        device.server.replace("GET account/whoami", #"{"user_id": "@bob:example.org"}"#)
        _ = try await device.backend.connect(
            as: Credentials("@bob:example.org", accessToken: "bobs"))
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
        device.server.reply(
            "PUT rooms/!room:example.org/redact/$alices/q", #"{"event_id": "$redaction"}"#)
        _ = try? await device.backend.react(
            .delete, with: "x", to: "$m", in: room, requestID: "q", epoch: nil)
        #expect(
            !device.server.requests.contains("PUT rooms/!room:example.org/redact/$alices/q"))
    }

    // MARK: A row of a plain store

    @Test func itemWithTheEarliestTimeIsSent() async throws {
        let alice = try await FollowingDevice()
        var item = OutboxItem(
            Message(NewMessage("x"), in: "!room:example.org", by: nil, at: 5), requestID: "r1")
        item.createdAt = .distantPast
        item.attempts = 2
        // There is no prepared reply, but the calculation of the item's age does not trap.
        await #expect(throws: BackendError.self) { _ = try await alice.device.backend.send(item) }
    }
}
