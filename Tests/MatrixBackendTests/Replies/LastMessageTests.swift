import MatrixBackend
import Models
import Sync
import Testing

/// Tests the last message of a room whose state changes in the same reply of `/sync`.
@Suite struct MatrixLastMessageTests: ClientEventSuite {
    private let name = """
        {"type": "m.room.name", "state_key": "", "event_id": "$n", "sender": "@bob:example.org",
         "origin_server_ts": 5000, "content": {"name": "Other"}}
        """

    /// Returns the patches of the batch with the events `next`, after one with `first`.
    private func patches(
        after first: [String], _ next: String..., messages: String?
    ) async throws -> [Patch<GroupChannel>] {
        let alice = try await FollowingDevice()
        let (server, backend) = (alice.device.server, alice.device.backend)
        if let messages { server.reply("\(path)/messages", messages) }
        let redacted = event("$e", "{}", at: 3000, unsigned: #"{"redacted_because": {}}"#)
        server.reply("\(path)/event/$e", redacted)
        server.replace("GET sync", PreparedReplies.sync("s2", events: first))
        let cursor = try await backend.feed(since: alice.cursor).cursor
        server.replace("GET sync", PreparedReplies.sync("s3", events: next))
        return try await backend.feed(since: cursor).events.compactMap { event in
            if case .channel(let update) = event { update.patch } else { nil }
        }
    }

    private func lastTexts(_ patches: [Patch<GroupChannel>]) -> [String?] {
        patches.filter { $0.contains(\.lastMessage) }.map { patch in
            var channel = GroupChannel()
            patch.apply(to: &channel)
            return channel.lastMessage?.text
        }
    }

    @Test func deletedMessageIsReplaced() async throws {
        let patches = try await patches(
            after: [event("$l", text("before"), at: 1500), event("$m", text("deleted"))],
            redaction("$d", of: "$m", at: 4000), name,
            messages: #"{"chunk": [\#(event("$l", text("before"), at: 1500))]}"#)
        #expect(lastTexts(patches) == ["before"])
    }

    /// The history cannot be read, or has too many other events.
    @Test(arguments: [nil, #"{"chunk": [], "end": "t1"}"#] as [String?])
    func deletedMessageIsNotReported(messages: String?) async throws {
        let patches = try await patches(
            after: [event("$m", text("deleted"))], redaction("$d", of: "$m", at: 4000), name,
            messages: messages)
        #expect(!patches.isEmpty && lastTexts(patches) == [])
    }

    @Test func editedMessageIsReportedInItsNewVersion() async throws {
        let new = edit("$e", of: "$m", "new", at: 3000)
        let relations = #"{"m.relations": {"m.replace": \#(new)}}"#
        let patches = try await patches(
            after: [event("$m", text("old"))], new, name,
            messages: #"{"chunk": [\#(event("$m", text("old"), unsigned: relations))]}"#)
        #expect(lastTexts(patches) == ["new"])
    }

    /// The process has not seen the edit as an event.
    @Test func textOfADeletedEditIsNotReported() async throws {
        let new = edit("$e", of: "$m", "new", at: 3000)
        let relations = #"{"m.relations": {"m.replace": \#(new)}}"#
        let patches = try await patches(
            after: [event("$m", text("old"), unsigned: relations)],
            redaction("$d", of: "$e", at: 4000), name,
            messages: #"{"chunk": [\#(event("$m", text("old")))]}"#)
        #expect(lastTexts(patches) == ["old"])
    }
}
