import Models
import Store
import Testing

@testable import EmbeddedServer

/// Tests the server's state by direct calls, without tasks and locks.
@Suite struct CoreTests {
    private let state: ServerState

    init() throws {
        let database = try ServerDatabase(at: "/core", .memory())
        state = try ServerState(database) { 1000 }
        _ = try state.perform { () throws(BackendError) in
            try state.makeAccount("alice")
        }
        _ = try state.perform { () throws(BackendError) in
            try state.createChannel(
                GroupChannelCreateParams(userIDs: ["bob"], url: "general"), by: "alice",
                joinsAll: true)
        }
    }

    @Test func sentMessageIsReported() throws {
        let start = try state.feed(for: "bob", since: nil).cursor
        _ = try state.perform { () throws(BackendError) in
            try state.send(.text("hi"), by: "alice")
        }
        let batch = try state.feed(for: "bob", since: start)
        #expect(batch.events.words == ["hi"])
        #expect(batch.isLive)
    }

    @Test func failedRequestChangesNothing() throws {
        let before = try state.perform { () throws(BackendError) in try state.allRows().count }
        let counters = state.counters
        let error = #expect(throws: BackendError.self) {
            try state.perform { () throws(BackendError) in
                _ = try state.send(.text("hi"), by: "alice")
                try state.deleteChannel("nowhere", by: "alice")
            }
        }
        #expect(error?.detail == .channelNotFound)
        #expect(try state.allRows().count == before)
        #expect(state.counters == counters)
        #expect(try state.view(try state.channel("general"), for: "bob").unreadMessageCount == 0)
        #expect(try state.view(try state.channel("general"), for: "bob").lastMessage == nil)
    }
}
