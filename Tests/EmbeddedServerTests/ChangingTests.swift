import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct ChangingTests {
    let world: World

    init() throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob", "carol")
    }

    @Test func updatedAtIncreasesWithEachEdit() async throws {
        let alice = try await world.connect("alice")
        _ = try await alice.say("hi")
        #expect(try await alice.edit("1", to: "ho").updatedAt == 1001)
        #expect(try await alice.edit("1", to: "ha").updatedAt == 1002)
        world.clock.advance(by: 500)
        let last = try await alice.edit("1", to: "hu")
        #expect(last.updatedAt == 1500)
        #expect(last.createdAt == 1000)
        #expect(try await alice.texts() == ["hu"])
    }

    @Test func editKeepsFieldsItDoesNotName() async throws {
        let alice = try await world.connect("alice")
        _ = try await alice.send(
            .text("hi") {
                $0.data = "d"
                $0.mentionedUserIDs = ["bob"]
            })
        var params = UserMessageUpdateParams()
        params.customType = "c"
        let message = try await alice.update(
            "1", in: "general", with: .text(params), requestID: "r")
        #expect(message.text == "hi")
        #expect(message.data == "d")
        #expect(message.customType == "c")
        #expect(message.mentionedUserIDs == ["bob"])
    }

    @Test func ownerAndOperatorCanDeleteAMessage() async throws {
        let (alice, bob, carol) = (
            try await world.connect("alice"), try await world.connect("bob"),
            try await world.connect("carol")
        )
        _ = try await bob.say("a", "b")
        let error = await thrown {
            try await carol.delete("1", in: "general", requestID: "r")
        }
        #expect(error?.detail == .notOwnerOfMessage)
        try await bob.delete("1", in: "general", requestID: "r")
        try await alice.delete("2", in: "general", requestID: "r")
        #expect(try await carol.texts() == [])
        let lookup = try await carol.lookup(["1", "2"], in: "general")
        #expect(lookup == MessageLookup(found: [], gone: ["1", "2"]))
        #expect(try await carol.perform(CountMessages(in: "general", from: nil, to: nil)) == 0)
        let again = await thrown { try await bob.delete("1", in: "general", requestID: "r") }
        #expect(again?.code == .notFound)
    }

    @Test func userHasEachReactionAtMostOnce() async throws {
        let bob = try await world.connect("bob")
        _ = try await bob.say("hi")
        let first = try await bob.react(.add, with: "+1", to: "1", in: "general", requestID: "r")
        let second = try await bob.react(.add, with: "+1", to: "1", in: "general", requestID: "r")
        #expect(first.updatedAt == 1000)
        #expect(second.updatedAt == 1001)
        let alice = try await world.connect("alice")
        _ = try await alice.react(.add, with: "+1", to: "1", in: "general", requestID: "r")
        let message = try await bob.lookup(["1"], in: "general").found[0]
        #expect(message.reactions.map(\.userIDs) == [["bob", "alice"]])
        _ = try await bob.react(.delete, with: "+1", to: "1", in: "general", requestID: "r")
        _ = try await bob.react(.delete, with: "+1", to: "1", in: "general", requestID: "r")
        let after = try await bob.lookup(["1"], in: "general").found[0]
        #expect(after.reactions.map(\.userIDs) == [["alice"]])
        #expect(after.updatedAt == nil)
    }

    @Test func parentCountsItsReplies() async throws {
        let alice = try await world.connect("alice")
        _ = try await alice.say("hi")
        world.clock.advance()
        let reply = try await alice.send(.text("ho") { $0.parentMessageID = "1" })
        #expect(reply.parentMessageInfo?.text == "hi")
        let bob = try await world.connect("bob")
        world.clock.advance()
        _ = try await bob.send(.text("hu") { $0.parentMessageID = "1" })
        let parent = try await bob.lookup(["1"], in: "general").found[0]
        #expect(parent.threadInfo?.replyCount == 2)
        #expect(parent.threadInfo?.lastRepliedAt == 1002)
        #expect(parent.threadInfo?.mostRepliedUsers.map(\.userID) == ["alice", "bob"])
        #expect(parent.threadInfo?.updatedAt == 1002)

        let page = try await bob.replies(
            to: "1", in: "general", at: .newest, older: 10, newer: 0)
        #expect(page.messages.map(\.text) == ["ho", "hu"])
        try await bob.delete("3", in: "general", requestID: "r")
        let after = try await bob.lookup(["1"], in: "general").found[0]
        #expect(after.threadInfo?.replyCount == 1)
        #expect(after.threadInfo?.lastRepliedAt == 1001)
        #expect(after.threadInfo?.updatedAt == 1003)
    }

    @Test func mentionWithATooLongIDIsRefused() async throws {
        let alice = try await world.connect("alice")
        let start = try await alice.feed(since: nil).cursor
        let long = UserID(String(repeating: "x", count: 70_000))
        let error = await thrown {
            try await alice.send(.text("a") { $0.mentionedUserIDs = ["bob", long] })
        }
        #expect(error?.detail == .parameterTooLong)
        _ = try await alice.say("b")
        var params = UserMessageUpdateParams()
        params.mentionType = .users
        params.mentionedUserIDs = [long]
        let update = params
        let edit = await thrown {
            try await alice.update("1", in: "general", with: .text(update), requestID: "r")
        }
        #expect(edit?.detail == .parameterTooLong)
        #expect(try await alice.catchUp(since: start).events.words == ["b"])
    }

    @Test(arguments: [true, false])
    func deletedMentionIsSubtractedAsItWasCounted(mentionsFirst: Bool) async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        let (before, after): ([UserID], [UserID]) = mentionsFirst ? (["bob"], []) : ([], ["bob"])
        #expect(try await bob.channel("general").unreadMentionCount == 0)
        _ = try await alice.send(.text("hi") { $0.mentionedUserIDs = before })
        #expect(try await bob.channel("general").unreadMentionCount == before.count)
        var params = UserMessageUpdateParams()
        params.mentionType = .users
        params.mentionedUserIDs = after
        _ = try await alice.update("1", in: "general", with: .text(params), requestID: "r")
        try await alice.delete("1", in: "general", requestID: "r")
        let channel = try await bob.channel("general")
        #expect(channel.unreadMentionCount == 0)
        #expect(channel.unreadMessageCount == 0)
    }
}
