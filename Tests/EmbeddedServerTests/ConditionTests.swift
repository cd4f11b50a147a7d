import Models
import ScrollbackTestSupport
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct ConditionTests {
    @Test func messagesOfASecondShareTheirTime() async throws {
        let world = try World()
        try world.makeChannel("general", "alice")
        world.server.conditions.timeGranularity = 1000
        let alice = try await world.connect("alice")
        var times: [Timestamp] = []
        for text in ["a", "b", "c", "d"] {
            times += try await alice.say(text).map(\.createdAt)
            world.clock.advance(by: 400)
        }
        #expect(times == [1000, 1000, 1000, 2000])
        #expect(try await alice.texts() == ["a", "b", "c", "d"])
        #expect(
            try await alice.messages(in: "general", at: .newest, older: 2, newer: 0).older?.rawValue
                == "\(world.epoch).0:b1000/3")
    }

    @Test func skewedClocksChangeTheOrder() async throws {
        func times(seed: UInt64) async throws -> [Int64] {
            let world = try World(seed: seed)
            try world.makeChannel("general", "alice")
            world.server.conditions.clockSkew = 100
            let alice = try await world.connect("alice")
            var times: [Int64] = []
            for number in 0..<20 {
                times += try await alice.say(String(number)).map(\.createdAt.milliseconds)
            }
            let page = try await alice.messages(in: "general", at: .newest, older: 20, newer: 0)
            #expect(page.messages.map(\.createdAt.milliseconds) == times.sorted())
            #expect(try await alice.channel("general").lastMessage == page.messages.last)
            return times
        }
        let first = try await times(seed: 1)
        #expect(first != first.sorted())
        #expect(first.allSatisfy { (900...1100).contains($0) })
        #expect(try await times(seed: 1) == first)
        #expect(try await times(seed: 2) != first)
    }

    @Test func truncationUnderClockSkewOmitsTheMessagesAcceptedFirst() async throws {
        let world = try World(seed: 7)
        try world.makeChannel("general", "alice", "bob")
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        world.server.conditions.clockSkew = 100
        world.server.conditions.feedLimit = 3
        for number in 0..<20 { _ = try await alice.say(String(number)) }
        let events = try await bob.catchUp(since: start).events
        #expect(events.words == ["truncation", "17", "18", "19"])
    }

    @Test func feedReportsExpiredMessagesAsARangeOrIndividually() async throws {
        let world = try World()
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        for text in ["a", "b", "c", "d"] {
            _ = try await alice.say(text)
            world.clock.advance()
        }
        let start = try await alice.feed(since: nil).cursor
        try world.server.expireMessages(before: 1002)
        #expect(try await alice.texts() == ["c", "d"])
        let events = try await alice.catchUp(since: start).events
        #expect(events.words == ["changed 1000 to 1001"])
        #expect(events.channels["general"] == (try await alice.channel("general")))
        #expect(try await alice.channel("general").messagePurgeOffset == 1002)
        #expect(
            await thrown {
                try await alice.messages(in: "general", at: .message("1"), older: 1, newer: 1)
            }?.code == .expired)
        try world.server.expireMessages(before: 1003, reportsDeletions: true)
        #expect(
            try await alice.catchUp(since: start).events.words == ["changed 1000 to 1001", "-3"])
        #expect(try await alice.texts() == ["d"])
    }

    @Test func restoredServerHasANewEpoch() async throws {
        let world = try World()
        try world.makeChannel("general", "alice", "bob")
        let alice = try await world.connect("alice")
        _ = try await alice.say("a")
        let backup = try world.server.backup()
        _ = try await alice.say("b")
        let cursor = try await alice.feed(since: nil).cursor
        let original = world.epoch
        try world.server.restore(backup)
        #expect(await thrown { try await alice.feed(since: cursor) }?.code == .expired)
        #expect(try await alice.texts() == ["a"])
        let epoch = try await alice.connect(as: Credentials("alice")).epoch
        #expect(epoch.rawValue != original)
        #expect(try await alice.feed(since: nil).epoch == epoch)
        // The server assigns the id 2 a second time.
        #expect(try await alice.say("c").map(\.messageID) == ["2"])
        try world.server.restore(backup)
        let next = try await alice.connect(as: Credentials("alice")).epoch
        #expect(next.rawValue != original)
        #expect(next != epoch)
    }

    @Test func eachServerHasAnEpochOfItsOwnAndKeepsIt() async throws {
        func epoch(of world: World) async throws -> ServerEpoch {
            try await world.connect("alice").connect(as: Credentials("alice")).epoch
        }
        let directory = ScratchDirectory()
        let clock = Clock()
        let world = try World(at: directory.url, clock: clock)
        let first = ServerEpoch(world.epoch)
        // The epoch must be on disk, although no request was made to this server.
        world.server.close()
        clock.advance()
        let again = try World(at: directory.url, clock: clock)
        #expect(try await epoch(of: again) == first)
        again.server.close()

        let later = try World(clock: clock)
        let seeded = try World(seed: 1, clock: clock)
        let epochs = [first, try await epoch(of: later), try await epoch(of: seeded)]
        #expect(Set(epochs).count == 3, "\(epochs)")
        // The epoch depends only on the seed and the time.
        #expect(try await epoch(of: try World(clock: clock)) == epochs[1])
    }

    @Test func conditionsOutOfRangeAreClamped() throws {
        let world = try World()
        world.server.conditions.pageLimit = -5
        world.server.conditions.repeatsChangelogEntries = true
        world.server.conditions.changelogPageSize = 0
        world.server.conditions.timeGranularity = 0
        #expect(world.server.conditions.pageLimit == 1)
        #expect(world.server.conditions.changelogPageSize == 2)
        #expect(world.server.conditions.timeGranularity == 1)
    }

    @Test func restoredServerNeverReusesAnEpoch() async throws {
        func epoch(of world: World) async throws -> ServerEpoch {
            try await world.connect("alice").connect(as: Credentials("alice")).epoch
        }
        let old = try World()
        try old.makeChannel("general", "alice")
        let original = old.epoch
        let first = try old.server.backup()
        try old.server.restore(first)
        let second = try await epoch(of: old)
        let backup = try old.server.backup()
        // The new server has never had the epochs that the old one has used.
        let new = try World()
        try new.server.restore(first)
        var seen = [try await epoch(of: new)]
        try new.server.restore(backup)
        seen.append(try await epoch(of: new))
        try old.server.restore(first)
        seen.append(try await epoch(of: old))
        #expect(Set(seen).count == 3, "\(seen)")
        #expect(!seen.contains(second), "\(seen) \(second)")
        #expect(!seen.map(\.rawValue).contains(original))
    }

    @Test func enteredOpenChannelSurvivesARestore() async throws {
        let world = try World()
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let backup = try world.server.backup()
        _ = try await alice.perform(CreateOpenChannel(OpenChannelCreateParams("one", url: "one")))
        _ = try await alice.perform(CreateOpenChannel(OpenChannelCreateParams("two", url: "two")))
        let both = try world.server.backup()
        try world.server.restore(backup)
        // Create the channels in the other order, so that each gets the number that the other
        // channel had before.
        _ = try await alice.perform(CreateOpenChannel(OpenChannelCreateParams("two", url: "two")))
        _ = try await alice.perform(CreateOpenChannel(OpenChannelCreateParams("one", url: "one")))
        _ = try await bob.perform(EnterOpenChannel("one"))
        // The backup does not contain the log entries of these messages.
        for text in ["a", "b", "c"] { _ = try await bob.send(.text(text, in: "one")) }
        try world.server.restore(both)
        let cursor = try await bob.catchUp(since: nil).cursor
        _ = try await bob.send(.text("d", in: "one"))
        #expect(try await bob.catchUp(since: cursor).events.words == ["d"])
        #expect(await thrown { try await bob.send(.text("e", in: "two")) }?.code == .refused)
        #expect(try await alice.perform(FetchOpenChannel("one")).participantCount == 1)
        #expect(try await alice.perform(FetchOpenChannel("two")).participantCount == 0)
    }
}
