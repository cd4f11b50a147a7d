import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Tests rooms whose members or servers make requests for the history fail, or answer wrongly.
@Suite(.timeLimit(.minutes(10))) struct MatrixHostileHistoryTests: ClientEventSuite {
    private func join(_ rooms: [String: String]) -> String {
        let rooms = rooms.sorted { $0.key < $1.key }.map { #""\#($0)": \#($1)"# }
        return #"{"next_batch": "s2", "rooms": {"join": {\#(rooms.joined(separator: ","))}}}"#
    }

    private func texts(_ events: [FeedEvent]) -> [String] {
        events.compactMap { event in
            if case .messageReceived(let message) = event { message.text } else { nil }
        }
    }

    // MARK: A slow server of a room

    private let limited = #"{"timeline": {"events": [], "limited": true}}"#

    /// Bob's room has an omitted message, which the server cannot read, and Eve's a new name.
    @Test(arguments: [504, 400])
    func roomWhoseHistoryCannotBeReadDoesNotStopTheList(status: Int) async throws {
        let alice = try await FollowingDevice()
        let (server, backend) = (alice.device.server, alice.device.backend)
        server.reply("\(path)/messages", "{}", status: status)
        server.replace("GET sync", join(["!room:example.org": limited]))
        #expect(try await backend.channel(room).url == room)
        let name = """
            {"type": "m.room.name", "state_key": "", "event_id": "$n", "sender": "@eve:example.org",
             "origin_server_ts": 2000, "content": {"name": "Other"}}
            """
        let other = #"{"timeline": {"events": [\#(name), \#(event("$m", text("hi")))]}}"#
        server.replace("GET sync", join(["!other:example.org": other]))
        let events = try await backend.feed(since: alice.cursor).events
        #expect(texts(events) == ["hi"])
        // The message is requested again after a pause.
        func count() -> Int { server.requests.count { $0 == "\(path)/messages" } }
        let before = count()
        _ = try await backend.channel(room)
        #expect(count() == before)
        alice.device.clock.set(.seconds(301))
        server.replace(
            "\(path)/messages",
            #"{"chunk": [\#(PreparedReplies.message("$new", "new", at: 3000))]}"#)
        #expect(try await backend.channel(room).lastMessage?.text == "new")
    }

    private func stateRequests(_ server: PreparedReplies) -> Int {
        server.requests.count { $0 == "\(path)/state" }
    }

    /// The server may wait for another one, which withholds the state.
    @Test func stateThatIsNotAnsweredIsRequestedAgainAfterAPause() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        server.reply("\(path)/state", "{}", status: 504)
        let name = """
            {"type": "m.room.name", "state_key": "", "event_id": "$n", "sender": "@eve:example.org",
             "origin_server_ts": 2000, "content": {"name": 1}}
            """
        // A single request may have failed for another reason.
        for _ in 0..<2 {
            await #expect(throws: BackendError.self) { try await alice.feed(name) }
        }
        for _ in 0..<3 { _ = try await alice.feed(name) }
        #expect(stateRequests(server) == 3)
        alice.device.clock.set(.seconds(301))
        await #expect(throws: BackendError.self) { try await alice.feed(name) }
        #expect(stateRequests(server) == 4)
    }

    @Test func membershipThatIsNotAnsweredDoesNotStopTheFeed() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        let member = "\(path)/state/m.room.member/@eve:evil.org"
        server.reply(member, "{}", status: 504)
        for number in 0..<5 {
            let message = event("$\(number)", text("hi"), by: "@eve:evil.org")
            guard number >= 2 else {
                await #expect(throws: BackendError.self) { try await alice.feed(message) }
                continue
            }
            #expect(try await texts(alice.feed(message)) == ["hi"])
        }
        #expect(server.requests.count { $0 == member } == 3)
        alice.device.clock.set(.seconds(301))
        server.replace(member, #"{"membership": "leave", "displayname": "Eve"}"#)
        for case .messageReceived(let message) in try await alice.feed(
            event("$last", text("hi"), by: "@eve:evil.org"))
        {
            #expect(message.sender?.nickname == "Eve")
        }
    }

    @Test func eventsThatCannotBeReadAreNotRequestedDuringAPause() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        server.reply("\(path)/event/$old", "{}", status: 504)
        let change = edit("$e", of: "$old", "x", at: 3000)
        for _ in 0..<2 {
            await #expect(throws: BackendError.self) { try await alice.feed(change) }
        }
        _ = try await alice.feed(change)
        let before = server.requests.count
        let events = try await alice.feed(change)
        #expect(events.contains(.truncation(in: room)))
        #expect(server.requests.dropFirst(before) == ["GET sync"])
        let message = event("$live", text("live"))
        #expect(try await texts(alice.feed(message)) == ["live"])
        alice.device.clock.set(.seconds(301))
        server.replace("\(path)/event/$old", event("$old", text("old")))
        #expect(try await !alice.feed(change).contains(.truncation(in: room)))
    }

    /// Many rooms of a server can lose their last messages at the same time.
    @Test func roomsWhoseHistoryIsNotAnsweredDoNotStopTheFeed() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        var rooms = [
            "!live:example.org": #"{"timeline": {"events": [\#(event("$m", text("hi")))]}}"#
        ]
        for number in 0..<10 {
            let id = "!slow\(number):evil.org"
            server.reply("GET rooms/\(id)/messages", "{}", status: 504)
            let events = [
                event("$m\(number)", text("x")),
                redaction("$r\(number)", of: "$m\(number)", at: 3000),
            ]
            rooms[id] = #"{"timeline": {"events": [\#(events.joined(separator: ", "))]}}"#
        }
        server.replace("GET sync", join(rooms))
        let events = try await alice.device.backend.feed(since: alice.cursor).events
        #expect(texts(events).contains("hi"))
        let before = server.requests.count
        _ = try await alice.device.backend.feed(since: alice.cursor)
        #expect(!server.requests.dropFirst(before).contains { $0.hasSuffix("/messages") })
    }

    // MARK: False invitations

    private let falseInvitation = """
        {"next_batch": "s2", "rooms": {"invite": {"!room:example.org": {"invite_state": {"events": [
         {"type": "m.room.name", "state_key": "", "sender": "@eve:evil.org",
          "content": {"name": "Invented"}},
         {"type": "m.room.member", "state_key": "@alice:example.org", "sender": "@eve:evil.org",
          "content": {"membership": "invite"}}]}}}}}
        """

    private func addRoom(to server: PreparedReplies) {
        let name = """
            {"type": "m.room.name", "state_key": "", "event_id": "$n",
             "sender": "@bob:example.org", "origin_server_ts": 1500, "content": {"name": "Food"}}
            """
        let state = [name] + PreparedReplies.members
        server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        server.reply("\(path)/state", "[\(state.joined(separator: ", "))]")
    }

    @Test func joinedRoomIsNoInvitation() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET sync", falseInvitation)
        addRoom(to: device.server)
        let channel = try await device.backend.channel(room)
        #expect(channel.name == "Food" && channel.myMemberState == .joined)
        #expect(channel.memberCount == 2)
        device.server.reply("\(path)/messages", #"{"chunk": [\#(event("$m", text("hi")))]}"#)
        let page = try await device.backend.messages(in: room, at: .newest, older: 9, newer: 0)
        #expect(page.messages.map(\.text) == ["hi"])
        // The user would leave the room.
        await #expect(throws: BackendError.self) {
            try await device.backend.perform(AnswerInvitation(to: room, accepts: false))
        }
        #expect(!device.server.requests.contains("POST rooms/!room:example.org/leave"))
    }

    @Test func invitationThatCannotBeAnsweredIsOmitted() async throws {
        let id = "!x/../y:evil.org"
        let alice = try await FollowingDevice()
        let invitation = falseInvitation.replacing("!room:example.org", with: id)
        #expect(try await alice.feed(sync: invitation) == [])
        let device = Device()
        try await device.connect()
        device.server.reply(
            "POST sync",
            #"{"lists": {"all": {"count": 1}}, "rooms": {"\#(id)": {"invite_state": []}}}"#)
        device.prepareRoom()
        let page = try await device.backend.channels(matching: GroupChannelListQuery(), after: nil)
        #expect(page.elements.map(\.url) == ["!room:example.org"])
    }

    @Test func joinedRoomIsNoInvitationOfTheFirstPage() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "POST sync",
            """
            {"lists": {"all": {"count": 1}}, "rooms": {"!room:example.org": {"invite_state": [
             {"type": "m.room.name", "state_key": "", "sender": "@eve:evil.org",
              "content": {"name": "Invented"}}]}}}
            """)
        device.server.reply("GET sync", falseInvitation)
        addRoom(to: device.server)
        let page = try await device.backend.channels(matching: GroupChannelListQuery(), after: nil)
        #expect(page.elements.map(\.name) == ["Food"])
    }

    @Test func feedReportsAFalseInvitationAsTheJoinedRoom() async throws {
        let alice = try await FollowingDevice()
        addRoom(to: alice.device.server)
        alice.device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(event("$m", text("hi")))]}"#)
        let events = try await alice.feed(sync: falseInvitation)
        var channel = GroupChannel()
        for case .channel(let update) in events { update.patch.apply(to: &channel) }
        #expect(channel.name == "Food" && channel.myMemberState == .joined)
        #expect(channel.memberCount == 2 && channel.unreadMessageCount == 2)
        #expect(channel.lastMessage?.text == "hi")
        #expect(events.contains(.truncation(in: room)))
    }

    @Test func stateOfAFalseInvitationIsRequestedAgainAfterAPause() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        addRoom(to: server)
        server.replace("\(path)/state", "{}", status: 504)
        for _ in 0..<3 { _ = try await alice.feed(sync: falseInvitation) }
        #expect(stateRequests(server) == 1)
        server.replace("GET sync", #"{"next_batch": "s2"}"#)
        let before = stateRequests(server)
        _ = try await alice.device.backend.feed(since: "s2")
        #expect(stateRequests(server) == before)
    }

    // MARK: Long replies

    /// The engine then finds the place by its time.
    @Test(
        arguments: [("$a/b", .expired), ("$ab", .unsupported)] as [(MessageID, BackendError.Code)])
    func placeBehindAProxyIsUnknown(id: MessageID, code: BackendError.Code) async throws {
        let alice = try await FollowingDevice()
        alice.device.server.replyAsBehindAProxy("\(path)/context/\(id)")
        let error = await #expect(throws: BackendError.self) {
            try await alice.device.backend.messages(
                in: room, at: .message(id), older: 1, newer: 1)
        }
        #expect(error?.code == code)
    }

    @Test func messageThatCannotBeRequestedIsNotGone() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.replyAsBehindAProxy("\(path)/event/$a/b")
        alice.device.server.reply("\(path)/event/$m", event("$m", text("hi")))
        let lookup = try await alice.device.backend.lookup(["$a/b", "$m"], in: room)
        #expect(lookup.found.map(\.messageID) == ["$m"] && lookup.gone == [])
        let error = await #expect(throws: BackendError.self) {
            try await alice.device.backend.delete("$a/b", in: room, requestID: "r", epoch: nil)
        }
        #expect(error?.code == .unsupported)
    }

    @Test func placeOfAnotherMessageIsNotTheRequestedOne() async throws {
        let alice = try await FollowingDevice()
        let message = event("$other", text("hi"))
        alice.device.server.reply("\(path)/context/$m", #"{"event": \#(message), "end": "t1"}"#)
        let error = await #expect(throws: BackendError.self) {
            try await alice.device.backend.messages(
                in: room, at: .message("$m"), older: 1, newer: 1)
        }
        #expect(error?.code == .expired)
    }

    @Test func messageWithAnotherIDIsNotTheRequestedOne() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply("\(path)/event/$m", event("$other", text("hi")))
        alice.device.server.reply("\(path)/event/$n", event("$n", text("hi")))
        let lookup = try await alice.device.backend.lookup(["$m", "$n"], in: room)
        #expect(lookup.found.map(\.messageID) == ["$n"] && lookup.gone == ["$m"])
    }

    /// The reply would contain all memberships of the room.
    @Test func stateAroundAMessageIsNotRequested() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        _ = try? await alice.device.backend.messages(
            in: room, at: .message("$m"), older: 1, newer: 1)
        #expect(server.requests.contains("\(path)/context/$m"))
        #expect(server.parameters("filter").last == #"{"lazy_load_members":true,"types":[]}"#)
    }

    /// A reply that cannot be read, as one that is too long.
    private let unreadable = "{"

    @Test func longPageIsRequestedInSmallerParts() async throws {
        let device = try await FollowingDevice().device
        device.server.reply("\(path)/messages", unreadable)
        device.server.reply("\(path)/messages", unreadable)
        device.server.reply(
            "\(path)/messages",
            #"{"start": "t2", "end": "t1", "chunk": [\#(PreparedReplies.message("$b", "b", at: 2))]}"#
        )
        device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(PreparedReplies.message("$a", "a", at: 1))]}"#)
        let page = try await device.backend.messages(in: room, at: .newest, older: 100, newer: 0)
        #expect(page.messages.map(\.text) == ["a", "b"])
        #expect(device.server.parameters("limit") == ["100", "12", "1", "99"])
    }

    @Test func longBatchOfTheFeedIsTruncatedEarlier() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        let before = server.parameters("filter").count
        server.replace("GET sync", unreadable)
        server.reply("GET sync", PreparedReplies.sync("s2", event("$m", text("hi"))))
        let batch = try await alice.device.backend.feed(since: alice.cursor)
        #expect(texts(batch.events) == ["hi"])
        let limits = server.parameters("filter").dropFirst(before).compactMap {
            $0.firstMatch(of: /"timeline":{"limit":(\d+)/).flatMap { Int($0.output.1) }
        }
        #expect(limits.count == 2 && limits[1] < limits[0])
    }

    // MARK: Ignored users

    /// The server omits the reactions of an ignored user after it has counted them.
    @Test func shortPageOfReactionsIsNotTheLast() async throws {
        let device = try await FollowingDevice().device
        func reaction(_ key: String) -> String {
            event(
                "$r\(key)",
                """
                {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$m", "key": "\(key)"}}
                """, type: "m.reaction")
        }
        let messages = ["$n", "$m"].map { PreparedReplies.message($0, "x", at: 1) }
        device.server.reply(
            "\(path)/messages",
            #"{"start": "t3", "end": "t1", "chunk": [\#(messages.joined(separator: ","))]}"#)
        device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        _ = try await device.backend.messages(in: room, at: .newest, older: 2, newer: 0)
        device.server.replace("\(path)/messages", #"{"end": "t5", "chunk": [\#(reaction("a"))]}"#)
        device.server.reply("\(path)/messages", #"{"chunk": [\#(reaction("b"))]}"#)
        let found = try await device.backend.reactions(of: ["$m", "$n"], in: room)
        #expect(found["$m"]?.map(\.key).sorted() == ["a", "b"])
        #expect(device.server.parameters("from").suffix(2) == ["t1", "t5"])
    }

    // MARK: Early times

    /// Messages that arrive last have the time 1, and that of the message that was read.
    @Test func readingAMessageDoesNotReadLaterOnes() async throws {
        let device = try await FollowingDevice().device
        let page = [
            ("$old", 1), ("$same", 2000), ("$unread", 3000), ("$read", 2000), ("$former", 1000),
        ].map {
            PreparedReplies.message($0, "x", at: $1)
        }
        device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        for end: Int64 in [2000, 2500] {
            device.server.replace(
                "\(path)/messages", #"{"end": "t1", "chunk": [\#(page.joined(separator: ","))]}"#)
            device.server.reply("\(path)/messages", #"{"chunk": []}"#)
            let count = device.server.bodies.count
            _ = try await device.backend.perform(
                MarkAsRead(room, upTo: Timestamp(milliseconds: end)))
            guard case .object(let body)? = device.server.bodies.last else {
                Issue.record("no body")
                return
            }
            #expect(body["m.read"] == "$read" && device.server.bodies.count > count)
        }
    }

    /// A page contains only one event that can be decoded: the last one, which has an early time.
    @Test func eventWithAnEarlyTimeDoesNotReadThoseOfOtherPages() async throws {
        let device = try await FollowingDevice().device
        let messages = [("$old", 1), ("$unread", 3000), ("$read", 2000)].map {
            PreparedReplies.message($0, "x", at: $1)
        }
        device.server.reply(
            "\(path)/messages", #"{"end": "t1", "chunk": [\#(messages[0])]}"#)
        device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(messages[1]), \#(messages[2])]}"#)
        device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        _ = try await device.backend.perform(MarkAsRead(room, upTo: 2000))
        #expect(device.server.bodies.last?["m.read"] == "$read")
    }

    /// Another message has the time of the one that was read, and is newer than an unread one.
    @Test func readMessageIsNamedByItsID() async throws {
        let device = try await FollowingDevice().device
        device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        var request = MarkAsRead(room)
        request.waits(since: Position(createdAt: 2000, messageID: "$read"))
        _ = try await device.backend.perform(request)
        #expect(device.server.bodies.last?["m.read"] == "$read")
        #expect(!device.server.requests.contains("\(path)/messages"))
    }

    @Test func ignoredUserDoesNotPreventReading() async throws {
        let device = try await FollowingDevice().device
        device.server.reply("\(path)/messages", #"{"end": "t5", "chunk": []}"#)
        device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(PreparedReplies.message("$m", "x", at: 1))]}"#)
        device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        _ = try await device.backend.perform(MarkAsRead(room))
        #expect(device.server.bodies.last?["m.read"] == "$m")
    }

    /// Homeservers accept events with an empty type.
    @Test func eventThatCannotBeDecodedDoesNotPreventReading() async throws {
        let device = try await FollowingDevice().device
        let forged = #"{"type": "", "event_id": "$f", "sender": "@eve:example.org"}"#
        device.server.reply("\(path)/messages", #"{"end": "t5", "chunk": [\#(forged)]}"#)
        device.server.reply("POST rooms/!room:example.org/read_markers", "{}")
        _ = try await device.backend.perform(MarkAsRead(room))
        #expect(device.server.bodies.last?["m.read"] == "$f")
    }

    @Test func pagesWithoutAnEndDoNotPreventReading() async throws {
        let alice = try await FollowingDevice()
        let server = alice.device.server
        server.reply("\(path)/messages", #"{"end": "t5", "chunk": []}"#)
        server.reply("POST rooms/!room:example.org/read_markers", "{}")
        _ = try await alice.feed(event("$9", text("9")))
        let count = server.requests.count
        _ = try await alice.device.backend.perform(MarkAsRead(room))
        #expect(server.bodies.last?["m.read"] == "$9")
        #expect(server.requests.count <= count + 6)
    }

    /// The event with the next time is older than the messages before that time.
    @Test func eventInAWrongPlaceHidesNoMessages() async throws {
        let device = try await FollowingDevice().device
        let forged = event("$f", "{}", type: "org.example.x", at: 5001)
        let (m, n) = (
            PreparedReplies.message("$m", "m", at: 3000),
            PreparedReplies.message("$n", "n", at: 4000)
        )
        device.server.reply("\(path)/timestamp_to_event", #"{"event_id": "$f"}"#)
        device.server.reply("\(path)/context/$f", #"{"event": \#(forged), "end": "t2"}"#)
        device.server.reply("\(path)/context/$n", #"{"event": \#(n), "end": "t9"}"#)
        // The newer messages of both points, and then the older ones.
        device.server.reply("\(path)/messages", #"{"chunk": [\#(m), \#(n)]}"#)
        device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        device.server.reply("\(path)/messages", #"{"chunk": [\#(n), \#(m)]}"#)
        let page = try await device.backend.messages(in: room, at: .time(5000), older: 2, newer: 0)
        #expect(page.messages.map(\.text) == ["m", "n"])
        #expect(device.server.parameters("from").prefix(3) == ["t2", "t9", "t9"])
    }

    /// The user may not see the messages after the event with the next time.
    @Test func hiddenMessagesDoNotMoveATime() async throws {
        let device = try await FollowingDevice().device
        let forged = event("$f", "{}", type: "org.example.x", at: 5001)
        let m = PreparedReplies.message("$m", "m", at: 3000)
        device.server.reply("\(path)/timestamp_to_event", #"{"event_id": "$f"}"#)
        device.server.reply("\(path)/context/$f", #"{"event": \#(forged), "end": "t1"}"#)
        device.server.reply("\(path)/context/$m", #"{"event": \#(m), "end": "t9"}"#)
        for number in 2...7 {
            device.server.reply("\(path)/messages", #"{"chunk": [], "end": "t\#(number)"}"#)
        }
        device.server.reply("\(path)/messages", #"{"chunk": [\#(m)]}"#)
        device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        device.server.reply("\(path)/messages", #"{"chunk": [\#(m)]}"#)
        let page = try await device.backend.messages(in: room, at: .time(5000), older: 2, newer: 0)
        #expect(page.messages.map(\.text) == ["m"])
        #expect(
            device.server.parameters("from").prefix(9)
                == ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t9", "t9"])
    }

    /// An event has the time of a page, and is older than too many messages.
    @Test func pageOfNewerMessagesDoesNotBeginAtTheNewestEnd() async throws {
        let device = try await FollowingDevice().device
        let forged = event("$f", "{}", type: "org.example.x", at: 5001)
        let m = PreparedReplies.message("$m", "m", at: 3000)
        device.server.reply("\(path)/timestamp_to_event", #"{"event_id": "$f"}"#)
        device.server.reply("\(path)/context/$f", #"{"event": \#(forged), "end": "t1"}"#)
        device.server.reply("\(path)/context/$m", #"{"event": \#(m), "end": "t2"}"#)
        device.server.reply("\(path)/messages", #"{"chunk": [\#(m)]}"#)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.messages(in: room, at: .time(5000), older: 0, newer: 2)
        }
        #expect(error?.code == .refused)
        let page = try await device.backend.messages(in: room, at: .time(5000), older: 2, newer: 0)
        #expect(page.messages.map(\.text) == ["m"] && page.newer == nil)
    }

    /// The server sorts a message before all older ones.
    @Test func messageInFrontOfTheHistoryIsAnOutlier() async throws {
        let device = try await FollowingDevice().device
        let e = PreparedReplies.message("$e", "e", at: 9000)
        let others = [3000, 4000].map { PreparedReplies.message("$\($0)", "x", at: $0) }
        device.server.reply("\(path)/context/$e", #"{"event": \#(e), "end": "t1"}"#)
        device.server.reply("\(path)/messages", #"{"chunk": [\#(e)], "end": "t0"}"#)
        device.server.reply("\(path)/messages", #"{"chunk": []}"#)
        device.server.reply(
            "\(path)/messages", #"{"chunk": [\#(others.joined(separator: ","))]}"#)
        let page = try await device.backend.messages(
            in: room, at: .message("$e"), older: 2, newer: 0)
        #expect(page.messages.isEmpty && page.older == nil && page.outliers == ["$e"])
    }

    @Test func longChangelogIsRequestedInSmallerParts() async throws {
        let device = try await FollowingDevice().device
        device.server.reply("\(path)/messages", unreadable)
        device.server.reply(
            "\(path)/messages",
            #"{"chunk": [\#(PreparedReplies.message("$m", "x", at: 1))], "end": "t2"}"#)
        let changes = try await device.backend.messageChanges(
            in: room, since: .token("t1"), params: nil)
        #expect(changes.hasMore)
        #expect(device.server.parameters("limit") == ["100", "12"])
    }

    // MARK: Receipts

    /// Twenty users have later receipts for events that do not exist.
    @Test func ownReceiptIsNotDisplacedByManyOthers() async throws {
        let alice = try await FollowingDevice()
        alice.device.server.reply(
            "\(path)/event/$read", PreparedReplies.message("$read", "x", at: 1500))
        let others = (0..<30).map {
            #""$\#($0)": {"m.read": {"@u\#($0):eve.example": {"ts": 9000000}}}"#
        }
        let own = #""$read": {"m.read": {"@alice:example.org": {"ts": 2000}}}"#
        let events = try await alice.feed(
            sync: """
                {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {"ephemeral": {"events": [
                    {"type": "m.receipt", "content": {\((others + [own]).joined(separator: ","))}}]}}}}}
                """)
        #expect(events.contains(.read(by: "@alice:example.org", in: room, at: 1500)))
    }

    /// Returns a reply of `/sync` with receipts of Alice and of 3,000 other users for one message.
    private func manyReceipts() -> String {
        let others = (0..<3000).map { #""@u\#($0):eve.example": {"ts": 9000}"# }
        let all = others + [#""@alice:example.org": {"ts": 9000}"#]
        return """
            {"next_batch": "s2", "rooms": {"join": {"!room:example.org": {
                "timeline": {"events": [\(event("$m", text("hi")))]},
                "ephemeral": {"events": [{"type": "m.receipt", "content": {
                    "$m": {"m.read": {\(all.joined(separator: ","))}}}}]}}}}}
            """
    }

    private func readers(_ events: [FeedEvent]) -> [UserID] {
        events.compactMap { if case .read(let user, _, _) = $0 { user } else { nil } }
    }

    @Test func receiptsThatTheListOmitsAreNotReported() async throws {
        let alice = try await FollowingDevice()
        let readers = readers(try await alice.feed(sync: manyReceipts()))
        #expect(readers.count <= 1001 && readers.contains("@alice:example.org"))
        let channel = try await alice.device.backend.channel(room)
        #expect(Set(channel.readReceipts.keys) == Set(readers))
    }

    /// After a start, the list of rooms is not loaded.
    @Test func receiptsAreLimitedBeforeTheListIsLoaded() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        device.server.reply("GET sync", manyReceipts())
        let readers = readers(try await device.backend.feed(since: "s1").events)
        #expect(readers.count == 1001 && readers.contains("@alice:example.org"))
    }
}
