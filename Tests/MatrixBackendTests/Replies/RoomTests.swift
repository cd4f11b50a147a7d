import MatrixBackend
import Models
import Sync
import Testing

/// Tests how rooms become channels, with prepared replies of `/sync`.
@Suite struct MatrixRoomTests {
    private let room = ChannelURL("!room:example.org")

    /// Returns the channel of a room with two members and some further state events.
    private func channel(
        _ state: String..., summary: String = #""m.joined_member_count": 2"#,
        timeline: String = "", wholeState: String? = nil
    ) async throws -> GroupChannel {
        let device = Device()
        try await device.connect()
        if let wholeState { device.server.reply("GET rooms/\(room.rawValue)/state", wholeState) }
        let events = PreparedReplies.members + state
        device.server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"join": {"!room:example.org": {
                "summary": {\(summary)}, "state": {"events": [\(events.joined(separator: ", "))]},
                "timeline": {"events": [\(timeline)], "limited": false}}}}}
            """)
        return try await device.backend.channel(room)
    }

    private func state(
        _ type: String, _ content: String, key: String = "", by sender: String = "@bob:example.org"
    ) -> String {
        """
        {"type": "\(type)", "state_key": "\(key)", "event_id": "$\(type)\(key)",
         "sender": "\(sender)", "origin_server_ts": 1500, "content": \(content)}
        """
    }

    @Test(.timeLimit(.minutes(10)))
    func concurrentCallsForAChannelAllEnd() async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: GroupChannel.self) { group in
                for _ in 0..<10 {
                    group.addTask { [room] in try await device.backend.channel(room) }
                }
                for try await channel in group { #expect(channel.name == "General") }
            }
        }
    }

    @Test func roomWithoutANameIsNamedAfterItsHeroes() async throws {
        let pair = try await channel(
            summary: #""m.joined_member_count": 2, "m.heroes": ["@bob:example.org"]"#)
        #expect(pair.name == "Bob")
        let many = try await channel(
            summary: """
                "m.joined_member_count": 5, "m.invited_member_count": 1,
                "m.heroes": ["@bob:example.org", "@carol:example.org"]
                """)
        #expect(many.name == "Bob, @carol:example.org and 3 more")
        #expect(many.memberCount == 6 && many.joinedMemberCount == 5)
        let named = try await channel(
            state("m.room.name", #"{"name": "General"}"#),
            state("m.room.canonical_alias", ##"{"alias": "#other:example.org"}"##))
        #expect(named.name == "General")
    }

    /// Very many or very large memberships make the state longer than a reply may be.
    @Test func roomWithUnreadableStateIsShownWithoutName() async throws {
        let channel = try await channel(wholeState: "[")
        #expect(channel.name == "" && channel.memberCount == 2)
    }

    @Test func powerLevelsAreRoles() async throws {
        let channel = try await channel(
            state("m.room.create", #"{"room_version": "10"}"#),
            state(
                "m.room.power_levels",
                """
                {"users": {"@bob:example.org": "50", "@alice:example.org": -1},
                 "users_default": 0, "events_default": 0}
                """))
        let bob = channel.members.first { $0.userID == "@bob:example.org" }
        #expect(bob?.role == .operator && bob?.isMuted == false)
        #expect(channel.myRole == .none && channel.isCurrentUserMuted && !channel.isFrozen)
    }

    @Test func levelIsNotThatOfAnIDThatIsEqualAsAText() async throws {
        let composed = UserID("@\u{E9}:example.org")
        let channel = try await channel(
            state("m.room.member", #"{"membership": "join"}"#, key: composed.rawValue),
            state("m.room.power_levels", #"{"users": {"@e\u0301:example.org": -1}}"#))
        #expect(channel.members.first { $0.userID == composed }?.isMuted == false)
    }

    @Test func creatorOfARoomOfVersionTwelveIsAnOperator() async throws {
        let channel = try await channel(
            state(
                "m.room.create",
                #"{"room_version": "12", "additional_creators": ["@alice:example.org"]}"#),
            state("m.room.power_levels", #"{"users": {}}"#))
        #expect(channel.myRole == .operator)
    }

    @Test func replacedRoomIsFrozenAndNamesItsSuccessor() async throws {
        let channel = try await channel(
            state("m.room.tombstone", #"{"body": "", "replacement_room": "!new:example.org"}"#))
        #expect(channel.isFrozen)
        #expect(channel.metadata["replacement_room"] == "!new:example.org")
    }

    @Test func spaceIsNoChannel() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET sync",
            """
            {"next_batch": "s1", "rooms": {"join": {
                "!space:example.org": {"state": {"events": [
                    \(state("m.room.create", #"{"type": "m.space"}"#))]}},
                "!room:example.org": {"state": {"events": [\(PreparedReplies.members[0])]}}}}}
            """)
        let batch = try await device.backend.feed(since: nil)
        guard case .channels(let urls)? = batch.events.first else {
            Issue.record("\(batch.events)")
            return
        }
        #expect(urls == [room])
    }

    @Test func lastMessageIsTheNewestOfTheTimeline() async throws {
        let channel = try await channel(
            timeline: PreparedReplies.message("$m1", "hello", at: 2000) + ", "
                + PreparedReplies.message("$m2", "world", at: 2001))
        #expect(channel.lastMessage?.text == "world")
        #expect(channel.lastMessage?.sender?.nickname == "Bob")
    }

    // MARK: The first page

    private var newestRoom: String {
        """
        {"lists": {"all": {"count": 1000}}, "rooms": {"!room:example.org": {
            "joined_count": 2, "invited_count": 0, "heroes": [{"user_id": "@bob:example.org"}],
            "required_state": [\(PreparedReplies.members.joined(separator: ", "))],
            "timeline": [\(PreparedReplies.message("$m1", "hello", at: 2000))]}}}
        """
    }

    @Test func firstPageComesBeforeAllRoomsAreLoaded() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("POST sync", newestRoom)
        let query = GroupChannelListQuery()
        let page = try await device.backend.channels(matching: query, after: nil)
        #expect(page.elements.map(\.name) == ["Bob"])
        #expect(page.elements.first?.lastMessage?.text == "hello")
        #expect(page.next == "!room:example.org")
        #expect(!device.server.requests.contains("GET sync"))
        // Only the first page can be loaded without the complete list of rooms.
        device.prepareRoom()
        let next = try await device.backend.channels(matching: query, after: page.next)
        #expect(next.elements.isEmpty && next.next == nil)
        #expect(device.server.requests.filter { $0 == "POST sync" }.count == 1)
    }

    /// The sender has left the room, and their homeserver does not answer.
    @Test func firstPageComesWithoutALastMessageThatCannotBeRead() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "POST sync",
            newestRoom.replacing(
                PreparedReplies.message("$m1", "hello", at: 2000),
                with: PreparedReplies.message("$m1", "hello", at: 2000)
                    .replacing("@bob:example.org", with: "@eve:evil.org")))
        device.server.reply(
            "GET rooms/!room:example.org/state/m.room.member/@eve:evil.org", "{}", status: 504)
        let page = try await device.backend.channels(
            matching: GroupChannelListQuery(), after: nil)
        #expect(page.elements.map(\.name) == ["Bob"])
        #expect(page.elements.first?.lastMessage == nil)
    }

    /// Homeservers also return rooms that the user has not forgotten.
    @Test(arguments: [
        #"{"required_state": [\#(membership("leave"))]}"#,
        #"{"required_state": [\#(membership("ban"))]}"#,
        #"{"invite_state": [\#(membership("knock"))]}"#, "{}",
    ])
    func firstPageHasOnlyJoinedRoomsAndInvitations(room: String) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "POST sync",
            newestRoom.replacing(
                #""rooms": {"#, with: #""rooms": {"!other:example.org": \#(room), "#))
        let page = try await device.backend.channels(
            matching: GroupChannelListQuery(), after: nil)
        #expect(page.elements.map(\.name) == ["Bob"])
    }

    private static func membership(_ state: String) -> String {
        """
        {"type": "m.room.member", "state_key": "@alice:example.org", "event_id": "$x",
         "sender": "@bob:example.org", "origin_server_ts": 1500,
         "content": {"membership": "\(state)"}}
        """
    }

    @Test(arguments: [
        (404, #"{"errcode": "M_UNRECOGNIZED", "error": "Unrecognized request"}"#),
        // A reply that is too long is cut off, too.
        (200, "{"),
    ])
    func allRoomsAreLoadedWithoutSlidingSync(status: Int, reply: String) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("POST sync", reply, status: status)
        device.prepareRoom()
        let page = try await device.backend.channels(
            matching: GroupChannelListQuery(), after: nil)
        #expect(page.elements.map(\.name) == ["General"])
    }

    // MARK: Invitations

    private func invitation(isDirect: Bool) -> String {
        """
        {"next_batch": "s1", "rooms": {"invite": {"!room:example.org": {"invite_state": {"events": [
            {"type": "m.room.name", "state_key": "", "sender": "@bob:example.org",
             "content": {"name": "General"}},
            {"type": "m.room.member", "state_key": "@bob:example.org",
             "sender": "@bob:example.org", "content": {"membership": "join", "displayname": "Bob"}},
            {"type": "m.room.member", "state_key": "@alice:example.org",
             "sender": "@bob:example.org", "content":
             {"membership": "invite", "is_direct": \(isDirect)}}]}}}}}
        """
    }

    @Test func invitationShowsTheNameAndTheInviter() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET sync", invitation(isDirect: false))
        let channel = try await device.backend.channel(room)
        #expect(channel.myMemberState == .invited && channel.name == "General")
        #expect(channel.inviter?.nickname == "Bob" && !channel.isDistinct)
    }

    @Test func acceptedDirectInvitationIsKeptAsADirectChat() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET sync", invitation(isDirect: true))
        device.server.reply(
            "POST rooms/!room:example.org/join", #"{"room_id": "!room:example.org"}"#)
        device.server.reply(
            "GET rooms/!room:example.org/state/m.room.member/@bob:example.org",
            #"{"membership": "join"}"#)
        device.server.reply(
            "GET user/@alice:example.org/account_data/m.direct", #"{"@carol:example.org": ["!c"]}"#)
        device.server.reply("PUT user/@alice:example.org/account_data/m.direct", "{}")
        try await device.backend.perform(AnswerInvitation(to: room, accepts: true))
        #expect(device.server.requests.last == "PUT user/@alice:example.org/account_data/m.direct")
        // The list may lack chats that the server has stored.
        #expect(
            device.server.bodies.last
                == ["@carol:example.org": ["!c"], "@bob:example.org": ["!room:example.org"]])
    }

    /// A moderator can give the levels the form of a long event, from which lists are cut.
    @Test func changedLevelsKeepAllOthers() async throws {
        let device = try await FollowingDevice().device
        let path = "rooms/!room:example.org/state/m.room.power_levels"
        let users = (0..<2_100).map { "\"@a\($0):evil.org\": 0" }.joined(separator: ", ")
        device.server.reply(
            "GET \(path)",
            #"{"sender": "x", "type": "x", "users": {"@alice:example.org": 100, \#(users)}}"#)
        device.server.reply("PUT \(path)", #"{"event_id": "$p"}"#)
        try await device.backend.perform(SetFrozen(true, for: room))
        guard case .object(let levels)? = device.server.bodies.last?["users"] else {
            Issue.record("no levels")
            return
        }
        #expect(levels.count == 2_101 && levels["@alice:example.org"] == 100)
    }

    /// A dictionary, and its decoder, would change or omit another member's level.
    @Test(arguments: [
        #"{"users": {"@e\u0301:evil.org": 0}}"#,
        #"{"users": {"@e\u0301:evil.org": 0, "@\u00e9:evil.org": -1}}"#,
    ])
    func levelsWithIDsThatAreEqualAsTextsAreNotChanged(levels: String) async throws {
        let device = try await FollowingDevice().device
        device.server.reply("GET rooms/!room:example.org/state/m.room.power_levels", levels)
        let count = device.server.bodies.count
        await #expect(throws: BackendError.self) {
            try await device.backend.perform(
                RestrictUser("@\u{E9}:evil.org", in: room, as: .muted))
        }
        #expect(device.server.bodies.count == count)
    }

    /// Comparing a long name with many marks would take hours.
    @Test func levelsWithALongNameAreNotChanged() async throws {
        let device = try await FollowingDevice().device
        let name = "a" + String(repeating: "\u{301}", count: 60_000)
        device.server.reply(
            "GET rooms/!room:example.org/state/m.room.power_levels", #"{"\#(name)": 1}"#)
        let count = device.server.bodies.count
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.perform(SetFrozen(true, for: room))
        }
        #expect(error?.detail == .malformedData && device.server.bodies.count == count)
    }

    /// Another server can invent the state of an invitation, and follow it with an invitation whose
    /// sender has too long an ID.
    @Test func invitationThatCannotBeReadHasNoInventedInviter() async throws {
        let device = Device()
        try await device.connect()
        let sender = "@" + String(repeating: "e", count: 300) + ":example.net"
        let actual = """
            , {"type": "m.room.member", "state_key": "@alice:example.org", "sender": "\(sender)",
             "content": {"membership": "invite"}}]}}}}}
            """
        let forged = invitation(isDirect: true).replacing("]}}}}}", with: actual)
        device.server.reply("GET sync", forged)
        let channel = try await device.backend.channel(room)
        #expect(channel.myMemberState == .invited && channel.name == "General")
        #expect(channel.inviter == nil && !channel.isDistinct)
    }

    @Test func directChatNeedsTheInviterInTheRoom() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET sync", invitation(isDirect: true))
        device.server.reply(
            "POST rooms/!room:example.org/join", #"{"room_id": "!room:example.org"}"#)
        let member = "GET rooms/!room:example.org/state/m.room.member/@bob:example.org"
        device.server.reply(member, #"{"membership": "leave"}"#)
        try await device.backend.perform(AnswerInvitation(to: room, accepts: true))
        #expect(device.server.requests.last == member)
    }

    // MARK: Losses

    /// Returns Alice's device after the first `/sync`, which contains one room.
    private func deviceWithARoom() async throws -> (Device, FeedCursor) {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        return (device, try await device.backend.feed(since: nil).cursor)
    }

    @Test(arguments: [
        ("leave", "@alice:example.org", ChannelRemoval.Cause.left),
        ("leave", "@bob:example.org", .removed), ("ban", "@bob:example.org", .banned),
    ])
    func lostRoomSaysWhy(
        membership: String, sender: String, cause: ChannelRemoval.Cause
    ) async throws {
        let (device, cursor) = try await deviceWithARoom()
        let event = state(
            "m.room.member", #"{"membership": "\#(membership)", "reason": "spam"}"#,
            key: "@alice:example.org", by: sender)
        device.server.replace(
            "GET sync",
            """
            {"next_batch": "s2", "rooms": {"leave": {"!room:example.org": {
                "timeline": {"events": [\(event)]}}}}}
            """)
        let events = try await device.backend.feed(since: cursor).events
        guard case .channelRemoved(room, let removal) = events.first else {
            Issue.record("the feed reports \(events)")
            return
        }
        #expect(events.count == 1)
        #expect(removal.cause == cause)
        #expect(removal.actor?.userID == (cause == .left ? nil : UserID(sender)))
        #expect(removal.reason == (cause == .left ? nil : "spam"))
    }

    @Test(arguments: [
        ("join", nil, "@carol:example.org", CollectionEventSource.eventUserJoined),
        ("invite", nil, "@bob:example.org", .eventUserReceivedInvitation),
        ("knock", nil, "@carol:example.org", .eventUserRequestedToJoin),
        ("ban", "join", "@bob:example.org", .eventUserBanned),
        ("leave", "join", "@bob:example.org", .eventUserLeft),
        ("leave", "ban", "@bob:example.org", .eventUserUnbanned),
        ("leave", "invite", "@carol:example.org", .eventUserDeclinedInvitation),
        ("join", "join", "@carol:example.org", .eventChannelChanged),
    ])
    func changeOfAMembershipSaysWhoAndWhy(
        membership: String, previous: String?, sender: String, source: CollectionEventSource
    ) async throws {
        let (device, cursor) = try await deviceWithARoom()
        let unsigned = previous.map { #"{"prev_content": {"membership": "\#($0)"}}"# } ?? "{}"
        let event = """
            {"type": "m.room.member", "state_key": "@carol:example.org", "event_id": "$1",
             "sender": "\(sender)", "origin_server_ts": 1500, "unsigned": \(unsigned),
             "content": {"membership": "\(membership)", "reason": "lunch"}}
            """
        device.server.replace("GET sync", PreparedReplies.sync("s2", event))
        let updates = try await device.backend.feed(since: cursor).events.compactMap { event in
            if case .channel(let update) = event { update } else { nil }
        }
        let update = try #require(updates.first)
        #expect(updates.count == 1)
        #expect(update.source == source)
        guard source != .eventChannelChanged else { return }
        #expect(update.users.map(\.userID) == ["@carol:example.org"])
        #expect(update.actor?.userID == UserID(sender))
        #expect(update.reason == "lunch")
    }

    @Test func severalChangesOfMembershipsAreSeveralEvents() async throws {
        let (device, cursor) = try await deviceWithARoom()
        let joins = ["@carol:example.org", "@dave:example.org"].map {
            state("m.room.member", #"{"membership": "join"}"#, key: $0, by: $0)
        }
        device.server.replace("GET sync", PreparedReplies.sync("s2", events: joins))
        let users = try await device.backend.feed(since: cursor).events.compactMap { event in
            if case .channel(let update) = event { update.users.map(\.userID) } else { nil }
        }
        #expect(users == [["@carol:example.org"], ["@dave:example.org"]])
    }

    @Test func purgedRoomIsMissingAfterTheNextConnection() async throws {
        let (device, cursor) = try await deviceWithARoom()
        device.server.replace("GET sync", #"{"next_batch": "s2"}"#)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": []}"#)
        _ = try await device.backend.connect(
            as: Credentials("@alice:example.org", accessToken: "token"))
        #expect(try await device.backend.feed(since: cursor).events == [.joinedChannels([])])
        #expect(try await device.backend.feed(since: "s2").events == [])
        #expect(device.server.requests.filter { $0 == "GET joined_rooms" }.count == 1)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.channel(room)
        }
        #expect(error?.code == .notFound)
    }

    /// The server does not list invitations, and the comparison does not load the list of rooms.
    @Test func joinedRoomsAreComparedOnceForEachConnection() async throws {
        let device = Device()
        device.server.reply("GET sync", #"{"next_batch": "s2"}"#)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        for _ in 0..<2 {
            try await device.connect()
            let events = try await device.backend.feed(since: "s1").events
            #expect(events == [.joinedChannels([room])])
            #expect(try await device.backend.feed(since: "s2").events == [])
        }
        #expect(device.server.requests.filter { $0 == "GET sync" }.count == 4)
    }
}
