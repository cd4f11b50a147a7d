import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// Searches on prepared replies, which have the form of those of Synapse.
@Suite struct MatrixSearchTests {
    private let device = Device()

    private func connect() async throws {
        try await device.connect()
        device.prepareRoom()
    }

    private func event(
        _ id: String, _ text: String, at time: Int, in room: String = "!room:example.org",
        more: String = ""
    ) -> String {
        """
        {"type": "m.room.message", "event_id": "\(id)", "sender": "@bob:example.org",
         "room_id": "\(room)", "origin_server_ts": \(time),
         "content": {"msgtype": "m.text", "body": "\(text)"}\(more)}
        """
    }

    /// The latest edit of a message, as the server bundles it.
    private func edit(_ text: String, at time: Int) -> String {
        """
        , "unsigned": {"m.relations": {"m.replace": {"event_id": "$e\(time)",
         "origin_server_ts": \(time), "content": {"msgtype": "m.text", "body": "* \(text)",
         "m.new_content": {"msgtype": "m.text", "body": "\(text)"},
         "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}}}}
        """
    }

    /// The event of an edit.
    private func editing(_ id: String, _ text: String, at time: Int) -> String {
        """
        {"type": "m.room.message", "event_id": "$e\(time)", "sender": "@bob:example.org",
         "room_id": "!room:example.org", "origin_server_ts": \(time), "content":
         {"msgtype": "m.text", "body": "* \(text)",
          "m.new_content": {"msgtype": "m.text", "body": "\(text)"},
          "m.relates_to": {"rel_type": "m.replace", "event_id": "\(id)"}}}
        """
    }

    private func reply(_ events: String..., next: String? = nil) {
        let results = events.map { #"{"rank": 1, "result": \#($0), "context": {}}"# }
        let next = next.map { #", "next_batch": "\#($0)""# } ?? ""
        device.server.replace(
            "POST search",
            """
            {"search_categories": {"room_events": {"count": \(events.count), "highlights": [],
             "results": [\(results.joined(separator: ", "))]\(next)}}}
            """)
    }

    private func search(
        _ text: String, after cursor: PageCursor? = nil,
        _ change: (inout MessageSearchParams) -> Void = { _ in }
    ) async throws -> Page<Message> {
        var params = MessageSearchParams(text)
        change(&params)
        return try await device.backend.perform(
            SearchMessages(matching: params, after: cursor, limit: 20))
    }

    @Test func messagesAreFoundInTheOrderOfTheServer() async throws {
        try await connect()
        reply(event("$m2", "A ship", at: 9000), event("$m1", "Ships", at: 8000), next: "n1")
        let page = try await search("ship")
        #expect(page.elements.map(\.text) == ["A ship", "Ships"])
        #expect(page.elements.map(\.sender?.nickname) == ["Bob", "Bob"])
        #expect(page.elements.map(\.channelURL) == ["!room:example.org", "!room:example.org"])
        #expect(page.next == "n1")
        reply()
        #expect(try await search("ship", after: page.next) == Page([], next: nil))
        #expect(device.server.parameters("next_batch") == ["n1"])
    }

    @Test func requestHasTheWordsInQuotesAndTheFilters() async throws {
        try await connect()
        reply()
        _ = try await search("it's OR \"black  umbrella\" -rain &!") {
            ($0.channelURLs, $0.senderUserIDs) = (["!b:x", "!a:x"], ["@bob:example.org"])
        }
        #expect(
            device.server.bodies.last == [
                "search_categories": [
                    "room_events": [
                        "search_term": #""it's" "black" "umbrella""#, "keys": ["content.body"],
                        "order_by": "recent",
                        "filter": [
                            "limit": 20, "types": ["m.room.message"], "rooms": ["!a:x", "!b:x"],
                            "senders": ["@bob:example.org"],
                        ],
                    ]
                ]
            ])
    }

    @Test func editedMessageIsFoundByItsNewTextOnly() async throws {
        try await connect()
        reply(
            event("$m2", "An old ship", at: 9000, more: edit("A ship, edited", at: 9500)),
            event("$m1", "A ship", at: 8000, more: edit("A boat", at: 9600)))
        #expect(try await search("ship").elements.map(\.text) == ["A ship, edited"])
    }

    @Test func editStandsForItsMessageUnlessTheFirstTextWasFoundToo() async throws {
        try await connect()
        for (id, text, edit) in [
            ("$m1", "boat", edit("ship", at: 9500)), ("$m2", "ship", edit("ship!", at: 9400)),
            ("$m3", "car", edit("bike", at: 9700)),
        ] {
            device.server.reply(
                "GET rooms/!room:example.org/event/\(id)",
                event(id, text, at: 8000, more: edit))
        }
        reply(
            editing("$m1", "ship", at: 9500), editing("$m2", "ship!", at: 9400),
            editing("$m3", "ship", at: 9300), editing("$m4", "ship", at: 9200))
        let page = try await search("ship")
        #expect(page.elements.map(\.messageID) == ["$m1"])
        #expect(page.elements.map(\.text) == ["ship"])
        #expect(page.elements.map(\.createdAt) == [8000])
    }

    @Test func editOfAMessageThatCannotBeRequestedIsOmitted() async throws {
        try await connect()
        device.server.replyAsBehindAProxy("GET rooms/!room:example.org/event/$a/b")
        reply(editing("$a/b", "A ship", at: 9000), event("$m1", "Ships", at: 8000))
        #expect(try await search("ship").elements.map(\.text) == ["Ships"])
    }

    @Test func messagesOfOtherRoomsAreLeftOut() async throws {
        try await connect()
        reply(event("$m1", "ship", at: 9000, in: "!left:example.org"))
        #expect(try await search("ship").elements == [])
    }

    @Test func searchEndsAtTheLowerBoundOfItsTimes() async throws {
        try await connect()
        reply(event("$m1", "ship", at: 8000), next: "n1")
        #expect(try await search("ship") { $0.since = 8000 }.next == "n1")
        #expect(try await search("ship") { $0.since = 8001 }.next == nil)
        // The sender's server chooses the time.
        reply(
            event("$m2", "ship", at: 8002), event("$m1", "ship", at: 8001),
            event("$early", "ship", at: 1), next: "n2")
        #expect(try await search("ship") { $0.since = 8001 }.next == "n2")
    }

    @Test func unknownCursorExpires() async throws {
        try await connect()
        device.server.reply(
            "POST search", #"{"errcode": "M_UNKNOWN", "error": "Invalid batch"}"#, status: 400)
        for (cursor, code) in [("n1", BackendError.Code.expired), (nil, .refused)] {
            do throws(BackendError) {
                _ = try await device.backend.perform(
                    SearchMessages(
                        matching: MessageSearchParams("ship"), after: cursor.map { PageCursor($0) },
                        limit: 1))
                Issue.record("the search succeeded")
            } catch {
                #expect(error.code == code)
            }
        }
    }
}
