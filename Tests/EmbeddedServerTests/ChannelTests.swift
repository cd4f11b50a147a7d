import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct ChannelTests {
    let world: World

    init() throws { world = try World() }

    @Test func namedUsersAreInvited() async throws {
        let alice = try await world.connect("alice")
        let channel = try await alice.perform(
            CreateChannel(
                GroupChannelCreateParams("General", userIDs: ["bob"])))
        #expect(channel.url == "group_channel_1")
        #expect(channel.isCreated)
        #expect(channel.myRole == .operator)
        #expect(channel.members.map(\.userID) == ["alice", "bob"])
        #expect(channel.members.map(\.state) == [.joined, .invited])
        let bob = try await world.connect("bob")
        let seen = try await bob.channel(channel.url)
        #expect(seen.myMemberState == .invited)
        #expect(seen.inviter?.userID == "alice")
        let error = await thrown { try await bob.send(.text("hi", in: channel.url)) }
        #expect(error?.detail == .notMember)
        try await bob.perform(AnswerInvitation(to: channel.url, accepts: true))
        #expect(try await bob.channel(channel.url).joinedMemberCount == 2)
        #expect(try await bob.send(.text("hi", in: channel.url)).text == "hi")
    }

    @Test func withoutInvitationsListedUsersJoin() async throws {
        world.server.conditions.missingCapabilities = .invitations
        let alice = try await world.connect("alice")
        let channel = try await alice.perform(
            CreateChannel(
                GroupChannelCreateParams(userIDs: ["bob"], url: "general")))
        #expect(channel.joinedMemberCount == 2)
        let error = await thrown {
            try await alice.perform(AnswerInvitation(to: "general", accepts: true))
        }
        #expect(error?.code == .unsupported)
    }

    @Test func usedURLIsNotAssigned() async throws {
        let alice = try await world.connect("alice")
        try world.makeChannel("group_channel_2", "alice")
        #expect(
            try await alice.perform(CreateChannel(GroupChannelCreateParams())).url
                == "group_channel_2_")
        try world.makeChannel("open_channel_4", "alice")
        let open = try await alice.perform(CreateOpenChannel(OpenChannelCreateParams()))
        #expect(open.url == "open_channel_4_")
    }

    @Test func refusedChannelChangesNothing() async throws {
        try world.makeChannel("general", "alice")
        // A failed change of several steps is rolled back by loading the channel again, as a new
        // object. The refused request must not have begun such a change.
        func loaded() -> ObjectIdentifier? {
            world.server.withState { state in state.channels.values.first.map(ObjectIdentifier.init)
            }
        }
        let before = loaded()
        let error = await thrown { try world.makeChannel("general", "alice", "dave") }
        #expect(error?.detail == .duplicatedData)
        #expect(loaded() == before)
        let dave = await thrown { try world.server.revokeUser("dave") }
        #expect(dave?.detail == .userNotExist)
    }

    @Test func anyUserCanJoinAPublicChannel() async throws {
        let alice = try await world.connect("alice")
        let carol = try await world.connect("carol")
        var params = GroupChannelCreateParams(url: "open")
        params.isPublic = true
        _ = try await alice.perform(CreateChannel(params))
        #expect(try await carol.perform(JoinChannel("open")).joinedMemberCount == 2)
        try world.makeChannel("closed", "alice")
        #expect(
            await thrown { try await carol.perform(JoinChannel("closed")) }?.detail
                == .notAuthorized)
    }

    @Test func metadataMissingInAnUpdateIsKept() async throws {
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        var patch = Patch<GroupChannel>()
        patch.set(\.metadata, to: ["k": "v"])
        patch.set(\.data, to: "d")
        patch.set(\.memberCount, to: 99)
        _ = try await alice.perform(UpdateChannel("general", with: patch))
        var other = Patch<GroupChannel>()
        other.set(\.name, to: "n")
        let channel = try await alice.perform(UpdateChannel("general", with: other))
        #expect(channel.name == "n")
        #expect(channel.data == "d")
        #expect(channel.metadata == ["k": "v"])
        #expect(channel.metadataUpdatedAt == ["k": 1000])
        #expect(channel.memberCount == 1)
    }

    @Test func unreadMessagesAndMentionsAreCounted() async throws {
        try world.makeChannel("general", "alice", "bob")
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        _ = try await alice.send(.text("a") { $0.mentionedUserIDs = ["bob"] })
        _ = try await alice.say("b", "c")
        _ = try await bob.say("own")
        #expect(try await bob.channel("general").unreadMessageCount == 3)
        #expect(try await bob.channel("general").unreadMentionCount == 1)
        try await alice.delete("1", in: "general", requestID: "r")
        #expect(try await bob.channel("general").unreadMessageCount == 2)
        #expect(try await bob.channel("general").unreadMentionCount == 0)
        try await bob.perform(MarkAsRead("general"))
        #expect(try await bob.channel("general").unreadMessageCount == 0)
        #expect(try await bob.channel("general").myLastRead == 1000)
        #expect(try await alice.channel("general").readReceipts["bob"] == 1000)
        // "d" is sent in the same millisecond in which bob read the channel.
        _ = try await alice.say("d")
        #expect(try await bob.channel("general").unreadMessageCount == 1)
        #expect(try await alice.channel("general").unreadMessageCount == 1)
    }

    @Test(arguments: GroupChannelListOrder.allCases)
    func aListHasTheOrderOfItsQuery(order: GroupChannelListOrder) async throws {
        let alice = try await world.connect("alice")
        for number in [3, 1, 2, 5, 4] {
            let url = ChannelURL("c\(number)")
            try world.makeChannel(url, "alice")
            var patch = Patch<GroupChannel>()
            patch.set(\.name, to: "n\(number % 3)")
            if number != 2 { patch.set(\.metadata, to: ["k": "v\(9 - number)"]) }
            _ = try await alice.perform(UpdateChannel(url, with: patch))
            if number % 2 == 1 { _ = try await alice.say("m\(number)", in: url) }
            world.clock.advance()
        }
        var query = GroupChannelListQuery()
        query.order = order
        query.limit = 2
        query.metaDataOrderKeyFilter = "k"
        var channels: [GroupChannel] = []
        var cursor: PageCursor?
        repeat {
            let page = try await alice.channels(matching: query, after: cursor)
            channels += page.elements
            cursor = page.next
        } while cursor != nil
        #expect(channels.count == 5)
        #expect(channels.map(\.url) == channels.sorted(by: query.precedes).map(\.url))
    }

    // MARK: Moderating

    @Test func muteEndsAfterItsDuration() async throws {
        try world.makeChannel("general", "alice", "bob")
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        try await alice.perform(
            RestrictUser("bob", in: "general", as: .muted, until: 1010, reason: "loud"))
        #expect(await thrown { try await bob.say("a") }?.detail == .mutedInChannel)
        #expect(try await bob.channel("general").isCurrentUserMuted)
        #expect(try await bob.channel("general").myRestriction?.reason == "loud")
        world.clock.advance(by: 10)
        try await bob.say("b")
        try await alice.perform(
            RestrictUser("bob", in: "general", as: .muted, until: nil, reason: ""))
        #expect(await thrown { try await bob.say("c") }?.detail == .mutedInChannel)
        try await alice.perform(LiftRestriction(.muted, of: "bob", in: "general"))
        try await bob.say("d")
        #expect(try await bob.texts() == ["b", "d"])
    }

    @Test func memberListOmitsAnExpiredMute() async throws {
        try world.makeChannel("general", "alice", "bob", "carol")
        let alice = try await world.connect("alice")
        try await alice.perform(
            RestrictUser("bob", in: "general", as: .muted, until: 1010, reason: ""))
        try await alice.perform(
            RestrictUser("carol", in: "general", as: .muted, until: 1020, reason: ""))
        func muted() async throws -> [UserID] {
            try await alice.channel("general").members.filter(\.isMuted).map(\.userID)
        }
        #expect(try await muted() == ["bob", "carol"])
        world.clock.advance(by: 10)
        #expect(try await muted() == ["carol"])
        world.clock.advance(by: 10)
        #expect(try await muted() == [])
    }

    @Test func banDuringAnAbsenceRemovesTheChannel() async throws {
        var params = GroupChannelCreateParams(userIDs: ["bob"], url: "general")
        params.isPublic = true
        try world.server.createChannel(params, by: "alice")
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        try await alice.perform(
            RestrictUser("bob", in: "general", as: .banned, until: nil, reason: "spam"))
        #expect(
            try await bob.catchUp(since: start).events.words == ["lost general banned alice spam"])
        #expect(await thrown { try await bob.perform(JoinChannel("general")) }?.detail == .banned)
        #expect(await thrown { try await bob.say("a") }?.detail == .banned)
        #expect(
            await thrown { try await alice.perform(InviteUsers(["bob"], to: "general")) }?.detail
                == .banned)
        try await alice.perform(LiftRestriction(.banned, of: "bob", in: "general"))
        #expect(try await bob.perform(JoinChannel("general")).memberCount == 2)
    }

    @Test(arguments: [RestrictionType.muted, .banned])
    func unknownUserCannotBeRestricted(type: RestrictionType) async throws {
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        let restricting = await thrown {
            try await alice.perform(
                RestrictUser("nosuch", in: "general", as: type, until: nil, reason: ""))
        }
        let lifting = await thrown {
            try await alice.perform(LiftRestriction(type, of: "nosuch", in: "general"))
        }
        for error in [restricting, lifting] {
            #expect(error?.code == .notFound && error?.detail == .userNotExist)
        }
    }

    // MARK: Open channels

    @Test func participantReceivesMessagesOfAnOpenChannel() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let channel = try await alice.perform(
            CreateOpenChannel(OpenChannelCreateParams("O", url: "o")))
        #expect(channel.operators.map(\.userID) == ["alice"])
        #expect(await thrown { try await bob.texts(in: "o") }?.detail == .notMember)
        _ = try await alice.perform(EnterOpenChannel("o"))
        _ = try await alice.say("before", in: "o")
        let start = try await bob.feed(since: nil).cursor
        #expect(try await bob.perform(EnterOpenChannel("o")).participantCount == 2)
        _ = try await alice.say("after", in: "o")
        let (events, cursor) = try await bob.catchUp(since: start)
        #expect(events.words == ["after"])
        #expect(try await bob.texts(in: "o") == ["before", "after"])
        try await bob.perform(ExitOpenChannel("o"))
        _ = try await alice.say("gone", in: "o")
        #expect(try await bob.catchUp(since: cursor).events.words == [])
        await alice.disconnect()
        #expect(try await bob.perform(FetchOpenChannel("o")).participantCount == 0)
        _ = try await bob.perform(EnterOpenChannel("o"))
        let last = try await bob.catchUp(since: cursor).cursor
        let carol = try await world.connect("carol")
        _ = try await carol.perform(EnterOpenChannel("o"))
        let entered = try await bob.catchUp(since: last)
        #expect(entered.events.words == ["entered [\"carol\"] exited []"])
        await carol.disconnect()
        let exited = try await bob.catchUp(since: entered.cursor)
        #expect(exited.events.words == ["entered [] exited [\"carol\"]"])
        #expect(
            try await bob.perform(ListOpenChannels(after: nil, limit: 5)).elements.map(\.url) == [
                "o"
            ])
    }
}
