import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Imports an invented sample of each chat system's logs.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ImportPresetTests {
    /// The name of the system, its files by their path, and the rows of the channel.
    struct Sample: CustomTestStringConvertible, Sendable {
        let name: String
        let files: [String: String]
        let channel: String
        let rows: String

        var testDescription: String { name }
    }

    private let directory: ScratchDirectory
    private let workspace = Workspace.standing()

    init() async throws {
        directory = try .made()
        _ = await workspace.reply("connect zoe")
    }

    private func write(_ files: [String: String]) throws -> String {
        let folder = directory.url.appending(path: "logs")
        for (name, text) in files {
            let url = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return folder.path
    }

    /// Returns time, sender, parent and text of each message.
    private func rows(_ channel: String) async -> String {
        let reply = await workspace.reply("messages \(channel) all")
        return reply.split(separator: "\n").map { line in
            line.replacing(#/^\S+ +\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)\.\d+Z  /#) { "\($0.1) " }
                .replacing(#/\(to \S+-/#) { _ in "(to " }
        }.joined(separator: "\n")
    }

    @Test(arguments: samples) func aSampleIsImported(sample: Sample) async throws {
        let path = try write(sample.files)
        let reply = await workspace.reply("import \(path) from=\(sample.name)")
        #expect(!reply.contains("bad line") && !reply.contains("line 1"), "\(reply)")
        #expect(await rows(sample.channel) == sample.rows, "\(reply)")
        // Nothing is imported twice, even from a file with another name and more lines.
        let again = await workspace.reply("import \(path) from=\(sample.name)")
        #expect(again.contains("imported 0 messages"), "\(again)")
        #expect(await workspace.reply("help import").contains(sample.name))
        await workspace.end()
    }

    /// The fields of a chat, such as its name, are outside of its messages.
    @Test func aLineDoesNotNameTheChannel() async throws {
        let path = try write([
            "family.jsonl": """
            {"id": 1, "name": "x", "date_unixtime": "1661769060", "from": "Ann", "text": "plain"}
            {"id": 2, "name": "y", "date_unixtime": "1661769061", "from": "Bo", "text": "hi"}
            """
        ])
        _ = await workspace.reply("import \(path) from=telegram")
        #expect(await rows("family") == "10:31:00 Ann: plain\n10:31:01 Bo: hi")
        await workspace.end()
    }

    @Test func namesOfSlackUsersAreInAFileOfTheirOwn() async throws {
        let path = try write([
            "users.json":
                #"[{"id": "U1", "profile": {"display_name": ""}, "real_name": "Ann Lee"}]"#,
            "channels.json": #"[{"id": "C1", "name": "general"}]"#,
            "general/2023-11-14.json": #"""
            [{"type": "message", "user": "U1", "ts": "1700000000.000100", "edited": {"user": "U1"},
              "text": "a &lt; b, <@U1> and <https://example.org|this>",
              "reactions": [{"name": "+1"}], "files": []}]
            """#,
        ])
        let reply = await workspace.reply("import \(path) from=slack")
        #expect(
            await rows("general")
                == "22:13:20 Ann Lee: a < b, @Ann Lee and this (https://example.org)")
        #expect(reply.contains("ignored 'edited', 1 time\nignored 'reactions', 1 time\nimported 1"))
        await workspace.end()
    }

    @Test func badLinesOfAFolderNameTheFile() async throws {
        let path = try write([
            "a.jsonl": #"{"id": 1, "date": "2022-08-29", "from": "Ann", "text": "hi"}"#,
            "b.jsonl": "\nnothing",
        ])
        let reply = await workspace.reply("import \(path) from=telegram")
        #expect(reply.contains("b.jsonl line 2: this is not a JSON object"), "\(reply)")
        await workspace.end()
    }

    @Test func eachLineOfALogOfTextIsOneBadLine() async throws {
        let path = try write(["chat.txt": "[11/14/23, 10:13:20 PM] Ann: [hello]\n[1] x\n"])
        let reply = await workspace.reply("import \(path)")
        #expect(
            reply.hasSuffix(
                "line 1: this is not a JSON object, and 1 more bad line; "
                    + "from=SYSTEM reads the log of a chat system: help import"), "\(reply)")
        await workspace.end()
    }

    @Test func aNamedListThatIsMissingIsAnError() async throws {
        let path = try write(["log.json": #"{"data": {"items": [{"text": "hi"}]}}"#])
        let reply = await workspace.reply("import \(path) into pets messages=data.itemz")
        #expect(reply.contains("the document has no list 'data.itemz'"), "\(reply)")
        await workspace.end()
    }

    @Test func eachPresetHasASample() {
        #expect(LogPreset.all.map(\.name).sorted() == Self.samples.map(\.name).sorted())
    }

    @Test func aRotatedLogOfTheSameNameIsImported() async throws {
        let sample = Self.samples.first { $0.name == "znc" }
        let path = try write(["chan/2023-11-14.log": "[22:13:20] <ann> one\n"])
        _ = await workspace.reply("import \(path) from=znc into chan")
        _ = try write(["chan/2023-11-14.log": "[22:13:20] <ann> two\n[22:13:20] <ann> one\n"])
        let reply = await workspace.reply("import \(path) from=znc into chan")
        #expect(reply.contains("imported 2 messages"), "\(reply)")
        #expect(sample != nil)
        await workspace.end()
    }

    nonisolated static let samples = [
        Sample(
            name: "slack",
            files: [
                "general/2023-11-14.json": """
                [
                  {"type": "message", "user": "U1", "text": "first", "ts": "1700000000.000100",
                   "thread_ts": "1700000000.000100", "user_profile": {"real_name": "Ann"}},
                  {"type": "message", "subtype": "channel_join", "user": "U3", "text": "U3 joined",
                   "ts": "1700000004.000300"}
                ]
                """,
                "general/2023-11-15.json": """
                [{"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "builds",
                  "text": "", "attachments": [{"fallback": "ok"}], "ts": "1700086400.000400"},
                 {"user": "U2", "text": "a reply", "ts": "1700086401.000500",
                  "thread_ts": "1700000000.000100"}]
                """,
            ], channel: "general",
            rows: """
                22:13:20 Ann: first
                22:13:24 U3 joined
                22:13:20 builds: ok
                22:13:21 U2: a reply  (to 1700000000.000100)
                """),
        Sample(
            name: "discord",
            files: [
                "export.json": """
                {
                  "guild": {"id": "1", "name": "Guild"},
                  "channel": {"id": "2", "type": "GuildTextChat", "name": "general"},
                  "messages": [
                    {"id": "10", "type": "Default", "timestamp": "2023-11-14T22:13:20.1234567+00:00",
                     "content": "hello", "author": {"id": "7", "name": "ann", "nickname": "Ann"}},
                    {"id": "11", "type": "Reply", "timestamp": "2023-11-14T23:13:21+01:00",
                     "content": "hi", "author": {"id": "8", "name": "bo"},
                     "reference": {"messageId": "10"}},
                    {"id": "12", "type": "GuildMemberJoin", "timestamp": "2023-11-14T22:13:22+00:00",
                     "content": "Joined.", "author": {"id": "9", "name": "cy"}}
                  ],
                  "messageCount": 3
                }
                """
            ], channel: "general",
            rows: """
                22:13:20 Ann: hello
                22:13:21 bo: hi  (to 10)
                22:13:22 Joined.
                """),
        Sample(
            name: "telegram",
            files: [
                "result.json": """
                {"name": "Friends", "type": "private_group", "id": 5, "messages": [
                  {"id": 1, "type": "service", "date": "2022-08-29T12:30:00",
                   "date_unixtime": "1661769000", "actor": "Ann", "actor_id": "user1",
                   "action": "create_group", "text": ""},
                  {"id": 2, "type": "message", "date": "2022-08-29T12:31:00", "from": "Ann",
                   "from_id": "user1", "text": "plain"},
                  {"id": 3, "type": "message", "date_unixtime": "1661776320", "from": "Bo",
                   "from_id": "user2", "reply_to_message_id": 2,
                   "text": ["see ", {"type": "link", "text": "example.org"}, " now"]}
                ]}
                """
            ], channel: "Friends",
            rows: """
                10:30:00 create_group
                12:31:00 Ann: plain
                12:32:00 Bo: see example.org now  (to 2)
                """),
        Sample(
            name: "mattermost",
            files: [
                "export.jsonl": """
                {"type": "version", "version": 1}
                {"type": "user", "user": {"username": "ann"}}
                {"type": "post", "post": {"team": "t", "channel": "town", "user": "ann", "message": "hello", "create_at": 1700000000000, "replies": [{"user": "bo", "message": "hi", "create_at": 1700000001000}]}}
                {"type": "post", "post": {"team": "t", "channel": "town", "user": "cy", "message": "cy joined", "create_at": 1700000002000, "type": "system_join_channel"}}
                """
            ], channel: "town",
            rows: """
                22:13:20 ann: hello
                22:13:21 bo: hi  (to 21b9qtna8c9gw)
                22:13:22 cy joined
                """),
        Sample(
            name: "matrix",
            files: [
                "export.json": """
                {"room_name": "Garden", "messages": [
                  {"type": "m.room.member", "sender": "@ann:example.org", "event_id": "$0",
                   "origin_server_ts": 1699999999000, "content": {"membership": "join"}},
                  {"type": "m.room.message", "sender": "@ann:example.org", "event_id": "$1",
                   "room_id": "!r:example.org", "origin_server_ts": 1700000000000,
                   "content": {"msgtype": "m.text", "body": "hello"}},
                  {"type": "m.room.message", "sender": "@bo:example.org", "event_id": "$2",
                   "origin_server_ts": 1700000001000, "content": {"msgtype": "m.text", "body": "hi",
                     "m.relates_to": {"rel_type": "m.thread", "event_id": "$1"}}},
                  {"type": "m.room.message", "sender": "@bo:example.org", "event_id": "$3",
                   "origin_server_ts": 1700000002000, "content": {"body": "* hey",
                     "m.relates_to": {"rel_type": "m.replace", "event_id": "$2"}}}
                ]}
                """
            ], channel: "Garden",
            rows: """
                22:13:20 @ann:example.org: hello
                22:13:21 @bo:example.org: hi  (to $1)
                """),
        Sample(
            name: "rocketchat",
            files: [
                "messages.json": """
                {"_id": "a", "rid": "GENERAL", "msg": "hello", "ts": {"$date": "2023-11-14T22:13:20.000Z"}, "u": {"_id": "u1", "username": "ann", "name": "Ann"}}
                {"_id": "b", "rid": "GENERAL", "msg": "bo", "t": "uj", "ts": {"$date": 1700000001000}, "u": {"_id": "u2", "username": "bo"}}
                {"_id": "c", "rid": "GENERAL", "msg": "hi", "tmid": "a", "ts": "2023-11-14T22:13:22Z", "u": {"_id": "u2", "username": "bo"}}
                """
            ], channel: "GENERAL",
            rows: """
                22:13:20 Ann: hello
                22:13:21 bo
                22:13:22 bo: hi  (to a)
                """),
        Sample(
            name: "zulip",
            files: [
                "messages.json": """
                {"result": "success", "messages": [
                  {"id": 1, "sender_email": "ann@example.org", "sender_full_name": "Ann",
                   "content": "hello", "timestamp": 1700000000, "display_recipient": "design",
                   "subject": "news", "type": "stream"}
                ]}
                """
            ], channel: "design", rows: "22:13:20 Ann: hello"),
        Sample(
            name: "irssi",
            files: [
                "garden.log": """
                --- Log opened Tue Nov 14 22:13:20 2023
                22:13 < ann> hello
                22:13 -!- bo [bo@example.org] has joined #garden
                22:13 <@bo> hi: there
                22:14  * ann waves
                --- Day changed Wed Nov 15 2023
                00:01 -bo- a notice
                """
            ], channel: "garden",
            rows: """
                22:13:00 ann: hello
                22:13:00 bo [bo@example.org] has joined #garden
                22:13:00 bo: hi: there
                22:14:00 ann: /me waves
                00:01:00 bo: a notice
                """),
        Sample(
            name: "weechat",
            files: [
                "irc.libera.#garden.weechatlog":
                    "2023-11-14 22:13:20\t-->\tbo (bo@example.org) has joined #garden\n"
                    + "2023-11-14 22:13:21\t@ann\thello\n2023-11-14 22:13:22\t *\tann waves\n"
            ], channel: "#garden",
            rows: """
                22:13:20 bo (bo@example.org) has joined #garden
                22:13:21 ann: hello
                22:13:22 ann: /me waves
                """),
        Sample(
            name: "znc",
            files: [
                "#garden/2023-11-14.log": """
                [22:13:20] *** Joins: bo (bo@example.org)
                [22:13:21] <ann> hello
                """,
                "#garden/2023-11-15.log": "[00:00:01] * ann waves\n",
            ], channel: "#garden",
            rows: """
                22:13:20 Joins: bo (bo@example.org)
                22:13:21 ann: hello
                00:00:01 ann: /me waves
                """),
        Sample(
            name: "whatsapp",
            files: [
                "friends.txt": """
                13/11/2023, 22:13 - Messages are encrypted.
                14/11/2023, 22:13 - Ann: hello
                second line
                14/11/2023, 22:13 - Bo Example: hi: there
                \u{200E}[15/11/23, 10:13:20\u{202F}PM] Bo Example: \u{200E}image omitted
                """
            ], channel: "friends",
            rows: """
                22:13:00 Messages are encrypted.
                22:13:00 Ann: hello\\nsecond line
                22:13:00 Bo Example: hi: there
                22:13:20 Bo Example: image omitted
                """),
        Sample(
            name: "messenger",
            files: [
                "friends_1/message_1.json": """
                {"participants": [{"name": "Ann"}], "messages": [
                  {"sender_name": "B\\u00c3\\u00b8", "timestamp_ms": 1700000001000,
                   "content": "caf\\u00c3\\u00a9", "type": "Generic"},
                  {"sender_name": "Ann", "timestamp_ms": 1700000000000, "photos": [{"uri": "a.jpg"}]}
                ], "title": "Friends", "thread_path": "inbox/friends_1"}
                """
            ], channel: "Friends",
            rows: """
                22:13:20 Ann: a.jpg
                22:13:21 Bø: café
                """),
    ]
}
