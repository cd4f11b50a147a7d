import Foundation
import Models
import Store
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct RestartTests {
    @Test func restartedServerKeepsDataAndCursors() async throws {
        try await withDirectory { directory in
            let clock = Clock()
            var world = try World(at: directory, clock: clock)
            try world.makeChannel("general", "alice", "bob")
            try world.server.addUser(User(id: "carol", nickname: "C"), accessToken: "t")
            var alice = try await world.connect("alice")
            var bob = try await world.connect("bob")
            _ = try await alice.say("a", "b")
            try await alice.perform(
                RestrictUser("bob", in: "general", as: .muted, until: nil, reason: "r"))
            _ = try await alice.react(.add, with: "k", to: "1", in: "general", requestID: "r")
            let cursor = try await bob.catchUp(since: nil).cursor
            let older = try await bob.messages(in: "general", at: .newest, older: 1, newer: 0).older
            _ = try await alice.say("c")
            try await alice.delete("2", in: "general", requestID: "r")
            try await bob.perform(HideChannel("general", until: .hiddenPreventAutoUnhide))
            let channel = try await bob.channel("general")
            let page = try await bob.messages(in: "general", at: .newest, older: 9, newer: 0)
            world.server.close()
            #expect(await thrown { try await bob.channel("general") }?.code == .notConnected)

            world = try World(at: directory, clock: clock)
            alice = try await world.connect("alice")
            bob = try await world.connect("bob")
            #expect(try await bob.channel("general") == channel)
            #expect(channel.unreadMessageCount == 2)
            #expect(try await bob.messages(in: "general", at: .newest, older: 9, newer: 0) == page)
            #expect(try await bob.catchUp(since: cursor).events.words == ["c", "-2"])
            let anchor = MessageAnchor.cursor(try #require(older))
            #expect(
                try await bob.messages(in: "general", at: anchor, older: 9, newer: 9)
                    .messages.map(\.text) == ["a", "c"])
            #expect(await thrown { try await bob.say("x") }?.detail == .mutedInChannel)
            #expect(try await alice.send(.text("other", requestID: "a")).text == "a")
            #expect(try await alice.say("d").map(\.messageID) == ["4"])
            #expect(
                await thrown { try await world.connect("carol") }?.detail == .accessTokenNotValid)
            world.server.close()
        }
    }

    @Test func directoryIsLockedByItsServer() async throws {
        try await withDirectory { directory in
            let world = try World(at: directory)
            let error = await thrown { try World(at: directory) }
            #expect(error?.code == .serverFailure)
            world.server.close()
        }
    }

    @Test func damagedRowsAreErrorsAndNoTraps() async throws {
        for table in ServerTable.allCases {
            let world = try World()
            try world.makeChannel("general", "alice", "bob")
            let alice = try await world.connect("alice")
            _ = try await alice.say("a")
            _ = try await alice.send(.text("b") { $0.parentMessageID = "1" })
            try world.server.perform { state throws(BackendError) in
                var keys: [[UInt8]] = []
                try state.database.scan(KeyRange(prefix: [table.rawValue])) {
                    (key, _) throws(StoreError) in
                    keys.append([UInt8](key))
                    return true
                }
                for key in keys { state.database.put({ $0.raw(key) }) { $0.raw([0xFF, 1, 2]) } }
                try state.database.commit()
            }
            // Each call may fail with any error, but it must end.
            let errors = [
                await thrown { try await alice.texts() },
                await thrown { try await alice.feed(since: "1:1") },
                await thrown { try await alice.say("c") },
                await thrown { try await alice.send(.text("x", requestID: "a")) },
                await thrown {
                    try await alice.replies(to: "1", in: "general", at: .newest, older: 5, newer: 0)
                },
                await thrown { try await alice.messageChanges(in: "general", since: .time(0)) },
                await thrown { try await alice.channel("general") },
            ]
            let isHarmed: Set<ServerTable> = [.message, .location, .log, .channelLog]
            if isHarmed.contains(table) {
                #expect(errors.contains { $0?.code == .serverFailure }, "\(table)")
            }
            for error in errors {
                #expect(
                    error == nil || error?.code == .serverFailure || error?.code == .notFound
                        || error?.code == .refused || error?.code == .expired, "\(table): \(error!)"
                )
            }
        }
    }
}
