import Foundation
import Models
import Sync
import Testing

@testable import MatrixBackend

/// Tests which parts of a reply are removed so that the rest of it can be decoded.
@Suite(.timeLimit(.minutes(10))) struct ReplyCutterTests: ClientEventSuite {
    /// Returns an event with fields for whose number it is cut.
    private func large(_ type: String, _ content: String) -> String {
        let fields = (0..<2_500).map { #""\#($0)": 0"# }.joined(separator: ", ")
        return """
            {"type": "\(type)", "event_id": "$large", "sender": "@eve:example.org",
             "state_key": "@eve:example.org", "origin_server_ts": 3000, "unsigned": {"age": 1},
             "content": {"x": [1, {"y": "}"}], \(fields), \(content), "z": {"a": "\\"]"}}}
            """
    }

    private func cut(_ event: String) throws -> (event: RoomEvent, size: Int) {
        let bytes = try ReplyCutter.cut(Data(#"{"chunk": [\#(event)]}"#.utf8))
        let reply = try JSONDecoder().decode(EventsReply.self, from: bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        return (try #require(reply.events.first), text.count { $0 == "," })
    }

    @Test func largeEventKeepsItsKnownFields() throws {
        let (message, size) = try cut(
            large("m.room.message", #""msgtype": "m.text", "body": "hi, \"you\"""#))
        #expect(message.id == "$large" && message.content.body == "hi, \"you\"")
        #expect(size < 100)
        let member = try cut(large("m.room.member", #""membership": "join""#)).event
        #expect(member.content.membership == "join")
        let encryption = try cut(
            large("m.room.encryption", #""algorithm": "m.megolm.v1.aes-sha2""#)
        ).event
        #expect(encryption.content.algorithm == "m.megolm.v1.aes-sha2")
    }

    /// The homeserver adds the latest reply, whose sender is another user.
    @Test func replyWithManyValuesRemovesNoEditOfAnotherUser() throws {
        let zeros = "[" + String(repeating: "0,", count: 1_950) + "0]"
        let bobs = event(
            "$m", text("old"), at: 1000,
            unsigned: """
                {"m.relations": {
                 "m.replace": {"type": "m.room.message", "event_id": "$e", "sender": "@bob:example.org",
                  "origin_server_ts": 2000, "content": {"msgtype": "m.text", "body": "* new",
                  "m.new_content": {"msgtype": "m.text", "body": "new"},
                  "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}},
                 "m.thread": {"count": 1, "latest_event": {"type": "m.room.message",
                  "event_id": "$r", "sender": "@eve:example.org", "origin_server_ts": 3000,
                  "content": {"msgtype": "m.text", "body": "x", "a": \(zeros)}}}}}
                """, by: "@bob:example.org")
        let found = try cut(bobs).event
        #expect(found.replacement?.content?.body == "new" && found.thread?.count == 1)
    }

    /// The IDs of events in receipts are chosen by their senders.
    @Test func receiptsAreNotCut() throws {
        let readers = (0..<1_000).map { #""@user\#($0):example.org": {"ts": 1}"# }
        let list = "{\(readers.joined(separator: ", "))}"
        let text = #"""
            {"events": [{"type": "m.receipt", "content":
             {"sender": {"m.read": \#(list)}, "type": {"m.read": {}}}}]}
            """#
        #expect(try ReplyCutter.cut(Data(text.utf8)) == Data(text.utf8))
    }

    /// A server passes on the list that an invitation contains.
    @Test func hugeListOfAnInvitationIsCut() throws {
        let zeros = "[" + String(repeating: "0,", count: 100_000) + "0]"
        let text = #"""
            {"next_batch": "s", "rooms": {"invite": {"!a:b": {"invite_state": {"events": \#(zeros)}}}}}
            """#
        let reply = try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
        #expect(reply.nextBatch == "s" && reply.invited.count == 1)
    }

    private func zeros(_ count: Int) -> String {
        "[" + String(repeating: "0,", count: count - 1) + "0]"
    }

    /// Any server can invite a user, and each event has an allowed size.
    @Test(arguments: ["invite", "knock"]) func largeEventsOfAnInvitationAreCut(
        kind: String
    ) throws {
        let topics = (0..<1_005).map { number in
            """
            {"type": "m.room.topic", "state_key": "\(number)", "sender": "@eve:evil.org",
             "content": {"x": \(zeros(1_990))}}
            """
        }
        let list = topics.joined(separator: ", ")
        let text = #"""
            {"next_batch": "s", "rooms": {"\#(kind)": {"!a:b": {"\#(kind)_state":
             {"events": [\#(list)]}}}, "join": {"!c:d": {"state": {"events": []}}}}}
            """#
        let reply = try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
        #expect(reply.nextBatch == "s" && reply.joined.count == 1)
    }

    /// An event with lists in fields that are known could have ten times as many values as others.
    @Test(arguments: [100, 1_000]) func pageOfEventsWithManyKnownFieldsCanBeRead(
        count: Int
    ) throws {
        let names = EventContent.fieldNames.subtracting(["body", "msgtype"]).sorted().prefix(39)
        let fields = names.map { #""\#($0)": \#(zeros(500))"# }.joined(separator: ", ")
        let events = (0..<count).map { number in
            """
            {"type": "m.room.message", "event_id": "$\(number)", "sender": "@eve:example.org",
             "origin_server_ts": 3000, "content": {"body": "hi", "msgtype": "m.text", \(fields)}}
            """
        }
        let text = #"{"chunk": [\#(events.joined(separator: ", "))]}"#
        let bytes = try ReplyCutter.cut(Data(text.utf8))
        let reply = try JSONDecoder().decode(EventsReply.self, from: bytes)
        #expect(reply.events.count == count)
        #expect(reply.events.allSatisfy { $0.content.body == "hi" })
        #expect(bytes.count { $0 == UInt8(ascii: ",") } < 100 * count)
    }

    /// A homeserver could put thousands of events into the fields of one.
    @Test func eventsInAnEventHaveALimit() throws {
        let inner = #"{"type": "a", "sender": "b", "content": {"x": \#(zeros(1_990))}}"#
        let list = Array(repeating: inner, count: 1_000).joined(separator: ", ")
        let middle = #"{"type": "a", "sender": "b", "unsigned": [\#(list)]}"#
        let text = #"{"chunk": [\#(event("$m", #"{"body": "hi"}"#, at: 1, unsigned: middle))]}"#
        let bytes = try ReplyCutter.cut(Data(text.utf8))
        #expect(bytes.count { $0 == UInt8(ascii: ",") } < 10_000)
        let reply = try JSONDecoder().decode(EventsReply.self, from: bytes)
        #expect(reply.events.map(\.content.body) == ["hi"])
    }

    /// A room may have any number of events with state keys.
    ///
    /// The state of several rooms, each of which is below the limit for a room, can be too long
    /// together.
    @Test(arguments: [(1, 25_000), (11, 1_950)])
    func stateOfRoomsDoesNotCutOtherRooms(roomCount: Int, stateCount: Int) throws {
        let topics = (0..<stateCount).map { number in
            """
            {"type": "m.room.topic", "state_key": "\(number)", "sender": "@eve:evil.org",
             "content": {"x": \(zeros(89))}}
            """
        }
        let edit = """
            {"type": "m.room.message", "event_id": "$e", "sender": "@bob:example.org",
             "origin_server_ts": 1, "content": {"body": "* new", "msgtype": "m.text",
             "m.new_content": {"body": "new", "msgtype": "m.text"},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}}
            """
        let state = topics.joined(separator: ", ")
        let hostile = (0..<roomCount).map {
            #""!evil\#($0):evil.org": {"state": {"events": [\#(state)]}}"#
        }.joined(separator: ",")
        let text = #"""
            {"next_batch": "s", "rooms": {"join": {
             \#(hostile),
             "!a:b": {"timeline": {"events": [\#(edit)]}}}}}
            """#
        let reply = try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
        #expect(reply.joined.count == roomCount + 1)
        #expect(reply.joined["!a:b"]?.timeline.first?.edited == "$m")
        #expect(reply.joined["!a:b"]?.timeline.first?.content.body == "new")
    }

    /// The homeserver adds the latest reply of a thread, and the latest edit of this reply.
    @Test(arguments: [1, 1_100]) func editSurvivesLargeRepliesAndReferences(
        count: Int
    ) throws {
        func hostile(_ id: String, _ unsigned: String) -> String {
            """
            {"type": "m.room.message", "event_id": "\(id)", "sender": "@eve:example.org",
             "origin_server_ts": 3000, "unsigned": \(unsigned),
             "content": {"msgtype": "m.text", "body": "x", "a": \(zeros(1_985))}}
            """
        }
        let references = Array(repeating: #"{"event_id": "$r"}"#, count: count)
        let bobs = event(
            "$m", text("old"), at: 1000,
            unsigned: """
                {"m.relations": {
                 "m.replace": {"type": "m.room.message", "event_id": "$e", "sender": "@bob:example.org",
                  "origin_server_ts": 2000, "content": {"msgtype": "m.text", "body": "* new",
                  "m.new_content": {"msgtype": "m.text", "body": "new"},
                  "m.relates_to": {"rel_type": "m.replace", "event_id": "$m"}}},
                 "m.reference": {"chunk": [\(references.joined(separator: ", "))]},
                 "m.thread": {"count": 1, "latest_event":
                  \(hostile("$r", #"{"m.relations": {"m.replace": \#(hostile("$x", "{}"))}}"#))}}}
                """, by: "@bob:example.org")
        let found = try cut(bobs).event
        #expect(found.replacement?.content?.body == "new")
    }

    /// The homeserver of the user passes on all receipts of other servers.
    @Test func manyReceiptsAreNotCut() throws {
        let readers = (0..<9_000).map { #""@u\#($0):evil.org": {"ts": 0}"# }
        let text = #"""
            {"next_batch": "s", "rooms": {"join": {"!a:b": {"ephemeral": {"events": [
             {"type": "m.receipt", "content": {"$m": {"m.read":
              {\#(readers.joined(separator: ", ")), "@me:example.org": {"ts": 5}}}}}]}}}}}
            """#
        let reply = try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
        #expect(reply.joined["!a:b"]?.receipts.count == 9_001)
    }

    /// As Unicode texts, a Kelvin sign equals the letter K.
    @Test func invitationWithASimilarIDReplacesNoRoom() throws {
        let text = """
            {"next_batch": "s", "rooms": {"join": {"!aK:b": {}},
             "invite": {"!a\u{212A}:b": {"invite_state": {"events": []}}},
             "leave": {"!a\u{212A}:b": {}}}}
            """
        let reply = try JSONDecoder().decode(SyncReply.self, from: Data(text.utf8))
        #expect(reply.joined.count == 1 && reply.invited.isEmpty && reply.left.isEmpty)
    }

    /// A user who could not be decoded would read along unseen.
    @Test func memberWithLongListsIsAMember() throws {
        let member = #"""
            {"type": "m.room.member", "sender": "@eve:example.org", "state_key": "@eve:example.org",
             "content": {"membership": "join", "x": \#(zeros(10_001)), "y": \#(zeros(10_001))}}
            """#
        let text = #"""
            {"next_batch": "s", "rooms": {"join": {"!a:b": {"timeline": {"events": [\#(member)]}}}}}
            """#
        let reply = try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
        #expect(reply.joined["!a:b"]?.timeline.first?.content.membership == "join")
    }

    private func room(receipts: String, more rooms: String = "") throws -> SyncReply {
        let levels = (0..<120).map { #""@u\#($0):b": 50"# }.joined(separator: ", ")
        let text = #"""
            {"next_batch": "s", "rooms": {\#(rooms)"join": {"!a:b": {
             "state": {"events": [{"type": "m.room.power_levels", "state_key": "",
             "sender": "@u0:b", "content": {"users": {\#(levels)}}}]},
             "ephemeral": {"events": [{"type": "m.receipt", "content": {\#(receipts)}}]}}}}}
            """#
        return try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
    }

    @Test func valuesInReceiptsCutNothingElse() throws {
        let forged = (0..<300).map { number in
            #""$\#(number)": {"m.read": {"@u\#(number):evil": {"ts": 9, "data": \#(zeros(700))}}}"#
        }
        let own = #", "$m": {"m.read": {"@me:b": {"ts": 5}}}"#
        let reply = try room(receipts: forged.joined(separator: ", ") + own)
        #expect(reply.joined["!a:b"]?.receipts.count == 301)
        #expect(reply.joined["!a:b"]?.state.first?.content.power?.users.count == 120)
    }

    @Test func manyReceiptsCutOnlyReceipts() throws {
        let readers = (0..<110_000).map { #""@u\#($0):evil": {"ts": 0}"# }
        let reply = try room(receipts: #""$m": {"m.read": {\#(readers.joined(separator: ", "))}}"#)
        #expect(reply.joined["!a:b"]?.receipts.isEmpty == true)
        #expect(reply.joined["!a:b"]?.state.first?.content.power?.users.count == 120)
    }

    /// Stripped state need not consist of events.
    @Test func manyInvitationsCutNoRoom() throws {
        let invitations = (0..<110).map { number in
            """
            "!\(number):evil.org": {"invite_state": {"events": [{"x": \(zeros(19_900))}]}}
            """
        }
        let reply = try room(
            receipts: #""$m": {"m.read": {"@me:b": {"ts": 5}}}"#,
            more: #""invite": {\#(invitations.joined(separator: ", "))}, "#)
        #expect(reply.invited.count == 110 && reply.joined["!a:b"]?.receipts.count == 1)
        #expect(reply.joined["!a:b"]?.state.first?.content.power?.users.count == 120)
    }

    /// A message of any member can contain this name.
    @Test func statesInAMessageCutNoInvitation() throws {
        let open = String(repeating: #"{"invite_state": "#, count: 12)
        let nested = open + zeros(19_900) + String(repeating: "}", count: 12)
        let text = #"""
            {"next_batch": "s", "rooms": {"join": {"!a:b": {"timeline": {"events": [
             {"type": "m.room.message", "sender": "@eve:b", "content": {"x": \#(nested)}}]}}},
             "invite": {"!c:d": {"invite_state": {"events": [
             {"type": "m.room.name", "state_key": "", "sender": "@bob:d",
              "content": {"name": "kept"}}]}}}}}
            """#
        let reply = try JSONDecoder().decode(
            SyncReply.self, from: try ReplyCutter.cut(Data(text.utf8)))
        #expect(reply.invited["!c:d"]?.state.first?.content.name == "kept")
    }

    @Test func incompleteReplyIsRejected() {
        let replies = ["[1, 2", "{", #"{"a": [[]"#, String(repeating: "[", count: 1000)]
        for reply in replies {
            #expect(throws: DecodingError.self) { try ReplyCutter.cut(Data(reply.utf8)) }
        }
    }

    /// The decoder needs far more memory than the text of small values.
    @Test(arguments: ["[],", "1,", "{\"a\":[0]},"])
    func replyWithTooManyValuesIsRejected(value: String) throws {
        func reply(_ count: Int) -> Data {
            Data(#"{"a": [\#(String(repeating: value, count: count))0]}"#.utf8)
        }
        let small = reply(499)
        #expect(try ReplyCutter.cut(small, to: 2000) == small)
        #expect(throws: DecodingError.self) { try ReplyCutter.cut(reply(2000), to: 2000) }
    }

    @Test func charactersInTextsAreNoValues() throws {
        let text = String(repeating: #",[{\"\\"#, count: 1000)
        let reply = Data(#"{"a": "\#(text)"}"#.utf8)
        #expect(try ReplyCutter.cut(reply, to: 10) == reply)
    }

    @Test func smallRepliesAreNotChanged() throws {
        let reply = Data(#"{"a": [1, {"sender": "x", "b": "]}"}], "c": "\\\""}"#.utf8)
        #expect(try ReplyCutter.cut(reply) == reply)
    }
}
