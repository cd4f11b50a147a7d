import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct NetworkPageTests {
    let server = LogBackend()
    let network: ConditionedBackend

    init() {
        server.receive("a b c d e f g h")
        network = ConditionedBackend(server)
    }

    @Test func pageCapAppliesToRequestedSizes() async throws {
        network.update { $0.pages.cap = 3 }
        let pages = try await network.readAll(older: 100)
        #expect(pages.map(\.picture) == ["… f g h", "… c d e …", "a b …"])
        let around = try await network.messages(in: "one", at: .message("d"), older: 9, newer: 9)
        #expect(around.picture == "a b c d e f …")
    }

    @Test func shortPageHasMoreOlderMessages() async throws {
        network.update { $0.pages.short = 1 }
        let pages = try await network.readAll(older: 4)
        #expect(pages.allSatisfy { (1...3).contains($0.messages.count) })
        #expect(pages.reversed().flatMap(\.messages).map(\.text) == server.texts)
    }

    @Test func emptyPagesAreNeverConsecutive() async throws {
        network.update { $0.pages.empty = 1 }
        let pages = try await network.readAll(older: 4)
        #expect(pages.map(\.picture) == ["…", "… e f g h", "… …", "a b c d …"])
        let cursors = pages.compactMap(\.older)
        #expect(cursors == ["~p1:9", "5", "~p1:5"])
    }

    @Test func emptyHistoryHasNoFurtherPages() async throws {
        network.update { $0.pages.empty = 1 }
        let page = try await network.messages(in: "two", at: .newest, older: 4, newer: 4)
        #expect(page == MessagePage(messages: [], older: nil, newer: nil))
    }

    @Test func anchorMessageIsAlwaysOnThePage() async throws {
        network.update {
            $0.pages.empty = 1
            $0.pages.short = 1
            $0.pages.cap = 1
        }
        let page = try await network.messages(in: "one", at: .message("d"), older: 4, newer: 4)
        #expect(page.picture == "… c d …")
    }

    @Test func deletedAnchorExpiresIfTheServerLooksItUp() async throws {
        server.remove("d")
        let page = try await network.messages(in: "one", at: .message("d"), older: 1, newer: 1)
        #expect(page.picture == "… c e …")
        network.update { $0.pages.deletedAnchorsExpire = true }
        for (id, code) in [("d", BackendError.Code.expired), ("e", nil)] {
            #expect(
                await thrown {
                    try await network.messages(
                        in: "one", at: .message(MessageID(id)), older: 1, newer: 1)
                }?.code == code)
        }
    }

    @Test func cursorsFromBeforeExpireAndNewOnesDoNot() async throws {
        let page = try await network.messages(in: "one", at: .newest, older: 2, newer: 0)
        let old = try #require(page.older)
        network.expire(.pageCursors)
        #expect(
            await thrown {
                try await network.messages(in: "one", at: .cursor(old), older: 2, newer: 0)
            }?.code == .expired)
        let pages = try await network.readAll(older: 3)
        #expect(pages.map(\.picture) == ["… f g h", "… c d e …", "a b …"])
        #expect(pages[0].older == "~g1:6")
        // Expiring page cursors does not affect the cursors of feeds and changelogs.
        #expect(try await network.feed(since: "7").picture == "h")
    }

    @Test func unknownCursorCountsAsExpired() async throws {
        for text in ["~nonsense", "~p1"] {
            #expect(
                await thrown {
                    try await network.messages(
                        in: "one", at: .cursor(PageCursor(text)), older: 2, newer: 0)
                }?.code == .expired)
        }
    }

    @Test func someCallsFindTheirCursorExpired() async throws {
        network.update { $0.pages.expired = 1 }
        let page = try await network.messages(in: "one", at: .newest, older: 2, newer: 0)
        let cursor = try #require(page.older)
        #expect(
            await thrown {
                try await network.messages(in: "one", at: .cursor(cursor), older: 2, newer: 0)
            }?.code == .expired)
    }

    @Test func listsAreCutAsHistoriesAre() async throws {
        network.update {
            $0.pages.cap = 3
            $0.pages.empty = 1
        }
        var pages = [try await network.perform(ListMembers(of: "one", after: nil, limit: 100))]
        while let next = pages[pages.count - 1].next {
            pages.append(try await network.perform(ListMembers(of: "one", after: next, limit: 100)))
        }
        #expect(pages.map(\.elements.count) == [0, 3, 0, 3, 0, 1])
        #expect(pages.compactMap(\.next) == ["~p1", "3", "~p1:3", "6", "~p1:6"])
        #expect(
            pages.flatMap(\.elements).map(\.userID)
                == ["u1", "u2", "u3", "u4", "u5", "u6", "u7"])

        var query = GroupChannelListQuery()
        query.limit = 1
        let first = try await network.channels(matching: query, after: nil)
        let second = try await network.channels(matching: query, after: first.next)
        #expect(first.elements == [] && second.elements.map(\.url) == ["one"])
    }

    @Test(arguments: UInt64(0)..<40)
    func pagingFindsAllMessagesAndEnds(seed: UInt64) async throws {
        network.conditions = .awkward(seed: seed)
        let pages = try await network.readAll(older: 3)
        #expect(pages.reversed().flatMap(\.messages).map(\.text) == server.texts)
        #expect(pages.count <= 2 * 8 + 1)
        #expect(pages.allSatisfy { $0.messages.count <= 3 })

        var page = try await network.messages(in: "one", at: .time(0), older: 0, newer: 3)
        var texts = page.messages.map(\.text)
        while let newer = page.newer {
            page = try await network.messages(
                in: "one", at: .cursor(newer), older: 0, newer: 3)
            texts += page.messages.map(\.text)
        }
        #expect(texts == server.texts)
    }
}
