import Foundation
import Scrollback
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests that a reply says what has happened, and that an error leaves the prompt where it was.
@Suite(.timeLimit(.minutes(10))) @MainActor struct TrueAnswerTests {
    private let directory: ScratchDirectory
    private let workspace = Workspace.standing()

    init() throws { directory = try .made() }

    /// A workspace whose data is in the directory.
    private func stored() -> Workspace {
        Workspace(
            World.Options(home: directory.url, start: 1_700_000_000_000),
            now: { 1_700_000_000_000 })
    }

    // MARK: Users and devices

    @Test func wipingAUserRemovesTheFilesOfEachDevice() async throws {
        let first = stored()
        for line in ["demo", "connect alice@phone", "connect bob"] { _ = await first.reply(line) }
        #expect(
            await first.reply("wipe-user alice")
                == "error: alice has these files open: as alice log-out everything")
        #expect(await first.reply("wipe-user nobody").hasPrefix("error: no data of nobody "))
        await first.end()

        let later = stored()
        let users = await later.reply("stored-users").split(separator: "\n")
        #expect(users.map { $0.prefix { $0 != " " } } == ["alice", "alice", "bob"])
        #expect(users.map { $0.hasSuffix("  of alice@phone") } == [false, true, false])
        #expect(users.first?.hasSuffix(" bytes") == true)
        #expect(await later.reply("cache size").hasSuffix(" bytes in the files of 3 users"))
        #expect(await later.reply("wipe-user alice").contains(" bytes of alice"))
        #expect(await later.reply("stored-users").hasPrefix("bob "))
        #expect(await later.reply("wipe-user all").hasSuffix(" bytes of all users"))
        #expect(await later.reply("stored-users") == "no data is stored in files")
        #expect(await later.reply("wipe-user all").hasPrefix("error: no data is stored "))
        await later.end()
    }

    @Test func nameOfAForeignDirectoryAddsNoLines() async throws {
        let forged = directory.url.appending(path: "devices/alice/_default/_x%0aforged/outbox")
        try FileManager.default.createDirectory(at: forged, withIntermediateDirectories: true)
        let workspace = stored()
        let users = await workspace.reply("stored-users")
        #expect(users.hasPrefix(#"x\nforged  "#))
        #expect(!users.contains("\n"))
        await workspace.end()
    }

    @Test func aDeviceThatCannotConnectDoesNotBecomeTheCurrentOne() async {
        _ = await workspace.reply("demo")
        _ = await workspace.reply("revoke carol")
        for line in ["as carol list", "as carol@phone", "connect carol@tablet"] {
            #expect(await workspace.reply(line).hasPrefix("error: "), "\(line)")
            #expect(workspace.prompt == "alice general> ")
        }
        await workspace.end()
    }

    @Test func aUserConnectsAgainAfterLoggingOut() async {
        _ = await workspace.reply("demo")
        _ = await workspace.reply("as bob log-out")
        #expect(await workspace.reply("as bob connect bob").hasPrefix("bob\n"))
        await workspace.end()
    }

    @Test(arguments: [
        ("ann@example.org", "ann@example.org"), ("ann@phone", "ann"),
        ("ann@example.org@phone", "ann@example.org"), ("@ann:example.org", "@ann:example.org"),
        ("@ann:localhost@phone", "@ann:localhost"), ("@phone", nil), ("ann@", nil), ("", nil),
    ]) func aNameWithADotIsTheIDOfAUser(name: String, id: UserID?) {
        #expect(Device.userID(of: name) == id)
    }

    @Test func aListWithoutASessionHasNoNextPage() async {
        _ = await workspace.reply("connect alice")
        _ = await workspace.reply("offline")
        #expect(await workspace.reply("list") == "no channels\n(offline: cached channels)")
        await workspace.end()
    }

    @Test(arguments: [
        ("http://127.0.0.1:8008", "127.0.0.1_8008"), ("http://localhost/", "localhost_80"),
        ("https://example.org", "example.org"), ("https://example.org/a/b", "example.org%2Fa%2Fb"),
        ("https://example.org/a_b/", "example.org%2Fa%5Fb"),
        ("https://EXAMPLE.org/a%2FB", "example.org%2Fa%252%46%42"),
    ])
    func eachHomeserverHasADirectory(address: String, name: String) throws {
        let options = try Options(["--matrix", address, "--home", "/tmp/home"])
        #expect(options.world.home?.lastPathComponent == name)
    }

    @Test func memoryAndADirectoryExcludeEachOther() {
        for arguments in [["--memory", "--home", "x"], ["--home", "x", "--memory"]] {
            #expect(throws: CommandError.self) { try Options(arguments) }
        }
        #expect(throws: CommandError.self) { try Options(["--json", "--json"]) }
    }

    @Test func aDamagedServerLeavesTheCacheReadable() async throws {
        let first = stored()
        _ = await first.reply("demo")
        await first.end()
        let server = directory.url.appending(path: "server")
        for name in try FileManager.default.contentsOfDirectory(atPath: server.path)
        where name != "LOCK" {
            try Data("damaged".utf8).write(to: server.appending(path: name))
        }
        let later = stored()
        let reply = await later.reply("connect alice")
        #expect(reply.contains("the server cannot be opened, so only cached data is shown: "))
        let rows = await later.reply("open general")
        #expect(rows.contains("open cats") && rows.hasSuffix("(offline: cached messages)"))
        #expect(await later.reply("online").hasPrefix("the network is available"))
        #expect(await later.reply("count general") == "60")
        #expect(await later.reply("server users").hasPrefix("error: the server cannot be opened"))
        await later.end()
    }

    // MARK: Messages

    @Test func verifySaysWhatItDidNotCompare() async {
        for line in ["demo", "away 1d 4000", "online"] { _ = await workspace.reply(line) }
        #expect(
            await workspace.reply("verify").hasSuffix(
                "no differences from the server\nnot compared: 1 gap: backfill general"))
        _ = await workspace.reply("backfill")
        #expect(
            await workspace.reply("verify")
                == "compared 4,060 messages: no differences from the server")
        await workspace.end()
    }

    @Test func fillSaysHowManyMessagesItFetched() async {
        _ = await workspace.reply("demo")
        #expect(await workspace.reply("fill").hasPrefix("no gap is shown\n"))
        await workspace.end()
    }

    @Test func aPushThatIsNotStoredHasAReason() async {
        _ = await workspace.reply("demo")
        func push(_ id: Int, _ url: String) async -> String {
            await workspace.reply(
                #"push {"message_id": \#(id), "channel_url": "\#(url)", "created_at": 1700000000000}"#
            )
        }
        #expect(await workspace.reply("push {}").hasPrefix("error: the message has no message_id"))
        #expect(await push(99, "general").hasPrefix("1 message is stored"))
        _ = await workspace.reply("delete 57")
        #expect(await push(57, "general") == "the message was not stored: it was deleted")
        await workspace.end()
    }

    @Test func aQueryWithoutAWordFindsNothing() async {
        _ = await workspace.reply("demo")
        #expect(await workspace.reply("search %") == "no messages: the query has no word to find")
        await workspace.end()
    }

    @Test func theRowsOfAReversedListAreNewestFirst() async {
        _ = await workspace.reply("demo")
        let rows = await workspace.reply(#"open cats {"reverse": true, "prev_result_size": 2}"#)
        #expect(rows.split(separator: "\n").compactMap { Int($0.prefix(2)) } == [65, 64])
        #expect(rows.hasSuffix("… more before: prev"))
        #expect(
            await workspace.reply("prev").split(separator: "\n").compactMap { Int($0.prefix(2)) }
                == [63, 62])
        await workspace.end()
    }

    @Test func directionMarksInRowsAreVisible() async {
        _ = await workspace.reply("demo")
        _ = await workspace.reply("send a\u{200F}b")
        #expect(await workspace.reply("show 1").contains(#"a\u{200F}b"#))
        #expect(await workspace.reply("search a\u{200F}b").contains(#"\u{200F}"#))
        await workspace.end()
    }

    @Test func theErrorOfAnUnreadableFileHasTheReasonInWords() async throws {
        let file = directory.url.appending(path: "file")
        try Data("x".utf8).write(to: file)
        for line in ["demo", "offline", "send-file \(file.path)"] {
            _ = await workspace.reply(line)
        }
        try FileManager.default.removeItem(at: file)
        let reply = await workspace.reply("online")
        #expect(reply.contains("! alice-1 failed: "), "\(reply)")
        #expect(!reply.contains("Domain=") && reply.contains("No such file"), "\(reply)")
        await workspace.end()
    }

    @Test func aReactionIsGivenAndRemovedOnce() async {
        _ = await workspace.reply("demo")
        #expect(await workspace.reply("react 60 :D").hasPrefix("added :D to 60"))
        #expect(await workspace.reply("react 60 :D") == "60 has your :D already")
        #expect(await workspace.reply("as bob react 60 :D").hasPrefix("added :D to 60"))
        #expect(await workspace.reply("unreact 60 :D").hasPrefix("removed :D from 60"))
        #expect(await workspace.reply("unreact 60 :D") == "error: 60 has no :D of yours")
        await workspace.end()
    }

    @Test func backfillCountsTheMessagesThatWereMissing() async {
        for line in ["demo", "away 1d 500", "online"] { _ = await workspace.reply(line) }
        func known() async -> Int? {
            await workspace.reply("coverage").firstMatch(of: /(\d+) known/).flatMap { Int($0.1) }
        }
        let before = await known()
        let reply = await workspace.reply("backfill")
        let after = await known()
        #expect(before != nil && before != after)
        #expect(reply.hasPrefix("fetched \((after ?? 0) - (before ?? 0)) missing messages\n"))
        #expect(await workspace.reply("backfill").hasPrefix("fetched 0 missing messages\n"))
        await workspace.end()
    }

    @Test func changesOfTheConnectionAreNotThoseOfATable() async {
        for line in ["connect alice", #"table put a 1 {}"#, "table watch a"] {
            _ = await workspace.reply(line)
        }
        #expect(await workspace.reply("disconnect") == "disconnected\n= alice is disconnected")
        _ = await workspace.reply("connect")
        #expect(await workspace.reply("log-out") == "logged out\n= alice is disconnected")
        await workspace.end()
    }

    // MARK: Names of messages and of their senders

    @Test func rowsShowTheNamesOfSenders() async {
        _ = await workspace.reply("demo")
        #expect(await workspace.reply("show 1").hasSuffix("Carol  open cats"))
        #expect(await workspace.reply("channels").contains("Carol: open cats"))
        await workspace.end()
    }

    @Test func aLongIDIsShownAndTypedByItsEnd() async throws {
        let log = directory.url.appending(path: "slack.jsonl")
        let lines = (1...3).map {
            #"{"type": "message", "user": "U1", "text": "\#($0)", "ts": "170000000\#($0).000100"}"#
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: log)
        for line in ["connect alice", "import \(log.path) from=slack into team", "open team"] {
            _ = await workspace.reply(line)
        }
        let rows = await workspace.reply("show").split(separator: "\n").dropFirst()
        #expect(rows.map { $0.prefix { $0 != " " } } == ["…1.000100", "…2.000100", "…3.000100"])
        #expect(
            await workspace.reply("react …2.000100 :D").contains("* team team-1700000002.000100"))
        #expect(await workspace.reply("get 3.000100").contains("U1  3"))
        #expect(await workspace.reply("search 3 in team").hasPrefix("team  …3.000100  2023-11-14 "))
        #expect(await workspace.reply("message team 1.000100").contains("team-1700000001.000100"))
        #expect(
            await workspace.reply("delete .000100").hasPrefix(
                "error: '.000100' is the end of several ids: team-1700000001.000100, "))
        #expect(await workspace.reply("get 100") == "error: there is no message '100' in team")
        await workspace.end()
    }

    @Test func aMessageIsNotNamedByTheEndOfAShortID() async {
        _ = await workspace.reply("demo")
        #expect(await workspace.reply("delete 0") == "error: there is no message '0' in general")
        await workspace.end()
    }
}
