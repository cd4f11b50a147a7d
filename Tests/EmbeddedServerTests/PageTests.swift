import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct PageTests {
    let world: World

    /// Creates messages `0` to `9` with the times 1000, 1001 and so on.
    init() async throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob")
        let alice = try await world.connect("alice")
        for number in 0...9 {
            _ = try await alice.say(String(number))
            world.clock.advance()
        }
    }

    private func page(
        _ anchor: MessageAnchor, _ older: Int, _ newer: Int
    ) async throws -> (texts: String, page: MessagePage) {
        let bob = try await world.connect("bob")
        let page = try await bob.messages(in: "general", at: anchor, older: older, newer: newer)
        return (page.messages.map(\.text).joined(), page)
    }

    @Test func pageAroundADeletedMessageUsesItsPosition() async throws {
        try world.server.deleteMessage("4", in: "general")
        #expect(try await page(.message("4"), 2, 2).texts == "1245")
        let error = await thrown { try await page(.message("99"), 2, 2) }
        #expect(error?.code == .expired)
    }

    @Test func cursorsAreMissingAtTheEndsOnly() async throws {
        let middle = try await page(.time(1005), 2, 2).page
        #expect(middle.older?.rawValue == "\(world.epoch).0:b1003/4")
        #expect(middle.newer?.rawValue == "\(world.epoch).0:a1006/7")
        let all = try await page(.time(1005), 5, 5).page
        #expect(all.older == nil)
        #expect(all.newer == nil)
        let none = try await page(.newest, 0, 5)
        #expect(none.texts == "")
        #expect(none.page.newer == nil)
        let older = try #require(none.page.older)
        #expect(try await page(.cursor(older), 2, 2).texts == "89")
        let empty = try await page(.time(1005), 0, 0).page
        let around = try #require(empty.older)
        #expect(empty.newer == around)
        #expect(try await page(.cursor(around), 1, 1).texts == "45")
    }

    @Test func pagesAreCapped() async throws {
        world.server.conditions.pageLimit = 2
        let (texts, page) = try await page(.time(1005), 100, 100)
        #expect(texts == "3456")
        #expect(page.older != nil)
        #expect(page.newer != nil)
    }

    @Test func pageCursorsExpireOnRequest() async throws {
        let cursor = try #require(try await page(.newest, 3, 0).page.older)
        try world.server.expirePageCursors()
        #expect(await thrown { try await page(.cursor(cursor), 3, 0) }?.code == .expired)
        #expect(await thrown { try await page(.cursor("nonsense"), 3, 0) }?.code == .expired)
        let next = try #require(try await page(.newest, 3, 0).page.older)
        #expect(next.rawValue == "\(world.epoch).1:b1007/8")
        #expect(try await page(.cursor(next), 3, 0).texts == "456")
    }
}
