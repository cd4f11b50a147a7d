import MatrixBackend
import Models
import Sync
import Testing

/// The requests for reactions, which the homeserver does not return with messages.
@Suite struct MatrixSeparateReactionTests {
    private let device = Device()
    private let room = "GET rooms/!room:example.org"

    /// Fetches a page with the messages `$m1` and `$m2`, and returns the number of requests.
    private func fetchPage() async throws -> Int {
        try await device.connect()
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
        let messages = [2, 1].map {
            """
            {"type": "m.room.message", "event_id": "$m\($0)", "sender": "@bob:example.org",
             "origin_server_ts": \($0)000, "content": {"msgtype": "m.text", "body": "hello"}}
            """
        }
        device.server.reply(
            "\(room)/messages",
            #"{"start": "t3", "end": "t1", "chunk": [\#(messages.joined(separator: ","))]}"#)
        device.server.reply("\(room)/messages", #"{"chunk": []}"#)
        let page = try await device.backend.messages(
            in: "!room:example.org", at: .newest, older: 2, newer: 0)
        #expect(page.messages.map(\.messageID) == ["$m1", "$m2"])
        #expect(page.messages.flatMap(\.reactionHistory) == [])
        return device.server.requests.count
    }

    private func reaction(_ key: String, to id: String, by user: String) -> String {
        """
        {"type": "m.reaction", "event_id": "$r\(key)\(user)", "sender": "@\(user):example.org",
         "origin_server_ts": 5000, "content": {"m.relates_to":
         {"rel_type": "m.annotation", "event_id": "\(id)", "key": "\(key)"}}}
        """
    }

    /// If each event was compared with all earlier ones, the test would exceed its limit.
    @Test func aMessageHasALimitedNumberOfReactions() async throws {
        _ = try await fetchPage()
        let marks =
            String(repeating: "\u{301}", count: 7) + String(repeating: "\u{316}", count: 100)
        let events = (0..<1_000).map { number in
            reaction("a\(number)" + marks, to: "$m1", by: "u\(number % 40)")
        }
        device.server.reply(
            "\(room)/relations/$m1/m.annotation/m.reaction",
            #"{"chunk": [\#(events.joined(separator: ","))]}"#)
        let found = try await device.backend.reactions(of: ["$m1"], in: "!room:example.org")
        #expect(found["$m1"]?.count == Reaction.maximumCount)
    }

    @Test func pageNeedsOneRequestForAllReactions() async throws {
        let count = try await fetchPage()
        let events = [
            reaction("x", to: "$m1", by: "alice"), reaction("x", to: "$m1", by: "bob"),
            reaction("y", to: "$m2", by: "bob"), reaction("y", to: "$m3", by: "bob"),
        ]
        device.server.replace(
            "\(room)/messages", #"{"chunk": [\#(events.joined(separator: ","))]}"#)
        let found = try await device.backend.reactions(
            of: ["$m1", "$m2"], in: "!room:example.org")
        #expect(device.server.requests.count == count + 1)
        #expect(device.server.parameters("from").last == "t1")
        #expect(Set(found.keys) == ["$m1", "$m2"])
        #expect(found["$m1"]?.map(\.userIDs) == [["@alice:example.org", "@bob:example.org"]])
        #expect(found["$m2"]?.map(\.key) == ["y"])
    }

    @Test func messageThatCannotBeRequestedHidesNoOtherReactions() async throws {
        _ = try await fetchPage()
        device.server.reply(
            "\(room)/relations/$m9/m.annotation/m.reaction",
            #"{"chunk": [\#(reaction("x", to: "$m9", by: "bob"))]}"#)
        device.server.replyAsBehindAProxy("\(room)/relations/$a/b/m.annotation/m.reaction")
        let found = try await device.backend.reactions(
            of: ["$m9", "$a/b"], in: "!room:example.org")
        #expect(Set(found.keys) == ["$m9"])
    }

    @Test func messageThatWasOnNoPageNeedsARequestOfItsOwn() async throws {
        let count = try await fetchPage()
        device.server.reply(
            "\(room)/relations/$m9/m.annotation/m.reaction",
            #"{"chunk": [\#(reaction("x", to: "$m9", by: "bob"))]}"#)
        // The homeserver answers the request for the reactions to $gone with "not found".
        let found = try await device.backend.reactions(
            of: ["$m9", "$gone"], in: "!room:example.org")
        #expect(device.server.requests.count == count + 2)
        #expect(found.mapValues { $0.map(\.key) } == ["$m9": ["x"]])
    }
}
