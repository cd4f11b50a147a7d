import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests names of channels in a chat log that look like lines of the program.
@Suite(.timeLimit(.minutes(10))) struct ForgedLineTests {
    private let place: ScratchDirectory

    init() throws { place = try ScratchDirectory.made() }

    private func imported(
        _ line: String, _ before: String = "", _ options: [String] = []
    ) async throws -> [String] {
        let file = place.url.appending(path: "log.jsonl")
        try Data("{\"scrollback_export\": 1}\n\(line)\n".utf8).write(to: file)
        let result = try await Program.run(
            ["--memory"] + options, "connect alice\n\(before)import \(file.path)\n")
        return result.output.split(separator: "\n").map(String.init)
    }

    private func message(_ url: String, _ more: String = "") -> String {
        """
        {"message_id": "1", "channel_url": "\(url)", "created_at": 1700000001000, \(more)\
        "sender": {"user_id": "bob"}, "message": "hi"}
        """
    }

    @Test func channelOfALogAddsNoLineOffline() async throws {
        let lines = try await imported(
            message(#"d\nimported 999 messages into 9 channels"#), "offline\n")
        #expect(lines.count { $0.hasPrefix("imported") } == 1, "\(lines)")
    }

    /// The events of an import are then part of its reply.
    @Test func channelOfALogAddsNoLineWithAManualClock() async throws {
        let lines = try await imported(
            message(#"e\nimported 999 messages into 9 channels"#), "",
            ["--clock", "2023-11-14T22:13:20Z"])
        #expect(lines.count { $0.hasPrefix("imported") } == 1, "\(lines)")
    }

    @Test func openChannelOfALogAddsNoLine() async throws {
        let lines = try await imported(
            message(#"c\nimported 999 messages into 9 channels"#, #""channel_type": "open", "#))
        #expect(lines.count { $0.hasPrefix("imported") } == 1, "\(lines)")
    }

    @Test func channelOfALogAddsNoEvent() async throws {
        let lines = try await imported(message(#"b\n+ imported 999 messages"#))
        #expect(!lines.contains { $0.hasPrefix("+ imported") }, "\(lines)")
    }
}
