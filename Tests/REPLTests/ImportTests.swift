import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests which logs an import accepts, and how it reports errors.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ImportTests {
    private let directory: ScratchDirectory
    private let workspace = Workspace.standing()
    private var path: String { directory.url.appending(path: "pets.jsonl").path }

    init() async throws {
        directory = try .made()
        _ = await workspace.reply("demo")
    }

    private func imported(_ lines: [String], _ options: String = "") async throws -> [String] {
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
        let reply = await workspace.reply("import \(path) \(options)")
        return reply.split(separator: "\n").map(String.init)
    }

    private func line(_ number: Int, _ fields: String, in channel: String = "pets") -> String {
        #"{\#(fields), "message_id": \#(number), "channel_url": "\#(channel)", "message": "m\#(number)"}"#
    }

    @Test func linesBecomeMessagesOfUsersOrOfTheChannel() async throws {
        let lines = try await imported([
            line(101, #""created_at": 1700000000000, "sender": "bob""#), "",
            line(102, #""created_at": 1700000001000, "type": "ADMM""#),
        ])
        #expect(
            lines.prefix(2) == [
                "imported 2 messages into 1 channel", "2 messages are in the cache of alice",
            ])
        #expect(
            await workspace.reply("open pets") == """
                — 2023-11-14 —
                101  22:13:20  bob  m101
                102  22:13:21  *    m102
                """)
        await workspace.end()
    }

    @Test(arguments: [
        (#""created_at": 1, "message_id": """#, "no text or number in the field 'message_id'"),
        (#""created_at": "noon""#, "no milliseconds in the field 'created_at'"),
        (#""created_at": 1, "message": 5"#, "no text in the field 'message'"),
        (#""created_at" 1"#, "this is not a JSON object"),
    ])
    func badLineIsReportedAndTheOthersAreImported(fields: String, reason: String) async throws {
        // A field that occurs twice has the first value.
        let lines = try await imported([
            line(101, fields), line(102, #""created_at": 2, "sender": "bob""#),
        ])
        #expect(
            lines.prefix(2) == [
                "line 1: \(reason)", "imported 1 message into 1 channel; 1 bad line",
            ], "\(lines)")
        await workspace.end()
    }

    /// An ID identifies one message on the server.
    ///
    /// With `into`, IDs begin with the channel's URL.
    @Test func aLogIsImportedIntoSeveralChannels() async throws {
        let log = [
            line(1, #""created_at": 1, "sender": "bob""#),
            line(2, #""created_at": 2, "sender": "carol", "parent_message_id": 1"#),
        ]
        for channel in ["a", "b", "a"] {
            let lines = try await imported(log, "into \(channel)")
            #expect(lines.contains("2 messages are in the cache of alice"), "\(lines)")
        }
        for channel in ["a", "b"] {
            #expect(await workspace.reply("count \(channel)") == "2")
            #expect(
                await workspace.reply("replies \(channel) \(channel)-1")
                    .hasSuffix("(to \(channel)-1)"))
        }
        #expect(await workspace.reply("verify b").hasSuffix("no differences from the server"))
        await workspace.end()
    }

    @Test func failedImportReportsOnlyItsError() async throws {
        // The channel "general" already has a message 1.
        let lines = try await imported([line(1, #""created_at": 1, "sender": "bob""#)])
        #expect(
            lines.count == 1
                && lines[0].hasPrefix("error: refused: message 1 already exists, in general"),
            "\(lines)")
        #expect(
            await workspace.reply("open pets")
                == "error: notFound: there is no channel pets; general stays open")
        await workspace.end()
    }

    @Test func messagesBeforeAFailureAreOnTheServer() async throws {
        let good = (1...1000).map {
            line(100_000 + $0, #""created_at": 1, "sender": "bob""#, in: "general")
        }
        let lines = try await imported(good + [line(1, #""created_at": 2, "sender": "bob""#)])
        #expect(lines.first?.hasPrefix("error: ") == true, "\(lines)")
        // The cache has a gap for the older messages.
        _ = await workspace.reply("heal general")
        #expect(await workspace.reply("count general") == "1060")
        #expect(await workspace.reply("verify general").hasSuffix("no differences from the server"))
        await workspace.end()
    }

    @Test(arguments: 2...5) func truncatedGzipFileIsAnError(count: Int) async throws {
        try Data([0x1F, 0x8B, 8, 0, 0].prefix(count)).write(to: URL(filePath: path))
        #expect(
            await workspace.reply("import \(path)")
                == "error: the gzip file '\(path)' is truncated or corrupted")
        await workspace.end()
    }

    @Test func offlineImportReachesTheServerAndLaterTheCache() async throws {
        _ = await workspace.reply("offline")
        let lines = try await imported([line(101, #""created_at": 1, "sender": "bob""#)])
        #expect(
            lines == [
                "imported 1 message into 1 channel",
                "pets is not in the cache: heal pets fetches it once you are online",
                "0 messages are in the cache of alice",
            ])
        await workspace.end()
    }
}
