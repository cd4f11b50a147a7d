import Foundation
import Models
import ScrollbackFaultyDisks
import Store
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct DiskFailureTests {
    @Test func stateIsReadAgainAfterAnIncompleteRequest() async throws {
        let world = try World()
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        let row = Locked<[UInt8]>([])
        let half = await thrown {
            try world.server.perform { state throws(BackendError) in
                let channel = try state.channel("general")
                let bytes = try state.database.bytes { $0.channel(channel.number) }
                row.withLock { $0 = bytes ?? [] }
                state.database.put({ $0.channel(channel.number) }) { $0.raw([0xFF, 1, 2]) }
                try state.database.commit()
                channel.group.name = "half"
                throw BackendError(.serverFailure, "the disk is ill")
            }
        }
        #expect(half?.code == .serverFailure)
        // The server has not yet rolled back the change in memory, because the row on disk cannot
        // be read. Until then, requests fail.
        #expect(await thrown { try await alice.channel("general") }?.code == .serverFailure)
        try world.server.withState { state in
            Result { () throws(BackendError) in
                let number = try state.channel("general").number
                state.database.put({ $0.channel(number) }) { $0.raw(row.withLock { $0 }) }
                try state.database.commit()
            }
        }.get()
        #expect(try await alice.channel("general").name == "general")
        #expect(try await alice.say("a").map(\.text) == ["a"])
    }

    @Test func serverReloadsItsStateWhenTheDiskWorksAgain() async throws {
        try await withDirectory { directory in
            let disk = FailingDisk()
            let database = try ServerDatabase(at: directory.path, disk.environment)
            let state = try ServerState(database) { 1000 }
            func perform<Result>(
                _ body: () throws(BackendError) -> Result
            ) throws(BackendError) -> Result {
                try state.perform(body)
            }
            func texts() throws(BackendError) -> [String] {
                try perform { () throws(BackendError) in
                    try state.messages(
                        in: "general", at: .newest, older: 9, newer: 0, for: "alice"
                    ).messages.map(\.text)
                }
            }
            func say(_ text: String) -> BackendError? {
                do {
                    _ = try perform { () throws(BackendError) in
                        try state.send(.text(text), by: "alice")
                    }
                    return nil
                } catch {
                    return error
                }
            }
            _ = try perform { () throws(BackendError) in
                _ = try state.makeAccount("alice")
                return try state.createChannel(
                    GroupChannelCreateParams("general", url: "general"), by: "alice",
                    joinsAll: true)
            }
            #expect(say("a") == nil)
            disk.fail(at: 1, with: EIO, once: false)
            #expect(say("b")?.code == .serverFailure)
            // The database cannot be reopened either while the disk fails.
            #expect(say("c")?.code == .serverFailure)
            disk.heal()
            #expect(try texts() == ["a"])
            #expect(say("d") == nil)
            #expect(try texts() == ["a", "d"])
            database.close()
        }
    }
}
