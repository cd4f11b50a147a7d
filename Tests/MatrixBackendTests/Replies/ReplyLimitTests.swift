import Foundation
import MatrixBackend
import Models
import Sync
import Testing

/// The limits of tokens, addresses, lists and keys in replies other than those of the feed.
@Suite(.timeLimit(.minutes(10))) struct MatrixReplyLimitTests: ClientEventSuite {
    private let long = String(repeating: "t", count: 4097)

    private func expectIsMalformed(
        _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: BackendError.self, sourceLocation: sourceLocation) {
            try await body()
        }
        #expect(
            error?.code == .unanswered && error?.detail == .malformedData,
            sourceLocation: sourceLocation)
    }

    /// The engine stores the tokens of pages as cursors.
    @Test func longTokensOfPagesAreNotAccepted() async throws {
        let device = try await FollowingDevice().device
        let message = PreparedReplies.message("$m", "x", at: 1)
        device.server.reply(
            "\(path)/context/$m", #"{"event": \#(message), "end": "\#(long)"}"#)
        device.server.reply("\(path)/messages", #"{"chunk": [], "start": "\#(long)"}"#)
        await expectIsMalformed {
            _ = try await device.backend.messages(in: room, at: .message("$m"), older: 0, newer: 9)
        }
        await expectIsMalformed {
            _ = try await device.backend.messages(in: room, at: .newest, older: 0, newer: 0)
        }
        #expect(device.server.parameters("from").allSatisfy { $0.utf8.count <= 4096 })
    }

    @Test func longTokenOfASearchIsNotAccepted() async throws {
        let device = try await FollowingDevice().device
        device.server.reply(
            "POST search",
            #"{"search_categories": {"room_events": {"results": [], "next_batch": "\#(long)"}}}"#)
        await expectIsMalformed {
            _ = try await device.backend.perform(
                SearchMessages(matching: MessageSearchParams("x"), after: nil, limit: 20))
        }
    }

    /// Looking up the messages of many found edits would take hours.
    @Test func pageOfASearchWithTooManyResultsIsNotAccepted() async throws {
        let device = try await FollowingDevice().device
        let results = (0...1000).map { number in
            let edit = edit("$e\(number)", of: "$m\(number)", "x", at: number)
            return #"{"result": {"room_id": "\#(room)", \#(edit.dropFirst())}"#
        }
        device.server.reply(
            "POST search",
            """
            {"search_categories": {"room_events": {"results": [\(results.joined(separator: ","))]}}}
            """)
        await expectIsMalformed {
            _ = try await device.backend.perform(
                SearchMessages(matching: MessageSearchParams("x"), after: nil, limit: 20))
        }
        #expect(device.server.requests.count { $0.contains("/event/") } == 0)
    }

    /// The address becomes part of an outbox item, and is sent to the members of the room.
    @Test func longAddressOfAnUploadIsNotAccepted() async throws {
        let device = try await FollowingDevice().device
        device.server.reply(
            "POST upload", #"{"content_uri": "mxc://example.org/\#(long)"}"#)
        await expectIsMalformed {
            _ = try await device.backend.upload(
                UploadableFile(), from: UploadSource(Data("x".utf8)), requestID: "1",
                progress: { _ in })
        }
    }

    /// The client keeps the tokens and the profile of its user.
    @Test(arguments: ["access_token", "refresh_token", "device_id", "displayname", "avatar_url"])
    func longValueOfASignInIsNotAccepted(_ key: String) async throws {
        let device = Device(.password("secret"))
        var values = ["user_id": "@alice:example.org", "access_token": "t"]
        values[key] = long
        let reply = String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
        device.server.reply("POST login", reply)
        device.server.reply("GET profile/@alice:example.org", reply)
        await expectIsMalformed {
            _ = try await device.backend.connect(as: Credentials("@alice:example.org"))
        }
    }

    @Test func longIDOfASentMessageIsNotAccepted() async throws {
        let device = try await FollowingDevice().device
        device.server.reply(
            "PUT rooms/!room:example.org/send/m.room.message/r1", #"{"event_id": "$\#(long)"}"#)
        let message = Message(NewMessage("x"), in: room, by: nil, at: 2000)
        var item = OutboxItem(message, requestID: "r1")
        item.attempts = 1
        await expectIsMalformed { _ = try await device.backend.send(item) }
    }

    // MARK: Keys

    /// Text with marks of descending classes, which Unicode puts in ascending order.
    ///
    /// Comparing or hashing such a text takes quadratic time.
    private func marks(_ count: Int) -> String {
        "a" + String(repeating: "\u{301}", count: count / 2)
            + String(repeating: "\u{316}", count: count / 2)
    }

    @Test func longKeysOfObjectsAreNotHashed() async throws {
        let alice = try await FollowingDevice()
        let key = marks(2_000_000)
        let events = try await alice.feed(
            sync: """
                {"next_batch": "s1", "\(key)": 0, "rooms": {"join": {"!room:example.org": {
                 "\(key)": 0, "timeline": {"events": [
                    \(event("$m", #"{"msgtype": "m.text", "body": "hello", "\#(key)": 0}"#))]}}}}}
                """)
        #expect(texts(events) == ["hello"])
    }

    /// If one of these IDs was hashed or compared, the test would exceed its limit.
    @Test func longIDsOfListsAreOmitted() async throws {
        let alice = try await FollowingDevice()
        let id = marks(2_000_000)
        let events = try await alice.feed(
            sync: """
                {"next_batch": "s1", "account_data": {"events": [
                  {"type": "m.direct", "content": {"@bob:example.org": ["\(id)", "!room:example.org"]}}]},
                 "rooms": {"join": {"!room:example.org": {
                   "summary": {"m.heroes": ["\(id)", "\(id)2", "@bob:example.org"]},
                   "ephemeral": {"events": [
                     {"type": "m.typing", "content": {"user_ids": ["\(id)", "@bob:example.org"]}}]},
                   "timeline": {"events": [
                     \(event("$p", #"{"pinned": ["\#(id)", "$m"]}"#, type: "m.room.pinned_events")),
                     \(event("$m", #"{"msgtype": "m.text", "body": "hello", "m.mentions": {"user_ids": ["\#(id)", "@alice:example.org"]}}"#))]}}}}}
                """)
        #expect(texts(events) == ["hello"])
        for event in events {
            if case .typing(let users, in: _) = event {
                #expect(users.map(\.userID) == ["@bob:example.org"])
            }
            if case .messageReceived(let message) = event {
                #expect(message.mentionedUserIDs == ["@alice:example.org"])
            }
        }
    }

    // MARK: Endless pages

    /// Prepares pages without an end, and returns the number of requests of a call that fails.
    private func requests(
        _ events: String, of call: (MatrixBackend) async throws -> Void
    ) async throws -> Int {
        let alice = try await FollowingDevice()
        for number in 0..<200 {
            alice.device.server.reply(
                "\(path)/messages", #"{"chunk": [\#(events)], "end": "t\#(number)"}"#)
        }
        await #expect(throws: BackendError.self) { try await call(alice.device.backend) }
        return alice.device.server.requests.count { $0.hasSuffix("/messages") }
    }

    @Test func markingAsReadEndsWithoutAnEvent() async throws {
        let late = event("$m", #"{"msgtype": "m.text", "body": "a"}"#)
        let count = try await requests(late) { try await $0.perform(MarkAsRead(room, upTo: 5)) }
        #expect(count == 100)
    }

    @Test func searchForASentMessageEnds() async throws {
        var item = OutboxItem(Message(NewMessage("x"), in: room, by: nil, at: 5), requestID: "r1")
        item.attempts = 2
        let count = try await requests("") { _ = try await $0.send(item) }
        #expect(count == 100)
    }

    private func texts(_ events: [FeedEvent]) -> [String] {
        events.compactMap { event in
            if case .messageReceived(let message) = event { message.text } else { nil }
        }
    }

    /// A member of the room can write an event of this size.
    ///
    /// If each of them took quadratic time, the test would exceed its limit.
    @Test func longTypesAreNotCompared() async throws {
        let type = marks(60_000 / 2)
        let relation = #"{"rel_type": "\#(type)", "event_id": "$m"}"#
        let file = #"{"msgtype": "m.file", "body": "a.\#(type)", "url": "mxc://example.org/1"}"#
        let reply = #""m.relates_to": {"m.in_reply_to": {"event_id": "$m"}}"#
        let alice = try await FollowingDevice()
        for number in 0..<20 {
            let events = try await alice.feed(
                event("$a\(number)", #"{"msgtype": "\#(type)", "body": "a"}"#),
                event("$b\(number)", text("b", relation: relation)),
                event("$c\(number)", #"{"membership": "\#(type)"}"#, type: "m.room.member"),
                event("$d\(number)", file),
                event("$e\(number)", #"{"msgtype": "m.text", "body": "> d\#(type)\nd", \#(reply)}"#)
            )
            #expect(texts(events) == ["a", "b", "", "d"])
        }
    }
}
