import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct ComingBackTests {
    @Test func bannedUserCannotReturnByADistinctChannel() async throws {
        let world = try World()
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        var ofAlice = GroupChannelCreateParams("pair", userIDs: ["bob"], url: "pair")
        ofAlice.isDistinct = true
        var ofBob = GroupChannelCreateParams("pair", userIDs: ["alice"])
        ofBob.isDistinct = true
        let (first, again) = (ofAlice, ofBob)
        _ = try await alice.perform(CreateChannel(first))
        #expect(try await bob.perform(CreateChannel(again)).url == "pair")
        try await alice.perform(
            RestrictUser("bob", in: "pair", as: .banned, until: nil, reason: ""))
        #expect(await thrown { try await bob.perform(CreateChannel(again)) }?.detail == .banned)
        #expect(try await alice.channel("pair").members.map(\.userID) == ["alice"])
        try await alice.perform(LiftRestriction(.banned, of: "bob", in: "pair"))
        #expect(try await bob.perform(CreateChannel(again)).url == "pair")
    }

    @Test func resetHistoryStaysReset() async throws {
        try await withDirectory { directory in
            let clock = Clock()
            var world = try World(at: directory, clock: clock)
            var params = GroupChannelCreateParams("general", userIDs: ["bob"], url: "general")
            params.isPublic = true
            try world.server.createChannel(params, by: "alice")
            let alice = try await world.connect("alice")
            var bob = try await world.connect("bob")
            try await alice.say("a")
            let offset = try await bob.perform(ResetMyHistory(of: "general"))
            #expect(try await bob.channel("general").lastMessage == nil)
            clock.advance(by: 10)
            try await alice.say("b")
            try await bob.perform(LeaveChannel("general"))
            _ = try await bob.perform(JoinChannel("general"))
            #expect(try await bob.texts() == ["b"])
            #expect(try await bob.channel("general").messageOffset == offset)
            try await bob.perform(LeaveChannel("general"))
            world.server.close()
            world = try World(at: directory, clock: clock)
            bob = try await world.connect("bob")
            _ = try await bob.perform(JoinChannel("general"))
            #expect(try await bob.texts() == ["b"])
            world.server.close()
        }
    }
}
