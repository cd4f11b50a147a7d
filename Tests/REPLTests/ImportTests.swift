import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests which lines of other systems' logs an import accepts, and how it reports the others.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ImportTests {
    // MARK: Lines

    @Test func linesAfterBlankOnesKeepTheirNumbers() {
        var lines = LogLines(isText: false, lists: [])
        var found = lines.read(Array("\n\n".utf8)[...])
        found += lines.read(Array(" \n{\"a\": 1}\n\n{\"a\":".utf8)[...])
        found += lines.read(Array(" 2}\n".utf8)[...]) + lines.finish()
        #expect(found.map(\.number) == [4, 6])
    }

    @Test func lineThatIsTooLongEndsTheLog() {
        var lines = LogLines(isText: true, lists: [])
        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
        for _ in 0..<17 { #expect(lines.read(piece[...]).isEmpty) }
        #expect("\(lines.failure.map(sentence) ?? "")".contains("line 1 has more than"))
    }

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

    private func importedExport(_ line: String) async throws -> [String] {
        try await imported([#"{"scrollback_export": 1, "channel_url": "general"}"#, line])
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
                102  22:13:21  Carol  m102
                """)
        await workspace.end()
    }

    @Test func ignoredFieldsAreReportedOncePerName() async throws {
        let lines = try await imported([
            line(101, #""ts": 1700000001, "sender": "bob", "mood": "sunny", "nothing": null"#),
            line(
                102, #""ts": 1700000002, "user": {"user_id": "bob", "age": 7}, "mood": {"a": [1]}"#),
            line(
                103,
                #""ts": 1700000003, "created_at": 1700000004, "type": "FILE", "user": "bob", "sender": "eve""#
            ),
            line(104, #""ts": 1700000004, "type": "ADMM", "user": "bob""#),
            line(105, #""ts": 1700000005"#),
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
        let lines = try await imported([line(101, #""ts": 1700000001, "user": "bob", \#(fields)"#)])
        #expect(lines[..<50].allSatisfy { $0.hasPrefix("ignored 'f") })
        #expect(lines[50] == "ignored more, 10 times")
        await workspace.end()
    }

    @Test func missingFieldIsReported() async throws {
        let log = [
            line(
                101,
                #""at": 1700000001, "user": "bob", "created_at": 1700000002, "author": "carol""#)
        ]
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
        (#""ts": 1700000001, "user": """#, "the field 'user' is empty"),
        (
            #""ts": 1700000001, "user": "b", "parent_message_id": {}"#,
            "the field 'parent_message_id' is neither a text nor a number"
        ),
        (
            #""ts": 1700000001, "user": true"#,
            "the field 'user' is neither a user's id nor an object"
        ),
        (#""ts": 1700000001, "user": {"name": "Bob"}"#, "no field 'user_id' in 'user'"),
        (#""ts": 1700000001, "user": {"user_id": ""}"#, "the field 'user' is empty"),
        (
            #""ts": 1700000001, "user": "\#(String(repeating: "b", count: 1025))""#,
            "the field 'user' has more than 1024 bytes"
        ),
        (
            #""ts": "noon", "user": "b""#,
            "the field 'ts' is not a time: milliseconds, seconds or 2012-04-26T10:00:00Z"
        ),
        (
            #""ts": 1700000000000000, "user": "b""#,
            "1700000000000000 is not a time in the years 1990 to 2099: unit=us makes it one"
        ),
        (
            #""ts": "0001-01-01T00:00:00Z", "user": "b""#,
            "'0001-01-01T00:00:00Z' is not a time in the years 1990 to 2099"
        ),
    ])
    func badLineIsReportedAndTheOthersAreImported(fields: String, reason: String) async throws {
        let lines = try await imported([
            line(101, fields), line(102, #""ts": 1700000002, "user": "bob""#),
        ])
        #expect(
            lines.prefix(2) == [
                "line 1: \(reason)", "imported 1 message into 1 channel; 1 bad line",
            ], "\(lines)")
        await workspace.end()
    }

    @Test func linesAreNumberedForAnyIDs() async throws {
        let lines = try await imported(
            [line(1, #""ts": 1700000001, "user": "bob", "line": 7"#)], "id=line")
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
            line(1, #""ts": 1700000001, "user": "bob""#),
            line(2, #""ts": 1700000002, "user": "carol", "parent_message_id": 1"#),
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
            [#"{"message_id": "\#(long)", "message": "m", "ts": 1700000001}"#], "into a")
        #expect(
            bad.first?.hasSuffix(
                "line 1: the field 'message_id, after the channel's URL' has more than 1024 bytes")
                == true)
        await workspace.end()
    }

    // MARK: Documents

    /// Returns the ids, times and texts of the channel's messages.
    private func rows(_ channel: String = "pets") async -> [String] {
        await workspace.reply("messages \(channel)").split(separator: "\n")
            .map { String($0.replacing("  2023-11-14T", with: " ")) }
    }

    @Test(arguments: [
        #"[{"id": "a", "at": 1700000000, "by": {"id": "bob"}, "content": {"body": ["on", {"text": "e"}]}}]"#,
        """
        {"data": {"list": [
            {"id": "a", "at": "1700000000.25", "by": {"id": "bob"}, "content": {"body": "one"}}
        ]}, "next": null}
        """,
        #"{"id": "a", "at": "2023-11-14 23:13:20+01:00", "by": {"id": "bob"}, "content": {"body": "one"}}"#,
        """
        {
            "id": "a", "at": "2023-11-14T22:13:20.123456789Z", "by": {"id": "bob"},
            "content": {"body": "one"}
        } {"id": "a", "at": 1700000000, "content": {"body": "two"}}
        """,
    ])
    func jsonOfAnyShapeIsRead(text: String) async throws {
        let lines = try await imported(
            [text],
            "into pets messages=.data.list user=by.id text=content.body time=at id=.id")
        #expect(lines.contains { $0.hasPrefix("imported 1 message into 1 channel") }, "\(lines)")
        let rows = await rows()
        #expect(rows.count == 1 && rows[0].hasPrefix("pets-a 22:13:20."), "\(rows)")
        #expect(rows.first?.hasSuffix("bob: one") == true)
        await workspace.end()
    }

    @Test func repliesMayPrecedeTheirParentsAndARootNamesItself() async throws {
        let lines = try await imported(
            [
                #"{"ts": "1700000002.5", "root": "1700000001.5", "text": "b"}"#,
                #"{"ts": "1700000001.5", "root": "1700000001.5", "text": "a"}"#,
                #"{"ts": "1700000001.5", "root": "1700000001.5", "text": "a"}"#,
            ], "into pets id=ts time=ts parent=root message=text")
        #expect(
            lines.contains("imported 2 messages into 1 channel; 1 with the id of an earlier one"))
        let rows = await rows()
        #expect(rows[0].hasSuffix(" a") && rows[1].hasSuffix("b  (to pets-1700000001.5)"))
        await workspace.end()
    }

    @Test(arguments: [
        ("", "has no message"), ("\n\n", "has no message"),
        (#"{"text": "a"}"#, "has no message: line 1: no field 'created_at' or 'ts'"),
        ("nothing", "has no message: line 1: this is not a JSON object"),
        ("a\nb\nc", "this is not a JSON object, and 2 more bad lines"),
        (#"{"ts": 1700000000, "#, "the JSON value in line 1 is not complete"),
        (
            #"{"ts": 1700000000, "items": [{"a": 1}]}"#,
            "no field 'message': messages=items reads the list 'items', and message=NAME"
        ),
        (#"{"ts": 1700000000, "message": {"a": 1}}"#, "the field 'message' is not a text"),
    ])
    func anImportWithoutAMessageFails(text: String, reason: String) async throws {
        let lines = try await imported([text], "into pets id=line")
        #expect(lines.count == 1 && lines[0].hasPrefix("error: "))
        #expect(lines[0].contains(reason), "\(lines)")
        #expect(await workspace.reply("count pets").hasPrefix("error: "))
        await workspace.end()
    }

    @Test func aNamedFieldThatABadLineHasIsNotMissing() async throws {
        let lines = try await imported(
            [
                #"{"ts": 1700000000, "text": {"a": 1}}"#, #"{"ts": 1700000001, "text": true}"#,
                #"{"ts": 1700000002, "message": "a"}"#,
            ], "into pets id=line text=text|message")
        #expect(!lines.contains { $0.contains("no line has") }, "\(lines)")
        #expect(lines.contains("imported 1 message into 1 channel; 2 bad lines"))
        await workspace.end()
    }

    @Test(arguments: [
        "from=skype", "unit=weeks", "dates=ymd", "nosuch=x", "time=", "from=slack into", "slack",
    ])
    func wrongOptionsAreErrors(options: String) async throws {
        let lines = try await imported([line(101, #""ts": 1700000000"#)], options)
        #expect(lines.count == 1 && lines[0].hasPrefix("error: "), "\(lines)")
        await workspace.end()
    }

    // MARK: Exports

    @Test func anExportReadsBackEqual() async throws {
        let log = directory.url.appending(path: "log").path
        let message = #"""
            {"message_id": 61, "channel_url": "general", "created_at": 1700000060000, "type": "FILE", \#
            "user": {"user_id": "bob", "nickname": "Bobby"}, "updated_at": 1700000070000, \#
            "message": "line\none", "file": {"name": "a.png", "url": "https://example.org/a.png", "type": "image/png", "size": 5}, \#
            "data": "{}", "custom_type": "offer", "reactions": [{"key": "+1", "user_ids": ["bob"], "updated_at": 5}]}
            """#
        for line in [
            "save Message \(message)", "reply 60 Me too", "react 60 +1", "edit 50 Later!",
            "open-gap general 3 4", "export \(log) general",
        ] {
            let reply = await workspace.reply(line)
            #expect(!reply.hasPrefix("error: "), "\(line): \(reply)")
        }
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(
            text.hasPrefix(
                #"{"channel_url":"general","gap_count":1,"left_out":["the contents of files","members and settings of the channel"],"message_count":62,"name":"General","scrollback_export":1}"#
            ))
        #expect(text.contains("Bobby") && text.contains(#""reactions":[{"key":"+1""#))
        #expect(text.components(separatedBy: #"{"gap":{"from""#).count == 2)

        let other = Workspace.standing()
        _ = await other.reply("connect alice")
        let reply = await other.reply("import \(log)")
        #expect(
            reply.contains("imported 62 messages") && reply.contains("1 gap of the export"),
            "\(reply)")
        _ = await other.reply("export \(log)2 general")
        func messages(_ text: String) -> [String] {
            // The server itself counts the replies, and request IDs of a log are not trusted.
            text.split(separator: "\n").filter { $0.contains("message_id") }.map {
                String($0).replacing(#/"thread_info":.*?},("user")/#) { "\($0.1)" }
                    .replacing(#/"request_id":".*?",/#, with: "")
            }
        }
        let again = try String(contentsOfFile: "\(log)2", encoding: .utf8)
        #expect(messages(again) == messages(text))
        await other.end()
        await workspace.end()
    }

    @Test func fieldsNestedAsDeepAsPermittedAreReadBack() async throws {
        let depth = JSONValue.maximumDepth
        let own = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let reply = try await importedExport(
            line(90, #""created_at": 1700000000000, "own": \#(own)"#, in: "general"))
        #expect(reply.contains { $0.contains("imported 1 message") }, "\(reply)")
        _ = await workspace.reply("export \(path).2 general")
        #expect(try String(contentsOfFile: "\(path).2", encoding: .utf8).contains(own))
        await workspace.end()
    }

    @Test func pollOfAnExportMayHaveAnyIDs() async throws {
        _ = await workspace.reply("demo")
        let poll = #"{"id": -1, "title": "p", "options": [{"id": -1, "text": "x"}]}"#
        let reply = try await importedExport(
            line(9000, #""created_at": 1700000000000, "poll": \#(poll)"#, in: "general"))
        #expect(reply.contains { $0.contains("imported 1 message") }, "\(reply)")
        let vote = await workspace.reply("vote 9000 -1 in general")
        #expect(vote.hasPrefix("p  x 1"), "\(reply), \(vote)")
        await workspace.end()
    }

    /// The server would give the following IDs to later messages of the user.
    @Test(arguments: ["message_id", "parent_message_id"])
    func idsThatTheServerCannotAssignAreRefused(field: String) async throws {
        let id = field == "message_id" ? "" : #""message_id": 9000, "#
        let reply = try await importedExport(
            #"""
            {\#(id)"\#(field)": 4611686018427387904, "channel_url": "general", "message": "x",
             "created_at": 1700000000000}
            """#.replacing("\n", with: " "))
        #expect(reply.contains { $0.contains("greater number than") }, "\(reply)")
        await workspace.end()
    }

    /// Later changes on the server would have this time, too, after the message is deleted.
    @Test(arguments: ["created_at", "updated_at"])
    func messageOfAnExportIsNotOfTheDistantFuture(field: String) async throws {
        let time = field == "created_at" ? "" : #""created_at": 1700000000000, "#
        let reply = try await importedExport(
            line(90, #"\#(time)"\#(field)": 9223372036854775807"#, in: "general"))
        #expect(reply.contains { $0.contains("is not before the year 2100") }, "\(reply)")
        await workspace.end()
    }

    @Test func byteOrderMarkIsSkipped() async throws {
        let lines = try await imported([
            "\u{FEFF}" + line(101, #""ts": 1700000001, "user": "bob""#),
            line(102, #""ts": 1700000002, "user": "bob""#),
        ])
        #expect(lines.first == "imported 2 messages into 1 channel")
        await workspace.end()
    }

    @Test func failedImportReportsOnlyItsError() async throws {
        // The channel "general" already has a message 1.
        let lines = try await imported([line(1, #""ts": 1700000001, "user": "bob""#)])
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
        let good = (1...1000).map {
            line(100_000 + $0, #""ts": 1700000001, "user": "bob""#, in: "general")
        }
        let lines = try await imported(good + [line(1, #""ts": 1700000002, "user": "bob""#)])
        #expect(
            lines.first?.hasSuffix("; 1,000 messages before it are on the server") == true,
            "\(lines)")
        // The cache has a gap for the older messages.
        _ = await workspace.reply("backfill general")
        #expect(await workspace.reply("count general") == "1060")
        #expect(await workspace.reply("verify general").hasSuffix("no differences from the server"))
        await workspace.end()
    }

    /// An archive may contain pipes and links to devices, which have no end, and links to files of
    /// the user.
    @Test func pipesAndLinksInAFolderAreNotRead() async throws {
        try Data(line(101, #""ts": 1700000001, "user": "bob""#).utf8)
            .write(to: URL(filePath: path))
        let folder = directory.url
        #expect(mkfifo(folder.appending(path: "pipe.jsonl").path, 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: "zero.jsonl").path, withDestinationPath: "/dev/zero")
        let elsewhere = try ScratchDirectory.made()
        let other = elsewhere.url.appending(path: "private.jsonl")
        try Data(line(102, #""ts": 1700000002, "user": "eve""#).utf8).write(to: other)
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "other.jsonl"), withDestinationURL: other)
        let reply = await workspace.reply("import \(folder.path)")
        #expect(reply.hasPrefix("imported 1 message into 1 channel"), "\(reply)")
        await workspace.end()
    }

    @Test func longNumberInALogOfIrssiTakesLinearTime() async throws {
        let date = "--- Log opened Mon Jan " + String(repeating: "1", count: 200_000)
        try Data("\(date)\n".utf8).write(to: URL(filePath: path))
        let start = ContinuousClock.now
        let reply = await workspace.reply("import \(path) from=irssi")
        #expect(reply.contains("this is not a line of irssi"), "\(reply)")
        #expect(ContinuousClock.now - start < .seconds(60))
        await workspace.end()
    }

    /// Each of these values is looked at for each message.
    @Test func aHundredValuesOutsideOfTheMessagesAreRead() async throws {
        let values = (0..<200).map { #""k\#($0)": "pets""# }.joined(separator: ",")
        let message = #"{"message_id": 101, "ts": 1700000001, "user": "bob", "message": "one"}"#
        try Data("{\(values), \"list\": [\(message)]}".utf8).write(to: URL(filePath: path))
        for (field, isRead) in [("k99", true), ("k100", false)] {
            let reply = await workspace.reply("import \(path) messages=list channel=/\(field)")
            #expect(reply.hasPrefix("imported 1 message") == isRead, "\(reply)")
        }
        await workspace.end()
    }

    @Test(arguments: 2...5) func truncatedGzipFileIsAnError(count: Int) async throws {
        try Data([0x1F, 0x8B, 8, 0, 0].prefix(count)).write(to: URL(filePath: path))
        #expect(
            await workspace.reply("import \(path)")
                == "error: the gzip file '\(path)' is truncated or corrupted")
        await workspace.end()
    }

    /// In Swift, a quote and an accent are one character; for a shell, they are two.
    @Test func nameOfAGzipFileIsNoCommand() async throws {
        let name = "a'\u{301}$(exit)'\u{301}.jsonl.gz"
        try await writeGzip(
            line(101, #""ts": 1700000001, "user": "bob""#),
            to: directory.url.appending(path: name))
        let reply = await workspace.reply("import \(directory.path)")
        #expect(reply.hasPrefix("imported 1 message into 1 channel"), "\(reply)")
        await workspace.end()
    }

    /// Another process may have completed the import.
    @Test func importedChannelIsCompleteAfterASync() async throws {
        _ = try await imported([line(101, #""ts": 1700000010, "user": "bob""#)])
        _ = try await imported(
            [
                line(100, #""ts": 1700000005, "user": "zoe""#),
                line(102, #""ts": 1700000020, "user": "zoe""#),
            ],
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
        let lines = try await imported([line(101, #""ts": 1700000001, "user": "bob""#)])
        #expect(
            lines == [
                "imported 1 message into 1 channel",
                "pets is not in the cache: backfill pets fetches it once you are online",
                "0 messages are in the cache of alice",
            ])
        await workspace.end()
    }
}
