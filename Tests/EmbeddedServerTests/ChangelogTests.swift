import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct ChangelogTests {
    let world: World

    init() throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob")
    }

    private func readAll(
        since point: ChangelogPoint
    ) async throws -> (updated: [String], deleted: [MessageID], pages: Int) {
        let bob = try await world.connect("bob")
        var point = point
        var updated: [String] = []
        var deleted: [MessageID] = []
        var pages = 0
        while true {
            let page = try await bob.messageChanges(in: "general", since: point)
            pages += 1
            updated += page.updated.map(\.text)
            deleted += page.deleted.map(\.messageID)
            let next = try #require(page.next)
            if page.hasMore { #expect(point != .token(next)) }
            point = .token(next)
            if !page.hasMore { return (updated, deleted, pages) }
        }
    }

    @Test func changelogReportsEditsAndDeletions() async throws {
        let alice = try await world.connect("alice")
        let start = try await alice.feed(since: nil).cursor
        _ = try await alice.say("a", "b", "c", "d")
        world.clock.advance()
        _ = try await alice.edit("1", to: "A")
        world.clock.advance()
        _ = try await alice.react(.add, with: "+1", to: "2", in: "general", requestID: "r")
        try await alice.delete("3", in: "general", requestID: "r")
        let all = try await readAll(since: .feed(start))
        #expect(all.updated == ["A", "b"])
        #expect(all.deleted == ["3"])
        #expect(try await readAll(since: .time(1002)).updated == ["b"])
        #expect(try await readAll(since: .time(1002)).deleted == ["3"])
        #expect(try await readAll(since: .time(1003)).deleted == [])
        let changes = try await alice.messageChanges(in: "general", since: .feed(start))
        #expect(changes.deleted.map(\.deletedAt) == [1002])
    }

    @Test func changelogHasPages() async throws {
        world.server.conditions.changelogPageSize = 2
        let alice = try await world.connect("alice")
        _ = try await alice.say("a", "b", "c", "d", "e")
        for id in 1...5 {
            _ = try await alice.edit(MessageID(String(id)), to: "\(id)")
        }
        let changes = try await readAll(since: .time(0))
        #expect(changes.updated == ["1", "2", "3", "4", "5"])
        #expect(changes.pages == 6)
        world.server.conditions.repeatsChangelogEntries = true
        let repeated = try await readAll(since: .time(0))
        #expect(repeated.updated.count > 5)
        #expect(Set(repeated.updated) == ["1", "2", "3", "4", "5"])
    }

    @Test func changelogByTimeNeedsTheCapability() async throws {
        world.server.conditions.missingCapabilities = [
            .messageChangelogByTime, .channelChangelogByTime,
        ]
        let bob = try await world.connect("bob")
        let error = await thrown { try await bob.messageChanges(in: "general", since: .time(0)) }
        #expect(error?.code == .unsupported)
        #expect(
            await thrown { try await bob.channelChanges(since: .time(0)) }?.code == .unsupported)
    }

    @Test func changelogListsEachChangedChannelOnce() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let start = try await bob.feed(since: nil).cursor
        try world.makeChannel("new", "alice", "bob")
        _ = try await alice.say("a", "b")
        let changes = try await bob.channelChanges(since: .feed(start))
        #expect(changes.updated.map(\.url) == ["new", "general"])
        #expect(changes.updated.map(\.unreadMessageCount) == [0, 2])
        #expect(changes.deletedURLs == [])
        #expect(!changes.hasMore)
        let token = try #require(changes.next)
        #expect(try await bob.channelChanges(since: .token(token)).updated == [])
        try await bob.perform(LeaveChannel("new"))
        try await alice.perform(DeleteChannel("general"))
        let later = try await bob.channelChanges(since: .token(token))
        #expect(later.updated == [])
        #expect(later.deletedURLs == ["new", "general"])
        #expect(try await bob.channelChanges(since: .time(0)).deletedURLs == ["new", "general"])
    }

    @Test func changesThatTheParametersExcludeAreLeftOut() async throws {
        let alice = try await world.connect("alice")
        let start = ChangelogPoint.feed(try await alice.feed(since: nil).cursor)
        _ = try await alice.say("a")
        _ = try await alice.edit("1", to: "A")
        try world.makeChannel("new", "alice")
        let messages = try await alice.messageChanges(
            in: "general", since: start, params: MessageChangelogParams())
        #expect(messages.updated.map(\.text) == ["A"])
        var params = GroupChannelChangelogParams()
        params.includesEmptyChannel = false
        let channels = try await alice.channelChanges(since: start, params: params)
        #expect(channels.updated.map(\.url) == ["general"])
        #expect(channels.next == (try await alice.channelChanges(since: start).next))
    }
}
