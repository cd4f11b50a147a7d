import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests which lines of other systems' logs an import accepts, and how it reports the others.
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
        #"{"message_id": \#(number), "channel_url": "\#(channel)", "message": "m\#(number)", \#(fields)}"#
    }

    @Test func alternativeFieldNamesAreRead() async throws {
        let lines = try await imported([
            #"{"msg_id": 101, "channel_url": "pets", "ts": 1700000000000, "user": "bob", "message": "one"}"#,
            line(102, #""ts": 1700000001000, "user": {"user_id": "carol", "nickname": "Carol"}"#),
        ])
        #expect(
            lines == [
                "imported 2 messages into 1 channel", "2 messages are in the cache of alice",
                "= pets: alice joins",
            ])
        #expect(
            await workspace.reply("open pets") == """
                — 2023-11-14 —
                101  22:13:20  bob    one
                102  22:13:21  carol  m102
                """)
        await workspace.end()
    }

    @Test func ignoredFieldsAreReportedOncePerName() async throws {
        let lines = try await imported([
            line(101, #""ts": 1, "sender": "bob", "mood": "sunny", "nothing": null"#),
            line(102, #""ts": 2, "user": {"user_id": "bob", "age": 7}, "mood": {"a": [1]}"#),
            line(103, #""ts": 3, "created_at": 4, "type": "FILE", "user": "bob", "sender": "eve""#),
            line(104, #""ts": 4, "type": "ADMM", "user": "bob""#),
            line(105, #""ts": 5"#),
        ])
        #expect(
            lines.prefix(7) == [
                "ignored 'mood', 2 times", "ignored 'ts', 1 time", "ignored 'type FILE', 1 time",
                "ignored 'user', 1 time", "ignored 'user of ADMM', 1 time",
                "ignored 'user.age', 1 time",
                "1 line without a sender: shown as messages of the channel itself",
            ])
        #expect(lines.dropFirst(7).first == "imported 5 messages into 1 channel")
        await workspace.end()
    }

    @Test func reportLimitsTheNumberOfNames() async throws {
        let fields = (1...60).map { #""f\#($0)": 1"# }.joined(separator: ", ")
        let lines = try await imported([line(101, #""ts": 1, "user": "bob", \#(fields)"#)])
        #expect(lines[..<50].allSatisfy { $0.hasPrefix("ignored 'f") })
        #expect(lines[50] == "ignored more, 10 times")
        await workspace.end()
    }

    @Test func missingFieldIsReported() async throws {
        let log = [line(101, #""at": 1, "user": "bob", "created_at": 2, "author": "carol""#)]
        let lines = try await imported(log, "time=at sender=writer message=message")
        #expect(
            lines.prefix(4) == [
                "no line has a field 'writer'", "ignored 'author', 1 time",
                "ignored 'created_at', 1 time", "ignored 'user', 1 time",
            ])
        #expect(!lines.contains { $0.contains("'message'") || $0.contains("'at'") })
        await workspace.end()
    }

    @Test(arguments: [
        (#""ts": 1, "user": """#, "the field 'user' is empty"),
        (
            #""ts": 1, "user": "b", "parent_message_id": {}"#,
            "the field 'parent_message_id' is neither a text nor a number"
        ),
        (#""ts": 1, "user": true"#, "the field 'user' is neither a user's id nor an object"),
        (#""ts": 1, "user": {"name": "Bob"}"#, "no field 'user_id' in 'user'"),
        (#""ts": 1, "user": {"user_id": ""}"#, "the field 'user' is empty"),
        (
            #""ts": 1, "user": "\#(String(repeating: "b", count: 1025))""#,
            "the field 'user' has more than 1024 bytes"
        ),
        (
            #""ts": "noon", "user": "b""#,
            "no field 'created_at' or 'ts' that is a time, as milliseconds, seconds or "
                + "2012-04-26T10:00:00Z: time=NAME names another one"
        ),
    ])
    func badLineIsReportedAndTheOthersAreImported(fields: String, reason: String) async throws {
        let lines = try await imported([line(101, fields), line(102, #""ts": 2, "user": "bob""#)])
        #expect(
            lines.prefix(2) == [
                "line 1: \(reason)", "imported 1 message into 1 channel; 1 bad line",
            ], "\(lines)")
        await workspace.end()
    }

    @Test func linesAreNumberedForAnyIDs() async throws {
        let lines = try await imported([line(1, #""ts": 1, "user": "bob", "line": 7"#)], "id=line")
        #expect(lines.prefix(2) == ["ignored 'line', 1 time", "imported 1 message into 1 channel"])
        #expect(await workspace.reply("message pets pets-1").contains(#""message" : "m1""#))
        #expect(await workspace.reply("help import").contains("[id=line]"))
        await workspace.end()
    }

    /// An ID identifies one message on the server.
    ///
    /// With `into`, IDs begin with the channel's URL.
    @Test(arguments: ["", "id=line"])
    func aLogIsImportedIntoSeveralChannels(options: String) async throws {
        let log = [
            line(1, #""ts": 1, "user": "bob""#),
            line(2, #""ts": 2, "user": "carol", "parent_message_id": 1"#),
        ]
        for channel in ["a", "b", "a"] {
            let lines = try await imported(log, "into \(channel) \(options)")
            #expect(lines.contains("2 messages are in the cache of alice"), "\(lines)")
        }
        for channel in ["a", "b"] {
            #expect(await workspace.reply("count \(channel)") == "2")
            let parent = options.isEmpty ? "\(channel)-1" : "\(channel)-pets-1"
            #expect(
                await workspace.reply("replies \(channel) \(parent)").hasSuffix("(to \(parent))"))
        }
        #expect(await workspace.reply("verify b").hasSuffix("no differences from the server"))
        let long = String(repeating: "x", count: 1023)
        let bad = try await imported(
            [#"{"message_id": "\#(long)", "message": "m", "ts": 1}"#], "into a")
        #expect(
            bad.first == "line 1: the field 'message_id, after the channel's URL' "
                + "has more than 1024 bytes")
        await workspace.end()
    }

    @Test func byteOrderMarkIsSkipped() async throws {
        let lines = try await imported([
            "\u{FEFF}" + line(101, #""ts": 1, "user": "bob""#),
            line(102, #""ts": 2, "user": "bob""#),
        ])
        #expect(lines.first == "imported 2 messages into 1 channel")
        await workspace.end()
    }

    @Test func failedImportReportsOnlyItsError() async throws {
        // The channel "general" already has a message 1.
        let lines = try await imported([line(1, #""ts": 1, "user": "bob""#)])
        #expect(
            lines.count == 1
                && lines[0].hasPrefix("error: message 1 already exists, in general"))
        for command in ["wait 10s", "offline", "online"] {
            let reply = await workspace.reply(command)
            #expect(!reply.contains("pets"), "\(reply)")
        }
        #expect(
            await workspace.reply("open pets")
                == "error: notFound: there is no channel pets; general stays open")
        await workspace.end()
    }

    @Test func messagesBeforeAFailureAreStoredWithCoverage() async throws {
        let good = (1...1000).map { line(100_000 + $0, #""ts": 1, "user": "bob""#, in: "general") }
        let lines = try await imported(good + [line(1, #""ts": 2, "user": "bob""#)])
        #expect(
            lines.first?.hasSuffix("; 1,000 messages before it are on the server") == true,
            "\(lines)")
        // The cache has a gap for the older messages.
        _ = await workspace.reply("backfill general")
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

    /// Another process may have completed the import.
    @Test func importedChannelIsCompleteAfterASync() async throws {
        _ = try await imported([line(101, #""ts": 10, "user": "bob""#)])
        _ = try await imported(
            [line(100, #""ts": 5, "user": "zoe""#), line(102, #""ts": 20, "user": "zoe""#)],
            "server-only")
        _ = await workspace.reply("sync")
        let list = await workspace.reply("list")
        #expect(list.contains("pets") && list.contains("3 members") && list.contains("zoe: m102"))
        #expect(await workspace.reply("verify pets").hasSuffix("no differences from the server"))
        _ = await workspace.reply("backfill pets")
        #expect(await workspace.reply("count pets") == "3")
        #expect(await workspace.reply("coverage pets").contains("3 known, 0 gaps"))
        #expect(
            await workspace.reply("verify pets")
                == "compared 3 messages: no differences from the server")
        await workspace.end()
    }

    @Test func offlineImportReachesTheServerAndLaterTheCache() async throws {
        _ = await workspace.reply("offline")
        let lines = try await imported([line(101, #""ts": 1, "user": "bob""#)])
        #expect(
            lines == [
                "imported 1 message into 1 channel",
                "pets is not in the cache: backfill pets fetches it once you are online",
                "0 messages are in the cache of alice",
            ])
        await workspace.end()
    }
}
