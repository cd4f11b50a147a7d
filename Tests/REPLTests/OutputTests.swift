import EmbeddedServer
import Foundation
import Scrollback
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests that commands with much data print a short output, which has a total and says how to show
/// the rest.
@Suite(.timeLimit(.minutes(10))) @MainActor struct OutputTests {
    private let workspace = Workspace.standing()

    private func reply(_ lines: String...) async -> String {
        var reply = ""
        for line in lines { reply = await workspace.reply(line) }
        return reply
    }

    private func lines(_ line: String) async -> [String] {
        await reply(line).split(separator: "\n").map(String.init)
    }

    /// Saves a channel with `count` members, and `count` more channels.
    private func save(members count: Int) async throws {
        var channel = GroupChannel(url: "crowd", name: "Crowd", createdAt: 5)
        channel.members = (1...count).map { Member(User(id: UserID("u\($0)"), nickname: "")) }
        channel.readReceipts = Dictionary(
            uniqueKeysWithValues: (1...count).map { (UserID("u\($0)"), Timestamp(5)) })
        try workspace.store.write { try $0.save(channel) }
    }

    @Test func errorOfTheFileSystemNamesTheFile() throws {
        let directory = try ScratchDirectory.made()
        let file = directory.url.appending(path: "file")
        try Data().write(to: file)
        let error = #expect(throws: (any Error).self) {
            try FileManager.default.createPrivateDirectory(at: file)
        }
        let text = sentence(of: try #require(error))
        #expect(text.contains(file.path) && !text.contains("Domain"), "\(text)")
    }

    @Test func largeChannelIsShortened() async throws {
        try await save(members: 3000)
        let short = await lines("channel crowd")
        #expect(short.count < 100)
        #expect(short.contains("members: … 10 of 3,000 shown: add all for the rest"))
        #expect(short.contains("read_receipt: … 10 of 3,000 shown: add all for the rest"))
        let json = short.prefix { !$0.hasPrefix("members: ") }.joined(separator: "\n")
        let cut = try JSONDecoder().decode(GroupChannel.self, from: Data(json.utf8))
        #expect(cut.members.map(\.userID.rawValue).last == "u10" && cut.members.count == 10)
        let whole = await reply("channel crowd all")
        let all = try JSONDecoder().decode(GroupChannel.self, from: Data(whole.utf8))
        #expect(all.members.count == 3000 && all.readReceipts.count == 3000)
        // The output of `--json` is complete.
        #expect(await workspace.jsonLines("channel crowd", 1).contains("u3000"))
    }

    @Test func longListEndsWithItsTotal() async throws {
        let picture = (1...150).map { "m\($0) ~" }.joined(separator: " ").dropLast(2)
        _ = await reply("draw general \(picture)")
        for number in 0..<150 {
            let url = "c\(1000 + number)"
            try workspace.store.write { batch in
                try batch.save(GroupChannel(url: ChannelURL(url), name: url, createdAt: 5))
                try batch.save(OpenChannel(url: ChannelURL("o" + url), name: url, createdAt: 5))
                try batch.setKeptInCache(true, for: ChannelURL(url))
            }
        }
        for (line, total) in [
            ("channels", 150), ("open-channels", 150), ("gaps general", 149), ("count", 301),
            ("kept", 150), ("evict", 301),
        ] {
            let short = await lines(line)
            let remark = "… 100 of \(total) shown: add all for the rest"
            #expect(short.contains(remark), "\(line): \(short.suffix(2))")
            #expect(short.count <= 103, "\(line)")
            let all = await lines("\(line) all")
            #expect(all.count >= total && !all.contains { $0.hasPrefix("… ") }, "\(line)")
            let some = await lines("\(line) limit 7")
            #expect(some.contains("… 7 of \(total) shown: add all for the rest"), "\(line)")
        }
        #expect(
            await lines("messages general").first == "… 20 of 150 shown: add all for the rest")
        #expect(await lines("messages general all").count == 150)
        #expect(await lines("picture general all")[0].split(separator: "~").count == 150)
        #expect(
            await lines("store scan created").last == "… the first 100 shown: add all for the rest")
        #expect(await lines("store scan created all").count == 150)
    }

    @Test func verifyReportsTheNumberOfDifferences() async throws {
        _ = await reply("demo", "talk 60", "backfill general")
        let removed = try workspace.store.messages(in: "general", limit: 50)
            .compactMap(\.messageID)
        try workspace.store.write { batch in
            for id in removed { _ = try batch.removeMessage(id, in: "general") }
        }
        let short = await lines("verify general")
        let missing = try #require(short.first { $0.hasPrefix("50 missing: ") }, "\(short)")
        #expect(missing.hasSuffix(" … and 30 more: add all for the rest"))
        #expect(missing.split(separator: " ").count == 2 + 20 + 9)
        let all = await lines("verify general all")
        #expect(all.contains { $0.split(separator: " ").count == 52 })
        #expect(!all.contains { $0.contains("…") })
        await workspace.end()
    }

    @Test func membersAreFetchedPageByPage() async throws {
        _ = await reply("demo", "server option listLimit 1")
        #expect(await lines("members").count == 3)
        #expect(
            await lines("members limit 2").last == "… the first 2 shown: add all for the rest")
        #expect(await reply("talk 3").hasPrefix("3 messages in general"))
        #expect(await reply("away 1d 4").hasPrefix("4 messages by bob, carol in 1d"))
        await workspace.end()
    }

    @Test func theUsersOfTheServerAreListed() async {
        #expect(await reply("server users") == "no users")
        #expect(
            await reply("demo", "as dave", "server users limit 3")
                == "alice\nbob\ncarol\n… 3 of 4 shown: add all for the rest")
        await workspace.end()
    }

    @Test func progressOfAnUploadComesBeforeItsEnd() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let path = directory.url.appending(path: "file").path
        try Data(count: 400).write(to: URL(filePath: path))
        _ = await reply("demo")
        #expect(
            await reply("send-file \(path)") == """
                (alice-1)
                = uploaded 100 of 400 bytes of alice-1
                = uploaded 200 of 400 bytes of alice-1
                = uploaded 300 of 400 bytes of alice-1
                = uploaded 400 of 400 bytes of alice-1
                = sent alice-1 as 69
                """)
        await workspace.end()
    }

    // MARK: Devices

    @Test func aSuspendedDeviceHasAStatus() async throws {
        _ = await reply("demo", "suspend")
        let status = await lines("status")
        #expect(status.contains("not sent        unknown until resume"), "\(status)")
        #expect(status.contains("cache           suspended, in memory"))
        #expect(await lines("devices").count == 1)
        #expect(await reply("window") != "")
        let suspended = "error: the device is suspended: resume opens its files"
        for line in ["cache report", "outbox", "send Hello", "backfill general"] {
            #expect(await reply(line).hasPrefix(suspended), "\(line)")
        }
        #expect(await reply("resume", "status").contains("not sent        0"))
        await workspace.end()
    }

    @Test func devicesOfEarlierRunsAreListed() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let options = World.Options(home: directory.url, start: 1_700_000_000_000)
        let first = Workspace(options)
        for line in ["demo", "connect bob@my phone", "connect carol"] {
            _ = await first.reply(line)
        }
        await first.end()
        let second = Workspace(options)
        #expect(second.keptDeviceNames == ["alice", "bob@my", "carol"])
        #expect(
            await second.reply("status")
                == "error: no user is connected: type connect alice; devices lists all")
        #expect(
            await second.reply("devices")
                == "alice   not started\nbob@my  not started\ncarol   not started")
        #expect(
            Completion.words("", after: "connect ", in: second) == ["alice", "bob@my", "carol"])
        _ = await second.reply("connect carol")
        let rows = await second.reply("devices").split(separator: "\n")
        #expect(rows.count == 3 && rows[0].hasPrefix("carol   connected"))
        #expect(rows[0].hasSuffix("here"))
        #expect(
            Prompt.greeting(["alice", "bob"])
                == "Devices of earlier runs: alice, bob. Type connect alice, or devices.")
        #expect(!Prompt.greeting(["a\nerror: b"]).contains("\n"))
        await second.end()
    }

    @Test func unopenableCacheIsNotReportedAsUndamaged() async throws {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        func workspace(_ key: EncryptionKey?) -> Workspace {
            Workspace(
                World.Options(
                    home: directory.url, start: 1_700_000_000_000, encryptionKey: key))
        }
        let first = workspace(EncryptionKey())
        _ = await first.reply("demo")
        #expect(await first.reply("cache report") == "nothing is damaged")
        await first.end()
        let second = workspace(EncryptionKey())
        _ = await second.reply("option storageFailurePolicy continueInMemory")
        _ = await second.reply("connect alice")
        let report = await second.reply("cache report")
        #expect(report.hasPrefix("the cache cannot be opened: wrongKey: "))
        #expect(report.contains(#""openingFailure" : "wrongKey""#))
        await second.end()
    }
}
