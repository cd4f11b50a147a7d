import MatrixBackend
import Models
import Sync
import Testing

/// Tests that the feed reports what a homeserver hides because it has erased a user.
@Suite struct MatrixErasureTests {
    private let room = ChannelURL("!room:example.org")

    /// Returns the events of a batch in which Bob leaves.
    private func events(
        leaver: String = "@bob:example.org", sender: String? = nil, profile: String?
    ) async throws -> (Device, [FeedEvent]) {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        device.server.reply("GET joined_rooms", #"{"joined_rooms": ["!room:example.org"]}"#)
        let cursor = try await device.backend.feed(since: nil).cursor
        device.server.reply(
            "GET profile/\(leaver)", profile ?? #"{"errcode": "M_UNKNOWN"}"#,
            status: profile == nil ? 404 : 200)
        device.server.replace(
            "GET sync",
            PreparedReplies.sync(
                "s1",
                """
                {"type": "m.room.member", "state_key": "\(leaver)", "event_id": "$l",
                 "sender": "\(sender ?? leaver)", "origin_server_ts": 5000,
                 "content": {"membership": "leave"}}
                """))
        return (device, try await device.backend.feed(since: cursor).events)
    }

    @Test func messagesBeforeTheDepartureAreStaleIfTheUserIsErased() async throws {
        let (_, events) = try await events(profile: nil)
        #expect(events.contains(.historyChanged(in: room, from: nil, through: 5000)))
    }

    @Test(arguments: ["{}", #"{"displayname": "\#(String(repeating: "x", count: 5_000))"}"#])
    func messagesOfAUserWhoLeavesStay(profile: String) async throws {
        let (_, events) = try await events(profile: profile)
        #expect(!events.contains(.historyChanged(in: room, from: nil, through: 5000)))
    }

    /// A homeserver erases its own users only, and asks other servers for the profiles of others.
    @Test(arguments: [("@bob:other.org", nil), ("@bob:example.org", "@carol:example.org")])
    func otherMembersCauseNoRequest(leaver: String, sender: String?) async throws {
        let (device, events) = try await events(leaver: leaver, sender: sender, profile: nil)
        #expect(!device.server.requests.contains("GET profile/\(leaver)"))
        #expect(!events.contains(.historyChanged(in: room, from: nil, through: 5000)))
    }
}
