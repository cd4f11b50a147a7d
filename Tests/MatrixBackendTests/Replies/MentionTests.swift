import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// The list of mentions on prepared replies, which have the form of those of Synapse.
@Suite struct MatrixMentionTests {
    private let device = Device()

    private func connect() async throws {
        try await device.connect()
        device.prepareRoom()
    }

    private static let alice = #""user_ids": ["@alice:example.org"]"#

    private func event(
        _ id: String, _ text: String, at time: Int, _ mentions: String = alice, more: String = ""
    ) -> String {
        """
        {"type": "m.room.message", "event_id": "\(id)", "sender": "@bob:example.org",
         "origin_server_ts": \(time), "content": {"msgtype": "m.text", "body": "\(text)",
         "m.mentions": {\(mentions)}\(more)}}
        """
    }

    private func notification(_ event: String, in room: String = "!room:example.org") -> String {
        #"{"actions": ["notify"], "read": false, "room_id": "\#(room)", "ts": 1, "event": \#(event)}"#
    }

    private func reply(_ notifications: String..., next: String? = nil) {
        let next = next.map { #", "next_token": "\#($0)""# } ?? ""
        device.server.replace(
            "GET notifications",
            #"{"notifications": [\#(notifications.joined(separator: ", "))]\#(next)}"#)
    }

    private func prepare(_ id: String, _ event: String) {
        device.server.reply("GET rooms/!room:example.org/event/\(id)", event)
    }

    private func mentions(after cursor: PageCursor? = nil) async throws -> Page<Message> {
        try await device.backend.perform(ListMentions(after: cursor, limit: 20))
    }

    @Test func mentionsAreListedInTheirCurrentVersion() async throws {
        try await connect()
        let (new, old) = (event("$m2", "new", at: 9000), event("$m1", "old", at: 8000))
        let edit = """
            , "unsigned": {"m.relations": {"m.replace": {"event_id": "$e", "origin_server_ts": 8500,
             "content": {"msgtype": "m.text", "body": "* edited", "m.new_content":
             {"msgtype": "m.text", "body": "edited",
              "m.mentions": {"user_ids": ["@alice:example.org"]}},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "$m1"}}}}}}
            """
        prepare("$m2", new)
        prepare("$m1", String(old.dropLast()) + edit)
        reply(notification(new), notification(old), next: "7")
        let page = try await mentions()
        #expect(page.elements.map(\.text) == ["new", "edited"])
        #expect(page.elements.map(\.sender?.nickname) == ["Bob", "Bob"])
        #expect(page.next == "7")
        reply()
        #expect(try await mentions(after: page.next) == Page([], next: nil))
        #expect(device.server.parameters("only") == ["highlight", "highlight"])
        #expect(device.server.parameters("from") == ["7"])
    }

    @Test func onlyMessagesOfJoinedRoomsThatMentionTheUserAreListed() async throws {
        try await connect()
        let named = event("$m3", "for all", at: 9000, #""room": true"#)
        // A keyword of the user's push rules highlights a message without a mention.
        let keyword = event("$m2", "keyword", at: 8000, "")
        let deleted = event("$m1", "deleted", at: 7000)
        let edit = event(
            "$e", "edit", at: 9500,
            more: """
                , "m.new_content": {"msgtype": "m.text", "body": "edit"},
                 "m.relates_to": {"rel_type": "m.replace", "event_id": "$m3"}
                """)
        prepare("$m3", named)
        prepare("$m2", keyword)
        prepare(
            "$m1",
            """
            {"type": "m.room.message", "event_id": "$m1", "sender": "@bob:example.org",
             "origin_server_ts": 7000, "content": {}, "unsigned": {"redacted_because": {}}}
            """)
        reply(
            notification(edit), notification(named), notification(keyword), notification(deleted),
            notification(event("$m0", "left", at: 6000), in: "!left:example.org"))
        #expect(try await mentions().elements.map(\.text) == ["for all"])
        #expect(!device.server.requests.contains { $0.contains("!left:example.org") })
    }

    @Test func mentionThatCannotBeRequestedIsOmitted() async throws {
        try await connect()
        let (first, second) = (event("$a/b", "first", at: 9000), event("$m1", "second", at: 8000))
        device.server.replyAsBehindAProxy("GET rooms/!room:example.org/event/$a/b")
        prepare("$m1", second)
        reply(notification(first), notification(second))
        #expect(try await mentions().elements.map(\.text) == ["second"])
    }

    @Test func listIsEmptyIfTheServerHasNone() async throws {
        try await connect()
        #expect(try await mentions() == Page([], next: nil))
    }

    @Test func unknownCursorHasExpired() async throws {
        try await connect()
        device.server.reply("GET notifications", #"{"errcode": "M_UNKNOWN"}"#, status: 400)
        for (cursor, code) in [("7", BackendError.Code.expired), (nil, .refused)] {
            let error = await #expect(throws: BackendError.self) {
                try await mentions(after: cursor.map { PageCursor($0) })
            }
            #expect(error?.code == code)
        }
    }
}
