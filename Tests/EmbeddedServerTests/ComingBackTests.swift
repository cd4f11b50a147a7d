import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite struct ComingBackTests {
    @Test func whoIsBannedDoesNotComeBackThroughADistinctChannel() async throws {
        let world = try World()
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        var ofAlice = GroupChannelCreateParams("pair", userIDs: ["bob"], url: "pair")
        ofAlice.isDistinct = true
        var ofBob = GroupChannelCreateParams("pair", userIDs: ["alice"])
        ofBob.isDistinct = true
        let (first, again) = (ofAlice, ofBob)
        _ = try await alice.createChannel(first)
        #expect(try await bob.createChannel(again).channelURL == "pair")
        try await alice.restrict("bob", in: "pair", .banned, until: nil, reason: "")
        #expect(await thrown { try await bob.createChannel(again) }?.detail == .banned)
        #expect(try await alice.channel("pair").members.map(\.userID) == ["alice"])
        try await alice.lift(.banned, of: "bob", in: "pair")
        #expect(try await bob.createChannel(again).channelURL == "pair")
    }
}
