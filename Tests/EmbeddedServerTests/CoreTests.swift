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
        try send("hi")
        let batch = try state.feed(for: "bob", since: start)
        #expect(batch.events.words == ["hi"])
        #expect(batch.isLive)
    }

    @Test func countedMessagesAreNotReadAgain() throws {
        let channel = try state.channel("general")
        for text in ["a", "b"] { try send(text) }
        #expect(try state.unread(by: "bob", in: channel).messages == 2)
        // Without the first message's log entry, a count from the start would be 2.
        _ = try state.perform { () throws(BackendError) in
            state.database.remove { $0.channelLog(channel.number, channel.lastSequence! - 1) }
        }
        try send("c")
        #expect(try state.unread(by: "bob", in: channel).messages == 3)
    }

    private func send(_ text: String) throws {
        _ = try state.perform { () throws(BackendError) in
            try state.send(.text(text), by: "alice")
        }
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
