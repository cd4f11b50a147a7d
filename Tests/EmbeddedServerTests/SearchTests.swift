import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct SearchTests {
    let world: World

    /// Makes messages in two channels, two at a time.
    init() async throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob")
        try world.makeChannel("cats", "alice", "bob")
        let alice = try await world.connect("alice")
        for number in 0...3 {
            _ = try await alice.say("cat \(number)", in: "general")
            _ = try await alice.say("Cat's \(number)", in: "cats")
            world.clock.advance()
        }
    }

    private func search(
        _ text: String, as userID: UserID = "bob", after cursor: PageCursor? = nil, limit: Int = 10,
        _ change: (inout MessageSearchParams) -> Void = { _ in }
    ) async throws -> (texts: [String], next: PageCursor?) {
        var params = MessageSearchParams(text)
        change(&params)
        let page = try await world.connect(userID)
            .perform(SearchMessages(matching: params, after: cursor, limit: limit))
        return (page.elements.map(\.text), page.next)
    }

    @Test func messagesOfAllChannelsAreFoundNewestFirst() async throws {
        #expect(
            try await search("cat").texts == [
                "Cat's 3", "cat 3", "Cat's 2", "cat 2", "Cat's 1", "cat 1", "Cat's 0", "cat 0",
            ])
        #expect(try await search("cat 2").texts == ["Cat's 2", "cat 2"])
        #expect(try await search("cat -cats").texts == ["cat 3", "cat 2", "cat 1", "cat 0"])
        #expect(try await search("").texts == [])
        #expect(try await search("cat", as: "carol").texts == [])
    }

    @Test func filtersApply() async throws {
        #expect(
            try await search("cat") {
                ($0.channelURLs, $0.since, $0.until) = (["cats", "other"], 1001, 1003)
            }.texts == ["Cat's 2", "Cat's 1"])
        #expect(try await search("cat") { $0.senderUserIDs = ["bob"] }.texts == [])
    }

    @Test func pagesJoinAtMessagesOfOneTime() async throws {
        for limit in 1...8 {
            var texts: [String] = []
            var cursor: PageCursor?
            repeat {
                let page = try await search("cat", after: cursor, limit: limit)
                texts += page.texts
                cursor = page.next
            } while cursor != nil
            #expect(texts.count == 8 && Set(texts).count == 8, "\(limit): \(texts)")
        }
    }

    @Test func lastFullPageHasNoCursor() async throws {
        #expect(try await search("cat", limit: 8).next == nil)
        #expect(try await search("cat", limit: 7).next?.rawValue == "\(world.epoch).0:2/1000/2")
    }

    @Test func cursorsOfAnotherListExpire() async throws {
        for cursor in ["nonsense", "\(world.epoch).0:b1007/8", "\(world.epoch).0:x/1/2"] {
            let error = await thrown { try await search("cat", after: PageCursor(cursor)) }
            #expect(error?.code == .expired, "\(cursor)")
        }
        let next = try #require(try await search("cat", limit: 1).next)
        try world.server.expirePageCursors()
        #expect(await thrown { try await search("cat", after: next) }?.code == .expired)
    }

    @Test func messagesBeforeAResetAreNotFound() async throws {
        _ = try await world.connect("bob").perform(ResetMyHistory(of: "general"))
        #expect(try await search("cat 3").texts == ["Cat's 3"])
        #expect(try await search("cat 3", as: "alice").texts == ["Cat's 3", "cat 3"])
    }

    @Test func invitedUsersFindNothing() async throws {
        try world.server.createChannel(
            GroupChannelCreateParams("party", url: "party"), by: "alice")
        _ = try await world.connect("alice").say("cats welcome", in: "party")
        try await world.connect("alice").perform(InviteUsers(["bob"], to: "party"))
        #expect(try await search("welcome").texts == [])
        try await world.connect("bob").perform(AnswerInvitation(to: "party", accepts: true))
        #expect(try await search("welcome").texts == ["cats welcome"])
    }

    @Test func openChannelsAreSearchedWhileTheUserIsInThem() async throws {
        let bob = try await world.connect("bob")
        let open = try await bob.perform(
            CreateOpenChannel(OpenChannelCreateParams("lobby", url: "lobby")))
        _ = try await bob.perform(EnterOpenChannel(open.url))
        _ = try await bob.say("hello", in: "lobby")
        var params = MessageSearchParams("hello")
        params.channelURLs = ["lobby"]
        #expect(
            try await bob.perform(SearchMessages(matching: params, after: nil, limit: 5)).elements
                .count == 1
        )
        try await bob.perform(ExitOpenChannel(open.url))
        #expect(
            try await bob.perform(SearchMessages(matching: params, after: nil, limit: 5)).elements
                == [])
    }

    @Test func serverWithoutTheCapabilityRefuses() async throws {
        world.server.conditions.missingCapabilities = [.messageSearch]
        #expect(await thrown { try await search("cat") }?.code == .unsupported)
    }
}
