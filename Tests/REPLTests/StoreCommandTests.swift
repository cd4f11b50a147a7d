import Foundation
import Scrollback
import Testing

@testable import ScrollbackREPL
@testable import Store

@Suite(.timeLimit(.minutes(10))) @MainActor struct StoreCommandTests {
    private let workspace = Workspace(now: { 1_700_000_000_000 })

    /// Executes some lines, and returns the reply to the last one.
    private func reply(_ lines: String...) async -> String {
        var reply = ""
        for line in lines { reply = await workspace.reply(line) }
        return reply
    }

    @Test func singleMessageHasGapsAroundIt() async {
        let save = #"save Message {"message_id": 42, "channel_url": "general", "ts": 5}"#
        #expect(await reply(save, "picture general") == "… 42 …")
        #expect(await reply("gaps general") == "general: -∞ ~ +∞")
        #expect(await reply("cover general 42 +", "picture general") == "… 42")
    }

    @Test func intervalsBetweenExtremeTimesAreSupported() async {
        for time in [Int64.min, Int64.max] {
            _ = await reply(
                #"save Message {"message_id": \#(time), "channel_url": "general", "ts": \#(time)}"#)
        }
        #expect(
            await reply("cover general - +", "coverage general").hasSuffix(
                "2 known, 0 gaps, 0 not sent"))
        #expect(
            await reply("open-gap general - +", "coverage general").hasSuffix(
                " not sent"))
    }

    @Test func placesAreMessagesOrTimesAndIDs() async {
        #expect(await reply("draw general a b c", "open-gap general a c") == "a ~ b ~ c")
        #expect(await reply("cover general - 1700000060000/b") == "a b ~ c")
        #expect(await reply("open-gap general 2023-11-14T22:13:20Z/a b") == "a ~ b ~ c")
        #expect(await reply("cover general - +") == "a b c")
    }

    @Test func messagesAreListedFromAPlace() async {
        func ids(_ line: String) async -> String {
            await reply(line).split(separator: "\n").map { String($0.prefix(1)) }.joined()
        }
        _ = await reply("draw general a b c d e")
        #expect(await ids("messages general") == "abcde")
        #expect(await ids("messages general limit 2") == "…de")
        #expect(await ids("messages general before c") == "ab")
        #expect(await ids("messages general after c limit 1") == "d")
        #expect(await ids("messages general around c limit 1") == "bc")
        #expect(await ids("messages general before @1700000060000") == "a")
        #expect(await ids("messages general after 2023-11-14T22:14:20Z") == "cde")
    }

    @Test func observedChangesArePrintedAfterEachReply() async {
        let save = #"save User {"user_id": "alice"}"#
        #expect(await reply(save) == "saved user alice")
        #expect(await reply("observe") == "observing everything after change 1")
        #expect(await reply(save) == "saved user alice\nchange 2: saved user alice")
        #expect(
            await reply("observe general")
                == "observing general, of which the store has no data yet, after change 2")
        #expect(await reply(save) == "saved user alice")
        #expect(
            await reply("enqueue general Hello")
                == "wrote outbox item r1 in general\nchange 4: saved outbox item r1 in general")
        #expect(await reply("unobserve", "remove-item r1") == "removed outbox item r1")
    }

    @Test func longChangeIsShortenedInTheMiddle() async {
        let reply = await reply("observe", "draw general a b c d e f g h i j")
        #expect(reply.hasSuffix("; saved message g in general; and 4 more"))
    }

    @Test func outboxItemGetsTheFirstFreeRequestID() async {
        _ = await reply("enqueue general one", "enqueue general two", "remove-item r1")
        #expect(await reply("enqueue random three") == "wrote outbox item r1 in random")
        #expect(
            await reply("outbox")
                == """
                r1  random   pending  send  three
                r2  general  pending  send  two
                """)
    }

    @Test func shortenedListHasTheNumberOfOmittedRows() async {
        let invited =
            #"save GroupChannel {"channel_url": "general", "name": "General", "member_state": "none"}"#
        #expect(await reply(invited, "channels") == "1 channel not selected by the query")
        #expect(
            await reply(
                #"save GroupChannel {"channel_url": "cats", "last_message": {"message": "Meow"}}"#,
                #"channels {"order": "latest_last_message"}"#)
                == "cats  Meow\n1 channel not selected by the query")
    }

    @Test func storeInADirectoryIsReopened() async throws {
        let directory = try ExampleDirectory()
        let open = directory.moved(#"store open "/tmp/scrollback-a b""#)
        let path = directory.moved("/tmp/scrollback-a b")
        let unheld = "error: the store has no data of channel 'general'"
        #expect(await reply(open) == "opened \(path): created")
        #expect(await reply("draw general … a ~ b (c)", open) == "error: \(path) is open already")
        #expect(await reply("store open", "picture general") == unheld)
        #expect(await reply(open) == "opened \(path): no problems found")
        #expect(await reply("picture general") == "… a ~ b (c)")
        #expect(await reply("store close", "picture general").hasPrefix("error: no store is open"))
        #expect(await reply("store open", "picture general") == unheld)
    }

    @Test func openStoreBecomesTheDevicesStore() async {
        let workspace = Workspace.standing()
        for line in ["draw general a b", "connect alice", "create tea"] {
            _ = await workspace.reply(line)
        }
        #expect(await workspace.reply("count") == "tea     0\nin all  0")
        #expect(await workspace.reply("store open") == "opened a store in memory: created")
        #expect(await workspace.reply("count") == "in all  0")
        #expect(await workspace.reply("store close") == "closed")
        #expect(await workspace.reply("count").hasPrefix("tea "))
        await workspace.end()
    }

    @Test func failedOpeningKeepsTheOpenStore() async {
        let answer = await reply("draw general a", "store open /dev/null/x")
        #expect(answer.hasPrefix("error: io: "))
        #expect(answer.hasSuffix("; still open: the one in memory"))
        #expect(await reply("picture general") == "a")
    }

    @Test func lossesAreReportedWhenAStoreIsOpened() {
        var report = OpeningReport()
        #expect(report.lines == ["no problems found"])
        report.migratedFrom = 1
        report.replacedCache = StoreError(.corruption, "the files are damaged", path: "/data/cache")
        report.outboxLogs.hasTornTail = true
        report.isOutboxReindexed = true
        report.outboxCopy = "/data/outbox-damaged-1"
        report.isCacheNew = true
        var loss = OutboxLoss()
        loss.isWholeOutbox = true
        report.outboxLoss = loss
        #expect(
            report.lines == [
                "migrated from version 1",
                "the last write to the outbox was interrupted",
                "the cache was replaced by an empty one: the files are damaged",
                "the outbox's indexes were rebuilt",
                "the outbox was missing: its items are lost",
                "a copy of a damaged outbox is in /data/outbox-damaged-1: see acknowledge-loss",
            ])
    }

    @Test func noTextMovesTheCursor() async {
        let save =
            #"save Message {"message_id": "a\nb", "channel_url": "g", "ts": 5, "message": "x\ny"}"#
        #expect(await reply(save, "messages g") == #"a\nb  1970-01-01T00:00:00.005Z  x\ny"#)
        #expect(await reply("picture g") == #"… a\nb …"#)
        #expect(
            await reply("channels") == "no group channels: see count")
    }

    @Test func aRowIsFoundByItsKey() async {
        let key = "6d 00 00 00 01 7f ff fe 74 30 1a 97 ff ff fe 9e"
        #expect(await reply("draw general a", "store dump message").hasPrefix("\(key) → 12 01 61"))
        #expect(
            await reply("store get \(key)").hasPrefix(
                "cache message: channel 1, 1700000000000/a → Message, 27 bytes\n   0  12 01 61 "))
        #expect(await reply("store get 6d") == "error: there is no row 6d")
        // Both databases have a row with this key.
        #expect(
            await reply("store get 7376")
                == "cache schema: version → 2\noutbox schema: version → 2")
    }

    @Test func limitedListOfRowsReportsFurtherRows() async {
        #expect(
            await reply("draw general a b c", "store scan created limit 2") == """
                cache created     channel 1, a → 1700000000000
                cache created     channel 1, b → 1700000060000
                … the first 2 shown: add all for the rest
                """)
        #expect(await reply("store scan created limit 3").hasSuffix("c → 1700000120000"))
        #expect(await reply("store scan gap") == "cache gap         channel 1, up to +∞ → nothing")
        #expect(await reply("store scan reply") == "no rows")
    }

    @Test(arguments: [
        ("picture", "usage: picture [CHANNEL] [limit N | all]"),
        ("messages general limit 0", "'0' is not a number from 1 to 1000000"),
        (
            "messages general until a",
            "usage: messages CHANNEL [before | after | around POSITION | of KIND] [limit N | all]"
        ),
        (
            "messages general before x",
            "there is no message 'x' in general: a time is 2012-04-26 or @1335398400000"
        ),
        ("message general x", "there is no message 'x' in general"),
        ("remove general x", "there is no message 'x' in general"),
        ("remove-item x", "there is no outbox item 'x'"),
        ("remove-channel x", "the store has no data of channel 'x'"),
        ("remove-user x", "the store has no data of user 'x'"),
        ("user x", "the store has no data of user 'x'"),
        ("channel x", "the store has no data of channel 'x' itself"),
        (
            "open-gap general x +",
            "there is no message 'x' in general: a position without one is TIME/ID"
        ),
        ("open-gap general + -", "invalid gap: lower bound +∞ is not below upper bound -∞"),
        (
            "cover general + -",
            "invalid: /cache: invalid range: lower bound +∞ is above upper bound -∞"
        ),
        (
            "save Reaction {}",
            "cannot save a Reaction alone: save the record that contains it"
        ),
        (
            "save Message {}",
            "invalid: /cache: the message has no id: an unsent message belongs in an outbox item"
        ),
        ("save Massage {}", "there is no type 'Massage': schema lists them all"),
        ("token feed 2", "'2' is not pairs of hex digits"),
        ("store get", "a key is pairs of hex digits, as store dump shows them"),
    ])
    func anErrorNamesWhatIsWrong(line: String, message: String) async {
        #expect(await reply("draw general … a …", line) == "error: \(message)")
    }
}
