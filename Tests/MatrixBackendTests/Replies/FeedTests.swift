import MatrixBackend
import Models
import Sync
import Testing

/// Tests the feed and its messages with prepared replies of `/sync`.
@Suite struct MatrixFeedTests {
    private let room = ChannelURL("!room:example.org")

    private func events(_ replies: String...) async throws -> [FeedEvent] {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        for reply in replies { device.server.reply("GET sync", reply) }
        var cursor = try await device.backend.feed(since: nil).cursor
        var events: [FeedEvent] = []
        for _ in replies {
            let batch = try await device.backend.feed(since: cursor)
            events += batch.events
            cursor = batch.cursor
        }
        return events
    }

    private func messages(_ events: [FeedEvent]) -> [Message] {
        events.compactMap { if case .messageReceived(let message) = $0 { message } else { nil } }
    }

    @Test func initialFeedListsTheJoinedRooms() async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        let batch = try await device.backend.feed(since: nil)
        #expect(batch.cursor == FeedCursor("s1"))
        guard case .channels(let urls)? = batch.events.first else {
            Issue.record("\(batch.events)")
            return
        }
        #expect(urls == [room])
        var channel = GroupChannel()
        for case .channel(let update) in batch.events { update.patch.apply(to: &channel) }
        #expect(channel.name == "General" && channel.memberCount == 2)
        #expect(channel.unreadMessageCount == 2)
    }

    @Test func firstRequestOfAConnectionDoesNotWaitForEvents() async throws {
        let device = Device(longPoll: .seconds(30))
        device.server.reply("GET sync", #"{"next_batch": "s2"}"#)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": []}"#)
        for _ in 0..<2 {
            try await device.connect()
            for _ in 0..<2 { _ = try await device.backend.feed(since: "s1") }
        }
        #expect(device.server.parameters("timeout") == ["0", "30000", "0", "30000"])
    }

    /// The engine discards a batch that may be older than an answer, and requests it again.
    @Test func batchThatWasNotStoredReportsTheJoinedRoomsAgain() async throws {
        let device = Device()
        device.server.reply("GET sync", #"{"next_batch": "s2"}"#)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": []}"#)
        try await device.connect()
        for (cursor, isReported) in [("s1", true), ("s1", true), ("s2", false), ("s2", false)] {
            let batch = try await device.backend.feed(since: FeedCursor(cursor))
            #expect(batch.events.contains(.joinedChannels([])) == isReported)
        }
    }

    /// Synapse answers an equal request from a cache for two minutes, also to a new process.
    @Test func requestsOfTwoProcessesDiffer() async throws {
        var filters: [String] = []
        for _ in 0..<2 {
            let device = Device()
            try await device.connect()
            device.prepareRoom()
            _ = try await device.backend.feed(since: nil)
            filters += device.server.parameters("filter")
        }
        #expect(filters.count == 2 && filters[0] != filters[1])
    }

    @Test func messageHasItsSenderTimeAndText() async throws {
        let found = messages(
            try await events(
                PreparedReplies.sync("s2", PreparedReplies.message("$m1", "hello", at: 2000))))
        #expect(found.count == 1)
        #expect(found.first?.messageID == "$m1" && found.first?.text == "hello")
        #expect(found.first?.channelURL == room && found.first?.createdAt == 2000)
        #expect(found.first?.sender?.userID == "@bob:example.org")
    }

    @Test func limitedTimelineIsATruncationBeforeItsMessages() async throws {
        let found = try await events(
            PreparedReplies.sync(
                "s2", isLimited: true, PreparedReplies.message("$m9", "newest", at: 9000)))
        let kinds = found.compactMap { event -> String? in
            switch event {
            case .truncation(in: room): "truncation"
            case .messageReceived: "message"
            default: nil
            }
        }
        #expect(kinds == ["truncation", "message"])
    }

    @Test func encryptedEventIsAMessageThatSaysSo() async throws {
        let found = messages(
            try await events(
                PreparedReplies.sync(
                    "s2",
                    """
                    {"type": "m.room.encrypted", "event_id": "$e", "sender": "@bob:example.org",
                     "origin_server_ts": 2000, "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
                    """)))
        #expect(found.first?.messageID == "$e")
        #expect(found.first?.text.isEmpty == false)
    }

    @Test func eventOfAnUnexpectedShapeDoesNotStopTheFeed() async throws {
        let found = messages(
            try await events(
                PreparedReplies.sync(
                    "s2",
                    #"{"type": "m.room.message", "event_id": 7, "content": "text"}"#,
                    PreparedReplies.message("$m1", "hello", at: 2000))))
        #expect(found.map(\.text).last == "hello")
    }

    @Test func leftRoomIsRemoved() async throws {
        let found = try await events(
            """
            {"next_batch": "s2", "rooms": {"leave": {"!room:example.org": {
                "timeline": {"events": [
                    {"type": "m.room.member", "state_key": "@alice:example.org",
                     "event_id": "$l", "sender": "@alice:example.org", "origin_server_ts": 3000,
                     "content": {"membership": "leave"}}]}}}}}
            """)
        let isRemoved = found.contains {
            if case .channelRemoved(room, _) = $0 { true } else { false }
        }
        #expect(isRemoved)
    }
}
