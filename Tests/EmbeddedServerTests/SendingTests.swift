import Models
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct SendingTests {
    let world: World

    init() throws {
        world = try World()
        try world.makeChannel("general", "alice", "bob")
    }

    @Test func messageHasTheContentOfItsOutboxItem() async throws {
        try world.server.addUser(User(id: "alice", nickname: "Alice"))
        let alice = try await world.connect("alice")
        var array = MetaArray(key: "tags")
        array.values = ["x", "y"]
        let message = try await alice.send(
            .text("hi", requestID: "r1") {
                $0.data = "d"
                $0.customType = "c"
                $0.mentionedUserIDs = ["bob"]
                $0.metaArrays = [array]
            })

        #expect(message.messageID == "1")
        #expect(message.createdAt == 1000)
        #expect(message.updatedAt == nil)
        #expect(message.requestID == "r1")
        #expect(message.sendingStatus == .succeeded)
        #expect(message.text == "hi")
        #expect(message.data == "d")
        #expect(message.customType == "c")
        #expect(message.sender?.userID == "alice")
        #expect(message.sender?.nickname == "Alice")
        #expect(message.sender?.role == .operator)
        #expect(message.mentionedUsers.map(\.userID) == ["bob"])
        #expect(message.metaArrays == [array])
        #expect(message.newMessage == nil)
        #expect(
            try await alice.messages(in: "general", at: .newest, older: 1, newer: 0).messages == [
                message
            ])
    }

    @Test func withoutDeduplicationEachAttemptMakesAMessage() async throws {
        world.server.conditions.missingCapabilities = .deduplicatesRequests
        let alice = try await world.connect("alice")
        #expect(!alice.capabilities.contains(.deduplicatesRequests))
        _ = try await alice.send(.text("hi", requestID: "r1"))
        _ = try await alice.send(.text("hi", requestID: "r1"))
        #expect(try await alice.texts() == ["hi", "hi"])
    }

    @Test func requestIDIsDeliveredToItsSenderOnly() async throws {
        let alice = try await world.connect("alice")
        let bob = try await world.connect("bob")
        _ = try await alice.send(.text("hi", requestID: "r1"))
        let page = try await bob.messages(in: "general", at: .newest, older: 1, newer: 0)
        #expect(page.messages.map(\.requestID) == [nil])
        let own = try await alice.messages(in: "general", at: .newest, older: 1, newer: 0)
        #expect(own.messages.map(\.requestID) == ["r1"])
    }

    @Test func aMessageThatIsTooLongIsRefused() async throws {
        world.server.conditions.maximumMessageLength = 3
        let alice = try await world.connect("alice")
        #expect(try await alice.send(.text("äöü")).text == "äöü")
        let error = await thrown { try await alice.send(.text("abcd")) }
        #expect(error?.code == .refused)
        #expect(error?.detail == .parameterTooLong)
    }

    @Test func replyWithoutAParentIsRefused() async throws {
        let alice = try await world.connect("alice")
        let error = await thrown {
            try await alice.send(.text("hi") { $0.parentMessageID = "99" })
        }
        #expect(error?.code == .refused)
        #expect(error?.detail == .messageNotFound)
        #expect(try await alice.texts() == [])
    }

    @Test func anAdminMessageHasNoSender() async throws {
        let alice = try await world.connect("alice")
        try world.server.sendAdminMessage("Welcome.", to: "general")
        let page = try await alice.messages(in: "general", at: .newest, older: 1, newer: 0)
        #expect(page.messages.map(\.type) == [.admin])
        #expect(page.messages[0].sender == nil)
    }
}
