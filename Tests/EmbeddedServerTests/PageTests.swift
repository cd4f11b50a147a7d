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

    @Test func timeAnchorSeparatesOlderFromNewerMessages() async throws {
        #expect(try await page(.time(1003), 2, 2).texts == "1234")
        #expect(try await page(.time(0), 5, 2).texts == "01")
        #expect(try await page(.time(5000), 2, 5).texts == "89")
        #expect(try await page(.time(.distantPast), 5, 1).texts == "0")
        #expect(try await page(.time(.distantFuture), 1, 5).texts == "9")
    }

    @Test func anchorMessageIsTheOldestOfTheNewerOnes() async throws {
        #expect(try await page(.message("4"), 2, 2).texts == "1234")
        #expect(try await page(.message("4"), 0, 1).texts == "3")
    }

    @Test func pageAroundADeletedMessageUsesItsPosition() async throws {
        try world.server.deleteMessage("4", in: "general")
        #expect(try await page(.message("4"), 2, 2).texts == "1245")
        let error = await thrown { try await page(.message("99"), 2, 2) }
        #expect(error?.code == .expired)
    }

    @Test func pagesJoinFromCursorToCursor() async throws {
        var texts = ""
        var anchor = MessageAnchor.newest
        while true {
            let (part, page) = try await page(anchor, 3, 0)
            texts = part + texts
            guard let older = page.older else { break }
            anchor = .cursor(older)
        }
        #expect(texts == "0123456789")
        texts = ""
        anchor = .time(0)
        while true {
            let (part, page) = try await page(anchor, 0, 3)
            texts += part
            guard let newer = page.newer else { break }
            anchor = .cursor(newer)
        }
        #expect(texts == "0123456789")
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

    @Test func pageCursorKeepsItsPosition() async throws {
        let cursor = try #require(try await page(.newest, 3, 0).page.older)
        #expect(cursor.rawValue == "\(world.epoch).0:b1007/8")
        try world.server.deleteMessage("8", in: "general")
        try world.server.deleteMessage("7", in: "general")
        _ = try await (try await world.connect("alice")).say("x")
        #expect(try await page(.cursor(cursor), 2, 9).texts == "4589x")
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

    @Test func messagesAreCountedByTime() async throws {
        let bob = try await world.connect("bob")
        #expect(try await bob.countMessages(in: "general", from: nil, to: nil) == 10)
        #expect(try await bob.countMessages(in: "general", from: 1002, to: 1005) == 3)
        #expect(try await bob.countMessages(in: "general", from: 1005, to: 1002) == 0)
        #expect(try await bob.countMessages(in: "general", from: 1005, to: nil) == 5)
    }

    @Test func resetHistoryRestartsForOneUser() async throws {
        let bob = try await world.connect("bob")
        let offset = try await bob.resetMyHistory(of: "general")
        #expect(offset == 1010)
        #expect(try await bob.texts() == [])
        #expect(try await bob.countMessages(in: "general", from: nil, to: nil) == 0)
        #expect(try await bob.lookup(["1"], in: "general").gone == ["1"])
        #expect(try await bob.channel("general").messageOffset == 1010)
        #expect(try await bob.channel("general").lastMessage == nil)
        let alice = try await world.connect("alice")
        _ = try await alice.say("new")
        #expect(try await bob.texts() == ["new"])
        #expect(try await alice.texts().count == 11)
        let page = try await bob.messages(in: "general", at: .newest, older: 5, newer: 0)
        #expect(page.older == nil)
    }

    @Test func threadsHavePagesToo() async throws {
        let alice = try await world.connect("alice")
        for text in ["a", "b", "c"] {
            _ = try await alice.send(.text(text) { $0.parentMessageID = "5" })
            world.clock.advance()
        }
        let last = try await alice.replies(
            to: "5", in: "general", at: .newest, older: 2, newer: 0)
        #expect(last.messages.map(\.text) == ["b", "c"])
        #expect(last.newer == nil)
        let cursor = try #require(last.older)
        let first = try await alice.replies(
            to: "5", in: "general", at: .cursor(cursor), older: 2, newer: 1)
        #expect(first.messages.map(\.text) == ["a", "b"])
        #expect(first.older == nil)
    }
}
