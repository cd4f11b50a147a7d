import Foundation
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Tests options of commands whose output the transcripts do not show.
@Suite(.timeLimit(.minutes(10))) @MainActor struct CommandOptionTests {
    private let workspace = Workspace.standing()

    @Test func streamsReportWhatDelegatesReport() async throws {
        _ = await workspace.reply("demo")
        #expect(await workspace.reply("listen streams") == "events are reported")
        var shown = await workspace.reply("as bob send Hello")
        let file = try ScratchDirectory.made()
        try Data("text".utf8).write(to: file.url.appending(path: "note"))
        shown += await workspace.reply("send-file \(file.path)/note")
        shown += await workspace.reply("disconnect")
        // A stream may deliver an event after the reply of the command that caused it.
        let events = [
            "+ general 69  Bob: Hello", "= 1 unread", "= uploaded ", "= alice is disconnected",
        ]
        for _ in 0..<1000 where !events.allSatisfy({ shown.contains($0) }) {
            shown += await workspace.reply("window")
        }
        for event in events { #expect(shown.contains(event), "\(shown)") }
        #expect(shown.matches(of: /\+ general 69/).count == 1)
        #expect(await workspace.reply("listen off") == "events are not reported")
        #expect(await workspace.reply("connect") == "alice")
        await workspace.end()
    }

    @Test func delegatesAreRemovedByTheirIdentifier() async {
        for line in ["connect alice", "listen off", "listen on prompt"] {
            _ = await workspace.reply(line)
        }
        #expect(await workspace.reply("disconnect").contains("= alice is disconnected"))
        #expect(await workspace.reply("listen off prompt") == "events are not reported")
        #expect(await workspace.reply("connect") == "alice")
        #expect(await workspace.reply("listen streams prompt").hasPrefix("error: usage: listen "))
        await workspace.end()
    }

    @Test func failedMessageOfAChannelThatIsNotOpenIsRemoved() async {
        for line in ["demo", "fail send refused", "send No", "close"] {
            _ = await workspace.reply(line)
        }
        #expect(await workspace.reply("result alice-1 in general") == "alice-1 has failed")
        let unknown = await workspace.reply("remove-failed alice-2 in general")
        #expect(unknown == "error: there is no failed message 'alice-2': see failed")
        #expect(await workspace.reply("remove-failed in general").hasPrefix("removed alice-1"))
        #expect(await workspace.reply("failed") == "no failed items")
        await workspace.end()
    }

    @Test func storedDataIsOpenedWithoutAConnection() async {
        _ = await workspace.reply("connect alice")
        #expect(await workspace.reply("connect alice offline") == "alice, connected")
        _ = await workspace.reply("disconnect")
        #expect(await workspace.reply("connect alice offline") == "alice, not connected")
        #expect(await workspace.reply("status").contains("not connected"))
        #expect(await workspace.reply("connect alice within soon").contains("is not a duration"))
        #expect(await workspace.reply("connect alice within 5s").hasPrefix("alice: 0 new messages"))
        #expect(!(await workspace.reply("status").contains("not connected")))
        await workspace.end()
    }

    @Test func missedMessagesAreListed() async {
        for line in ["demo", "disconnect", "as bob send Hello"] { _ = await workspace.reply(line) }
        let reply = await workspace.reply("connect alice within 5s")
        #expect(reply.hasPrefix("alice: 1 new message\n69  "), "\(reply)")
        await workspace.end()
    }

    /// The messages were stored before the index was turned on.
    @Test func restOfTheIndexIsBuiltAtOnce() async throws {
        let home = try ScratchDirectory.made()
        var options = World.Options(start: 1_700_000_000_000)
        options.home = home.url
        let workspace = Workspace(options, now: { 1_700_000_000_000 })
        for line in ["demo", "option store.isSearchIndexed true", "relaunch"] {
            _ = await workspace.reply(line)
        }
        let reply = await workspace.reply("index finish")
        #expect(reply.contains(#/complete: [1-9]\d* messages/#), "\(reply)")
        await workspace.end()
    }
}
